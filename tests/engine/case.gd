# The base of every file of GDScript tests. A test is a function test_*; it may await. It fails
# when a check fails, when it takes too long, when it checks nothing, and when an error is printed
# that it did not announce.
extends Node

var failures: Array[Dictionary] = []
var expected_errors := PackedStringArray()
var allowed_errors := PackedStringArray()
var expected_warnings := PackedStringArray()
var checks := 0


# Announces an error: during this test one must be printed that contains this text, and such ones
# may be.
func expect_error(part: String) -> void:
	expected_errors.append(part)


# The same for an error of the script itself, which release builds of the engine do not notice.
func expect_script_error(part: String) -> void:
	if OS.is_debug_build():
		expect_error(part)


# Errors that contain this text may be printed, and need not.
func allow_error(part: String) -> void:
	allowed_errors.append(part)


# Announces a warning: during this test one must be printed that contains this text.
func expect_warning(part: String) -> void:
	expected_warnings.append(part)


func check(condition: bool, message: String) -> void:
	checks += 1
	if not condition:
		_fail(message)


# Type and value: 1 is not 1.0, and an Array is not an Array[Dictionary].
func check_equal(actual: Variant, expected: Variant, message := "") -> void:
	checks += 1
	if not _is_same(actual, expected):
		_fail("%s\n    is       %s\n    expected %s" % [message, _shown(actual), _shown(expected)])


func check_near(actual: float, expected: float, message := "", tolerance := 1e-5) -> void:
	checks += 1
	if absf(actual - expected) > tolerance:
		_fail("%s\n    is       %s\n    expected %s" % [message, actual, expected])


func check_contains(text: String, part: String, message := "") -> void:
	checks += 1
	if not part in text:
		_fail("%s\n    %s\n    does not contain %s" % [message, _shown(text), _shown(part)])


func check_type(value: Variant, type: Variant.Type, message := "") -> void:
	checks += 1
	if typeof(value) != type:
		_fail("%s\n    %s is no %s" % [message, _shown(value), type_string(type)])


func frames(count: int) -> void:
	for frame in count:
		await get_tree().process_frame


# Waits until the condition holds; the test's time limit ends it otherwise.
func until(condition: Callable) -> void:
	while not condition.call():
		await get_tree().process_frame


# A node in the tree with memories of its own.
func make_memory(npc_id := "") -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc_id if npc_id else "npc of test %d" % get_instance_id()
	add_child(memory)
	return memory


# What a signal is emitted with from now on: an array of arguments for each time.
func watch(watched: Signal) -> Array[Array]:
	var emissions: Array[Array] = []
	var object := watched.get_object()
	for signal_info: Dictionary in object.get_signal_list():
		if signal_info["name"] == watched.get_name():
			var arguments: Array = signal_info["args"]
			match arguments.size():
				0:
					watched.connect(func() -> void: emissions.append([]))
				1:
					watched.connect(func(a: Variant) -> void: emissions.append([a]))
				_:
					watched.connect(func(a: Variant, b: Variant) -> void: emissions.append([a, b]))
	return emissions


func _fail(message: String) -> void:
	var where := get_script().resource_path.get_file() as String
	for call: Dictionary in get_stack():
		if not (call["source"] as String).ends_with("/case.gd"):
			where = "%s:%d" % [(call["source"] as String).get_file(), call["line"]]
			break
	failures.append({"where": where, "message": message})


func _is_same(actual: Variant, expected: Variant) -> bool:
	if typeof(actual) != typeof(expected):
		return false
	match typeof(actual):
		TYPE_ARRAY:
			return _is_same_array(actual as Array, expected as Array)
		TYPE_DICTIONARY:
			return _is_same_dictionary(actual as Dictionary, expected as Dictionary)
		_:
			return actual == expected


func _is_same_array(actual: Array, expected: Array) -> bool:
	if not actual.is_same_typed(expected) or actual.size() != expected.size():
		return false
	for index in actual.size():
		if not _is_same(actual[index], expected[index]):
			return false
	return true


func _is_same_dictionary(actual: Dictionary, expected: Dictionary) -> bool:
	if actual.size() != expected.size():
		return false
	for key: Variant in expected:
		if not actual.has(key) or not _is_same(actual[key], expected[key]):
			return false
	return true


func _shown(value: Variant) -> String:
	return "%s (%s)" % [var_to_str(value).left(500), type_string(typeof(value))]

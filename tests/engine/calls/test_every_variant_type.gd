# Every method with every Variant type for every argument: an error or an answer, never a crash.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_memory_server() -> void:
	_expect_clear_errors()
	await _call_every_method(MemoryServer, ["health", "preload", "current_save", "set_clock"])
	check_equal(MemoryServer.open_save("after all that"), OK)


func test_rag_memory() -> void:
	_expect_clear_errors()
	var memory := make_memory("victim")
	await _call_every_method(memory, [])
	memory.npc_id = "survivor"
	memory.config = null
	memory.persistent = true
	check(memory.store("Still alive.") != "", "works after all that")


func test_memory_config() -> void:
	_expect_clear_errors()
	var config := MemoryConfig.new()
	await _call_every_method(config, [])


func test_memory_request() -> void:
	_expect_clear_errors()
	await _call_every_method(MemoryRequest.new(), [])


func test_set_clock() -> void:
	_expect_clear_errors()
	allow_error("the function given to set_clock()")
	var memory := make_memory()
	var server: Variant = MemoryServer
	for value: Variant in _values():
		server.callv("set_clock", [value])
		check_type(memory.store("The time is wrong."), TYPE_STRING)
	MemoryServer.set_clock(Callable())
	check(memory.store("The time is right.") != "", "an id")


func test_properties() -> void:
	_expect_clear_errors()
	var memory := make_memory("properties")
	var config := MemoryConfig.new()
	for object: Object in [memory, config]:
		for property: Dictionary in ClassDB.class_get_property_list(object.get_class(), true):
			var declared: Variant.Type = property["type"]
			if property["usage"] & PROPERTY_USAGE_GROUP:
				continue
			var name: String = property["name"]
			var before: Variant = object.get(name)
			for value: Variant in _values():
				object.set(name, value)
				var now: Variant = object.get(name)
				check(typeof(now) == declared or now == null, "%s is %s" % [name, now])
			object.set(name, before)
	check_equal(memory.npc_id, "properties")
	check(memory.store("Still alive.") != "", "works after all that")


func _expect_clear_errors() -> void:
	for part: String in [
		"RAGMemory.", "MemoryServer.", "MemoryConfig.", "argument", "Potential infinite recursion"
	]:
		allow_error(part)
	for part: String in [
		"Condition", "freed", "Unable to convert", "Attempted to", "array recursion"
	]:
		allow_error(part)


# One argument is wrong at a time, the others are as declared.
func _call_every_method(object: Object, left_out: Array[String]) -> void:
	for method: Dictionary in ClassDB.class_get_method_list(object.get_class(), true):
		var name: String = method["name"]
		if name in left_out or method["flags"] & METHOD_FLAG_VIRTUAL:
			continue
		var declared: Array = method["args"]
		for wrong in declared.size():
			for value: Variant in _values():
				var arguments := declared.map(_plain_argument)
				arguments[wrong] = value
				await _check_answer(name, object.callv(name, arguments), method["return"])
		if declared.is_empty():
			await _check_answer(name, object.callv(name, []), method["return"])
		else:
			object.callv(name, declared.map(_plain_argument) + ["one too many"])


func _check_answer(name: String, answer: Variant, declared: Dictionary) -> void:
	var type: Variant.Type = declared["type"]
	if answer is MemoryRequest:
		var request: MemoryRequest = answer
		await until(request.is_completed)
		check(request.get_result() != null, name + " completes with a value of its type")
	elif type != TYPE_NIL and answer != null:
		check_equal(typeof(answer), type, name)
	else:
		checks += 1


func _plain_argument(argument: Dictionary) -> Variant:
	var plain: Dictionary = {
		TYPE_STRING: "text",
		TYPE_INT: 3,
		TYPE_BOOL: true,
		TYPE_FLOAT: 0.5,
		TYPE_DICTIONARY: {},
		TYPE_ARRAY: [],
		TYPE_PACKED_STRING_ARRAY: PackedStringArray(),
	}
	return plain.get(argument["type"])


func _values() -> Array:
	var freed := Node.new()
	freed.free()
	var loop: Array = []
	loop.append(loop)
	return [
		null,
		true,
		-1,
		0,
		9223372036854775807,
		-9223372036854775807 - 1,
		0.5,
		NAN,
		INF,
		-1e308,
		"",
		" ",
		"text",
		"x".repeat(5000),
		Vector2.ONE,
		Vector2i.ONE,
		Rect2(),
		Rect2i(),
		Vector3.ONE,
		Vector3i.ONE,
		Transform2D(),
		Vector4.ONE,
		Vector4i.ONE,
		Plane(),
		Quaternion(),
		AABB(),
		Basis(),
		Transform3D(),
		Projection(),
		Color.RED,
		&"name",
		NodePath("a/b:c"),
		RID(),
		self,
		Resource.new(),
		MemoryServer,
		freed,
		_values,
		Callable(),
		Callable(freed, "gone"),
		tree_entered,
		Signal(),
		{},
		{"filter": {"importance": {"?": 1}}},
		{"text": 5},
		{1: 2},
		{"self": self},
		[],
		[1, "two", null],
		[{"text": "x"}],
		[{"text": 1}],
		[self],
		loop,
		PackedByteArray([1]),
		PackedInt32Array([1]),
		PackedInt64Array([1]),
		PackedFloat32Array([1]),
		PackedFloat64Array([1]),
		PackedStringArray(["a"]),
		PackedVector2Array([Vector2.ONE]),
		PackedVector3Array([Vector3.ONE]),
		PackedColorArray([Color.RED]),
		PackedVector4Array([Vector4.ONE]),
	]

# Runs the test functions of one file and reports them line by line; see gdscript_tests.py.
# Arguments: the file's path, the names of the tests with commas between.
extends SceneTree

const TestCase = preload("res://tests/engine/case.gd")
const TIME_LIMIT_MSEC := 600_000
# Signals of the last call and errors of posted ones arrive with the next frames.
const FRAMES_AFTER_TEST := 3

var _is_done := false


func _initialize() -> void:
	var arguments := OS.get_cmdline_user_args()
	var script: GDScript = load(arguments[0])
	if script == null or not script.can_instantiate():
		quit(1)
		return
	_run_all(script, arguments[1].split(",", false))


func _run_all(script: GDScript, names: PackedStringArray) -> void:
	await process_frame
	for name: String in names:
		await _run_one(script, name)
	quit(0)


func _run_one(script: GDScript, name: String) -> void:
	print("@begin ", name)
	var test_case: TestCase = script.new()
	root.add_child(test_case)
	_is_done = false
	_call_test(test_case, name)
	var started := Time.get_ticks_msec()
	while not _is_done and Time.get_ticks_msec() - started < TIME_LIMIT_MSEC:
		await process_frame
	if not (test_case.expected_errors.is_empty() and test_case.expected_warnings.is_empty()):
		await _until_posted_calls_are_done()
	for frame in FRAMES_AFTER_TEST:
		await process_frame
	var result := {
		"test": name,
		"failures": test_case.failures,
		"expected_errors": test_case.expected_errors,
		"allowed_errors": test_case.allowed_errors,
		"expected_warnings": test_case.expected_warnings,
		"checks": test_case.checks,
		"timed_out": not _is_done,
	}
	test_case.queue_free()
	await process_frame
	await process_frame
	print("@end ", JSON.stringify(result))


# What was posted before is answered before.
func _until_posted_calls_are_done() -> void:
	if MemoryServer.get_activity()["state"] == "ready":
		await MemoryServer.preload().completed


func _call_test(test_case: TestCase, name: String) -> void:
	await test_case.call(name)
	_is_done = true

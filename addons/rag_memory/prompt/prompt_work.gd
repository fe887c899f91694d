extends RefCounted
## The work behind a call of an NPCContextBuilder: it blocks, or it is behind a [MemoryRequest].

## Why there is no result.
var error := ""

# Null when the work blocks.
var _request: MemoryRequest


func _init(request: MemoryRequest = null) -> void:
	_request = request


## The Dictionary that a coroutine returns, at once; its first argument is this work.
static func result(work: Callable) -> Dictionary:
	return work.call(new())


## The request for the Dictionary that a coroutine returns; its first argument is this work.
static func request(work: Callable) -> MemoryRequest:
	var made := MemoryRequest.new()
	_carry_out(made, work)
	return made


## Calls a method; [method answer] has what it returned. Several may be begun together.
func begin(object: Object, method: StringName, arguments: Array = []) -> Variant:
	return object.callv(method if _request == null else StringName(method + "_async"), arguments)


## The result of a call that was begun; await it. Work that blocks has it already.
func answer(begun: Variant) -> Variant:
	if not begun is MemoryRequest:
		return begun
	var waiting: MemoryRequest = begun
	return waiting.get_result() if waiting.is_completed() else await waiting.completed


## A mistake in the call. Returns the empty result.
func fail(problem: String) -> Dictionary:
	error = problem
	push_error(problem)
	return {}


static func _carry_out(made: MemoryRequest, work: Callable) -> void:
	var own: RefCounted = new(made)
	var frame := Engine.get_process_frames()
	var result: Dictionary = await work.call(own)
	if Engine.get_process_frames() == frame:
		await (Engine.get_main_loop() as SceneTree).process_frame
	made.complete(result, own.get("error") as String)

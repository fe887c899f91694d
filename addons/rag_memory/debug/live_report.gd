extends RefCounted
## Sends what the memories of a running game do to the debugger: the monitors
## [code]rag_memory/*[/code] of [Performance], and what the editor's RAG Memory tab shows while it
## is open.
##
## The native host makes one when a game starts with a debugger. It changes nothing.

const PREFIX := "rag_memory"
const STATE_INTERVAL_SECONDS := 0.25
const MOST_CALLS_PER_MESSAGE := 100
const MOST_MEMORIES_PER_CALL := 25
const MOST_CHARACTERS_PER_MEMORY := 160
const MOST_FEELINGS_PER_NPC := 8
const RATE_INTERVAL_SECONDS := 1.0

## The monitor's name below rag_memory/, and the key of [method MemoryServer.get_activity] it shows.
const MONITORS: Dictionary[String, String] = {
	"queue_length": "queue_length",
	"requests_per_second": "requests_per_second",
	"failed_requests": "failed_calls",
	"last_latency_ms": "last_latency_ms",
	"frame_cost_ms": "frame_ms",
	"memories": "memories",
	"loaded_memories": "loaded_memories",
}

var _activity: Dictionary = {}
var _activity_frame := -1
var _rate := 0.0
var _rate_calls := 0
var _rate_since := Time.get_ticks_usec()
var _calls: Array[Dictionary] = []
var _dropped_calls := 0
var _npc_calls: Dictionary[String, Dictionary] = {}
var _next_state_seconds := 0.0


func _init() -> void:
	for monitor: String in MONITORS:
		Performance.add_custom_monitor(
			"%s/%s" % [PREFIX, monitor], _monitored.bind(MONITORS[monitor])
		)
	if EngineDebugger.is_active():
		EngineDebugger.register_message_capture(PREFIX, _on_message)
		EngineDebugger.send_message(PREFIX + ":hello", [])


func _notification(what: int) -> void:
	if what != NOTIFICATION_PREDELETE:
		return
	for monitor: String in MONITORS:
		Performance.remove_custom_monitor("%s/%s" % [PREFIX, monitor])
	if EngineDebugger.has_capture(PREFIX):
		EngineDebugger.unregister_message_capture(PREFIX)


func _monitored(key: String) -> float:
	return _current_activity()[key]


# Several monitors are read in one frame; one look serves them all.
func _current_activity() -> Dictionary:
	if _activity_frame != Engine.get_process_frames():
		_activity_frame = Engine.get_process_frames()
		_activity = MemoryServer.get_activity()
		var seconds := (Time.get_ticks_usec() - _rate_since) / 1e6
		if seconds >= RATE_INTERVAL_SECONDS:
			_rate = (_activity.finished_calls - _rate_calls) / seconds
			_rate_calls = _activity.finished_calls
			_rate_since = Time.get_ticks_usec()
		_activity.requests_per_second = _rate
	return _activity


func _on_message(message: String, data: Array) -> bool:
	if message != "watch" and message != PREFIX + ":watch":
		return false
	var is_watched: bool = data[0]
	var tree: SceneTree = Engine.get_main_loop()
	if is_watched and not tree.process_frame.is_connected(_on_frame):
		tree.process_frame.connect(_on_frame)
		MemoryServer.call_finished.connect(_on_call_finished)
	elif not is_watched and tree.process_frame.is_connected(_on_frame):
		tree.process_frame.disconnect(_on_frame)
		MemoryServer.call_finished.disconnect(_on_call_finished)
	_next_state_seconds = 0.0
	return true


func _on_frame() -> void:
	var now := Time.get_ticks_msec() / 1000.0
	if now < _next_state_seconds:
		return
	_next_state_seconds = now + STATE_INTERVAL_SECONDS
	EngineDebugger.send_message(PREFIX + ":state", [_state()])
	if not _calls.is_empty():
		EngineDebugger.send_message(PREFIX + ":calls", [_calls, _dropped_calls])
		_calls = []
		_dropped_calls = 0


func _state() -> Dictionary:
	var state := _current_activity().duplicate()
	var npcs: Array[Dictionary] = []
	for node: RAGMemory in state.nodes:
		if node != null and node.is_inside_tree():
			var npc := {"npc_id": node.npc_id, "path": str(node.get_path())}
			npc.merge(_npc_calls.get(node.npc_id, {}))
			if state.minds.has(node.npc_id):
				npc.merge(_mind(state.minds[node.npc_id] as Dictionary))
			npcs.append(npc)
	state.erase("minds")
	state.nodes = npcs
	return state


# Returns what an NPC feels in words: the mood, and towards whom, each with the name of the feeling.
func _mind(felt: Dictionary) -> Dictionary:
	var feelings: Array[Array] = []
	for index: int in mini(felt["feelings"].size() as int, MOST_FEELINGS_PER_NPC):
		feelings.append([felt["feelings"][index], felt["dispositions"][index]["feeling"]])
	return {"mood": felt["mood"], "feelings": feelings}


func _on_call_finished(report: Dictionary) -> void:
	var npc_id: String = report.npc_id
	if npc_id:
		var counts: Dictionary = _npc_calls.get_or_add(npc_id, {"calls": 0, "failed": 0})
		counts.calls += 1
		counts.failed += 0 if report.error == "" else 1
		counts.latency_ms = report.latency_ms
	if _calls.size() >= MOST_CALLS_PER_MESSAGE:
		_dropped_calls += 1
		return
	var call := report.duplicate()
	call.result = _summary(report.result)
	call.memories = _memories(report.result)
	call.frame = Engine.get_process_frames()
	_calls.append(call)


# Few words on a result of any type.
func _summary(result: Variant) -> String:
	match typeof(result):
		TYPE_ARRAY, TYPE_PACKED_STRING_ARRAY:
			return "%d items" % [result.size()]
		TYPE_DICTIONARY:
			return "%d keys" % [result.size()]
		TYPE_STRING:
			var text: String = result
			return text.left(MOST_CHARACTERS_PER_MEMORY)
		TYPE_NIL:
			return ""
	return str(result)


# Returns what was recalled and why, where the result is a list of memories.
func _memories(result: Variant) -> Array[Dictionary]:
	var memories: Array[Dictionary] = []
	var items: Array = result if result is Array else []
	for item: Variant in items.slice(0, MOST_MEMORIES_PER_CALL):
		if item is Dictionary and (item as Dictionary).has("document"):
			memories.append(_memory(item as Dictionary))
	return memories


func _memory(memory: Dictionary) -> Dictionary:
	return {
		"id": memory.id,
		"text": str(memory.document).left(MOST_CHARACTERS_PER_MEMORY),
		"timestamp": memory.get("metadata", {}).get("timestamp"),
		"score": memory.get("score", 0.0),
		"breakdown": memory.get("breakdown", {}),
		"used_form": memory.get("used_form", ""),
		"protected": memory.get("protected", false),
	}

extends Node
## Frame times at 60 frames a second of a game in which many NPCs perceive events, and of the same
## game in which nothing happens.
##
## No class of the extension is named here, because one run is without it.

const FRAMES_PER_SECOND := 60
const WARM_UP_SECONDS := 3.0
const ACTIONS: Array[String] = ["spoke", "waved", "helped", "walked_by", "traded", "insulted"]

var _is_heard_by_all := false
var _ids: Array[String] = []
var _minds: Array[Node] = []
var _asked := 0
var _answered := 0
var _failed := 0


func measure(input: Dictionary) -> Dictionary:
	Engine.max_fps = FRAMES_PER_SECOND
	OS.low_processor_usage_mode = false
	var rate: float = input["events_a_minute"]
	_is_heard_by_all = input["is_heard_by_all"]
	if rate > 0.0:
		await _prepare(input)
	await _frames(WARM_UP_SECONDS, 0.0, [])
	var frames_usec := await _frames(
		input["seconds"] as float, rate / 60.0, input["texts"] as Array
	)
	var waited_usec: int = Time.get_ticks_usec()
	while _answered < _asked:
		await get_tree().process_frame
	return {
		"frames_usec": Array(frames_usec),
		"asked": _asked,
		"failed": _failed,
		"backlog_ms": (Time.get_ticks_usec() - waited_usec) / 1000.0,
		"engine": Engine.get_version_info()["string"],
	}


func _prepare(input: Dictionary) -> void:
	var server: Object = Engine.get_singleton(&"MemoryServer")
	server.call(&"open_save", "bench")
	for number: int in input["npcs"]:
		var memory: Node = ClassDB.instantiate(&"RAGMemory")
		_ids.append("npc_%d" % number)
		memory.set(&"npc_id", _ids[-1])
		var mind: Node = ClassDB.instantiate(&"NPCMind")
		memory.add_child(mind)
		add_child(memory)
		_minds.append(mind)
		await (mind.call(&"perceive_async", {"action": "waved"}).get(&"completed") as Signal)


func _perceive(text: String) -> void:
	var number := _asked
	_asked += 1
	var source := number % 12
	var event := {
		"action": ACTIONS[number % ACTIONS.size()],
		"content": "%s (%d)" % [text, number],
		"source_id": "c%d" % source,
		"source_name": "Character %d" % source,
	}
	if _is_heard_by_all:
		event.merge({"action": "spoke", "bystanders": _ids}, true)
	var request: Object = _minds[number % _minds.size()].call(&"perceive_async", event)
	await (request.get(&"completed") as Signal)
	_answered += 1
	if not str(request.call(&"get_error")).is_empty():
		_failed += 1


## The time from each frame to the next one, for this long, with so many events a second.
func _frames(seconds: float, rate: float, texts: Array) -> PackedInt64Array:
	var times_usec := PackedInt64Array()
	var started_usec: int = Time.get_ticks_usec()
	var last_usec: int = started_usec
	var told := 0
	while last_usec - started_usec < seconds * 1e6:
		while told < (last_usec - started_usec) / 1e6 * rate:
			_perceive(texts[told % texts.size()] as String)
			told += 1
		await get_tree().process_frame
		var now_usec: int = Time.get_ticks_usec()
		times_usec.append(now_usec - last_usec)
		last_usec = now_usec
	return times_usec

extends Node
## Frame times at 60 frames a second: of a game in which many NPCs ask, store and talk all the
## time, of one in which all of them hear every line in a square, of one in which thousands of
## memories are stored at once, and of one in which nothing happens.
##
## No class of the extension is named here, because one run is without it.

const ProcessMemory := preload("process_memory.gd")
const FRAMES_PER_SECOND := 60
const WARM_UP_SECONDS := 3.0

var _npcs: Array[Node] = []
var _dialogues: Dictionary[Node, Node] = {}
var _talks := 0
var _questions: Array = []
var _texts: Array = []
var _asked := 0
var _answered := 0
var _stored := 0
var _stored_usec := 0
var _failed := 0
var _is_running := true


func measure(input: Dictionary) -> Dictionary:
	Engine.max_fps = FRAMES_PER_SECOND
	OS.low_processor_usage_mode = false
	_questions = input["questions"]
	_texts = input["texts"]
	var load_kind: String = input["load"]
	if load_kind != "nothing":
		var problem: String = await _prepare(input)
		if not problem.is_empty():
			return {"problem": problem}
	await _frames(WARM_UP_SECONDS)
	if load_kind == "asking":
		for npc: Node in _npcs:
			_live(npc)
	if load_kind == "square":
		_talk_in_the_square()
	var storing: Object = null
	var started_usec: int = Time.get_ticks_usec()
	var begun_unix: float = Time.get_unix_time_from_system()
	var call_usec: int = 0
	if load_kind == "storing":
		var batch: Array[Dictionary] = _batch(input["batch"])
		call_usec = Time.get_ticks_usec()
		storing = _npcs[0].call(&"store_batch_async", batch)
		call_usec = Time.get_ticks_usec() - call_usec
		(storing.get(&"completed") as Signal).connect(
			func(_result: Variant) -> void: _stored_usec = Time.get_ticks_usec()
		)
	var resident_kb: Array[int] = [ProcessMemory.resident_kb()]
	var seconds: float = input["seconds"]
	var frames_usec := PackedInt64Array()
	while true:
		for _part: int in 10:
			frames_usec.append_array(await _frames(seconds / 10))
			if storing != null and storing.call(&"is_completed"):
				break
		resident_kb.append(ProcessMemory.resident_kb())
		if storing == null or storing.call(&"is_completed"):
			break
		print("%d s" % [int((Time.get_ticks_usec() - started_usec) / 1e6)])
	var elapsed_usec: int = Time.get_ticks_usec() - started_usec
	var ended_unix: float = Time.get_unix_time_from_system()
	_is_running = false
	while load_kind in ["asking", "square"] and _answered < _asked:
		await get_tree().process_frame
	var samples: Dictionary = {
		"frames_usec": Array(frames_usec),
		"resident_kb": resident_kb,
		"asked": _asked,
		"answered": _answered,
		"stored": _stored,
		"talks": _talks,
		"failed": _failed,
		"elapsed_usec": elapsed_usec,
		"call_usec": call_usec,
		"begun_unix": begun_unix,
		"ended_unix": ended_unix,
		"engine": Engine.get_version_info()["string"],
	}
	if storing != null:
		var ids: Array = storing.call(&"get_result")
		samples["stored"] = ids.size()
		samples["storing_usec"] = _stored_usec - started_usec
	if load_kind != "nothing":
		samples["health"] = Engine.get_singleton(&"MemoryServer").call(&"health")
	return samples


func _prepare(input: Dictionary) -> String:
	var server: Object = Engine.get_singleton(&"MemoryServer")
	var now: float = input["now"]
	server.call(&"set_clock", func() -> float: return now)
	if server.call(&"open_save", input["save"]) != OK:
		return "The save could not be opened; the messages above say why."
	for npc_id: String in input["npcs"]:
		var npc: Node = ClassDB.instantiate(&"RAGMemory")
		npc.set(&"npc_id", npc_id)
		add_child(npc)
		_npcs.append(npc)
		_dialogues[npc] = (load("res://addons/rag_memory/language/npc_dialogue.gd") as Script).call(
			"new"
		)
		npc.add_child(_dialogues[npc])
		await (npc.call(&"retrieve_scored_async", "Good morning.").get(&"completed") as Signal)
	return ""


## One NPC's life: a question, every fourth time a memory, every sixteenth a talk; the next when
## that is answered.
func _live(npc: Node) -> void:
	while _is_running:
		_asked += 1
		var request: Object = null
		if _asked % 4 == 0:
			_stored += 1
			var text: String = _texts[_asked % _texts.size()]
			request = npc.call(&"store_async", "%s (%d)" % [text, _asked])
		elif _asked % 16 == 1:
			_talks += 1
			request = _dialogues[npc].call(&"say", _questions[_asked % _questions.size()])
		else:
			request = npc.call(&"retrieve_scored_async", _questions[_asked % _questions.size()])
		await (request.get(&"completed") as Signal)
		_answered += 1
		if not str(request.call(&"get_error")).is_empty():
			_failed += 1


## The player speaks to one NPC after the other, and all others overhear it; the next line when that
## is stored.
func _talk_in_the_square() -> void:
	while _is_running:
		var npc: Node = _npcs[_asked % _npcs.size()]
		var others: Array = _npcs.filter(func(other: Node) -> bool: return other != npc)
		var ids: Array = others.map(func(other: Node) -> String: return other.get(&"npc_id"))
		_asked += 1
		_talks += 1
		var line: String = "%s (%d)" % [_texts[_asked % _texts.size()], _asked]
		var request: Object = npc.call(&"store_turn_async", line, "I see.", {"bystanders": ids})
		await (request.get(&"completed") as Signal)
		_answered += 1
		if not str(request.call(&"get_error")).is_empty():
			_failed += 1


func _batch(count: int) -> Array[Dictionary]:
	var batch: Array[Dictionary] = []
	for number: int in count:
		batch.append({"text": "%s (%d)" % [_texts[number % _texts.size()], number]})
	return batch


## The time from each frame to the next one, for this long.
func _frames(seconds: float) -> PackedInt64Array:
	var times_usec := PackedInt64Array()
	var started_usec: int = Time.get_ticks_usec()
	var last_usec: int = started_usec
	while last_usec - started_usec < seconds * 1e6:
		await get_tree().process_frame
		var now_usec: int = Time.get_ticks_usec()
		times_usec.append(now_usec - last_usec)
		last_usec = now_usec
	return times_usec

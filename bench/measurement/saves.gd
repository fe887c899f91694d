extends Node
## What copying, restoring and consolidating a large save costs the game that goes on meanwhile.

const FRAMES_PER_SECOND := 60
const IDLE_FRAMES := 180

var _frames_usec: Array[int] = []
var _calls_usec: Array[int] = []
var _asks := false
var _npc: RAGMemory
var _other: RAGMemory


func measure(input: Dictionary) -> Dictionary:
	var now: float = input["now"]
	MemoryServer.set_clock(func() -> float: return now)
	if MemoryServer.open_save(input["save"] as String) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	_npc = _loaded(input["npc"] as String)
	_other = _loaded(input["other_npc"] as String)
	Engine.max_fps = FRAMES_PER_SECOND
	var samples := {"idle": await _during(func() -> MemoryRequest: return null)}
	print("frames at rest measured")
	samples["snapshot"] = await _during(MemoryServer.snapshot_async.bind("bench"))
	_asks = true
	samples["snapshot_asked"] = await _during(MemoryServer.snapshot_async.bind("bench"))
	print("snapshots measured")
	samples["consolidate"] = await _during(_npc.consolidate_async)
	print("consolidation measured")
	_asks = false
	samples["restore"] = await _during(MemoryServer.restore_async.bind("bench"))
	samples["rollback"] = await _during(MemoryServer.rollback_to_async.bind(now - 3600.0))
	for each: Dictionary in samples.values():
		if each["error"]:
			return {"problem": each["error"]}
	samples["health"] = MemoryServer.health()
	samples["engine"] = Engine.get_version_info()["string"]
	return samples


func _loaded(npc_id: String) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	add_child(memory)
	memory.retrieve_scored("Good morning.")
	return memory


## How long a call takes, every frame until it is done, and, where the other NPC is asked in each
## frame, how long her answers took.
func _during(start: Callable) -> Dictionary:
	_frames_usec.clear()
	_calls_usec.clear()
	await get_tree().process_frame
	var started := Time.get_ticks_usec()
	var frame_begun := started
	var request: MemoryRequest = start.call()
	while _frames_usec.size() < IDLE_FRAMES if request == null else not request.is_completed():
		await get_tree().process_frame
		var frame_ended := Time.get_ticks_usec()
		_frames_usec.append(frame_ended - frame_begun)
		frame_begun = frame_ended
		if _asks:
			_other.get_memory_count()
			_calls_usec.append(Time.get_ticks_usec() - frame_begun)
	return {
		"usec": Time.get_ticks_usec() - started,
		"frames_usec": _frames_usec.duplicate(),
		"calls_usec": _calls_usec.duplicate(),
		"error": "" if request == null else request.get_error(),
	}

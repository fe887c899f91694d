extends Node
## What questions to an NPC with many memories cost.

const FrameClock := preload("frame_clock.gd")
const ProcessMemory := preload("process_memory.gd")
const WARM_UP_QUESTIONS := 5
const IDLE_FRAMES_BETWEEN := 4

var _memory: RAGMemory


func measure(input: Dictionary) -> Dictionary:
	var now: float = input["now"]
	var save_id: String = input["save"]
	var distinct: Array = input["distinct_questions"]
	var asynchronous: Array = input["asynchronous_questions"]
	MemoryServer.set_clock(func() -> float: return now)
	if MemoryServer.open_save(save_id) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	_memory = RAGMemory.new()
	_memory.npc_id = input["npc"]
	_memory.set_relationship_state({"trust": 45, "affection": 20, "respect": 30, "familiarity": 10})
	add_child(_memory)
	for index: int in WARM_UP_QUESTIONS:
		_memory.retrieve_scored("Good morning, that is greeting number %d." % index)

	var clock := FrameClock.new(get_tree(), input["sleep_usec"])
	var recalled_counts: Array[int] = []
	var samples: Dictionary = {
		"whole_usec": await _ask_all(distinct, recalled_counts),
		"known_usec": await _ask_all(distinct, []),
		"recalled_counts": recalled_counts,
		"answer_bytes": _answer_bytes(distinct),
	}
	samples["call_usec"] = await _ask_all_async(asynchronous, clock)
	samples["waiting_usec"] = clock.costs_usec(FrameClock.Kind.WAITING)
	samples["delivery_usec"] = clock.costs_usec(FrameClock.Kind.DELIVERY)
	samples["release_usec"] = clock.costs_usec(FrameClock.Kind.RELEASE)
	samples["resident_kb"] = ProcessMemory.resident_kb()
	samples["health"] = MemoryServer.health()
	samples["engine"] = Engine.get_version_info()["string"]
	return samples


## Asks one question per frame, as a game does; how long each answer took.
func _ask_all(questions: Array, recalled_counts: Array[int]) -> Array[int]:
	var times_usec: Array[int] = []
	for question: String in questions:
		await get_tree().process_frame
		var started_usec: int = Time.get_ticks_usec()
		var recalled: Array[Dictionary] = _memory.retrieve_scored(question)
		times_usec.append(Time.get_ticks_usec() - started_usec)
		recalled_counts.append(recalled.size())
		# Freed here: it must not count as a part of the next answer.
		recalled.clear()
	print("%d questions answered" % questions.size())
	return times_usec


## The size of each of these answers in the engine's own format.
func _answer_bytes(questions: Array) -> Array[int]:
	var sizes: Array[int] = []
	for question: String in questions:
		sizes.append(var_to_bytes(_memory.retrieve_scored(question)).size())
	return sizes


## Asks without waiting; how long each call took. The clock learns in which frame what happened.
func _ask_all_async(questions: Array, clock: FrameClock) -> Array[int]:
	var times_usec: Array[int] = []
	for question: String in questions:
		for _frame: int in IDLE_FRAMES_BETWEEN:
			await get_tree().process_frame
		var started_usec: int = Time.get_ticks_usec()
		var request: MemoryRequest = _memory.retrieve_scored_async(question)
		times_usec.append(Time.get_ticks_usec() - started_usec)
		clock.note(FrameClock.Kind.CALL)
		clock.background = FrameClock.Kind.WAITING
		var recalled: Array = await request.completed
		clock.note(FrameClock.Kind.DELIVERY)
		clock.background = FrameClock.Kind.IDLE
		await get_tree().process_frame
		await get_tree().process_frame
		# Dropping an answer is the game's own doing, so it is measured apart.
		request = null
		recalled = []
		clock.note(FrameClock.Kind.RELEASE)
	print("%d questions answered without waiting" % questions.size())
	return times_usec

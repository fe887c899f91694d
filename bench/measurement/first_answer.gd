extends Node
## How long the first answer takes in a game that was just started and has a save with memories.

const WARM_UP_FRAMES := 5


func measure(input: Dictionary) -> Dictionary:
	var now: float = input["now"]
	var save_id: String = input["save"]
	var question: String = input["question"]
	var preloads: bool = input["preload"]
	for _frame: int in WARM_UP_FRAMES:
		await get_tree().process_frame

	var samples: Dictionary = {}
	if preloads:
		var preload_usec: int = Time.get_ticks_usec()
		await MemoryServer.preload().completed
		samples["preload_usec"] = Time.get_ticks_usec() - preload_usec
	var started_usec: int = Time.get_ticks_usec()
	MemoryServer.set_clock(func() -> float: return now)
	var opened: Error = MemoryServer.open_save(save_id)
	var opened_usec: int = Time.get_ticks_usec()
	var memory := RAGMemory.new()
	memory.npc_id = input["npc"]
	add_child(memory)
	var recalled: Array[Dictionary] = memory.retrieve_scored(question)
	var answered_usec: int = Time.get_ticks_usec()
	if opened != OK or recalled.is_empty():
		return {"problem": "There was no answer; the messages above say why."}
	samples["opened_usec"] = opened_usec - started_usec
	samples["answered_usec"] = answered_usec - started_usec
	return samples

extends Node
## What a single memory costs an NPC who has many, and what it makes the next question cost.


func measure(input: Dictionary) -> Dictionary:
	var memories: Array = input["memories"]
	var questions: Array = input["questions"]
	var now: float = input["now"]
	var save_id: String = input["save"]
	MemoryServer.set_clock(func() -> float: return now)
	if MemoryServer.open_save(save_id) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	var memory := RAGMemory.new()
	memory.npc_id = input["npc"]
	add_child(memory)
	# A game asks before it stores: the first question loads what later stores have to keep up to date.
	memory.retrieve_scored("Hello there.")

	var store_usec: Array[int] = []
	var asked_usec: Array[int] = []
	for index: int in memories.size():
		var single: Dictionary = memories[index]
		var text: String = single["text"]
		var importance: int = single["importance"]
		var data: Dictionary = single["data"]
		var question: String = questions[index]
		await get_tree().process_frame
		var started_usec: int = Time.get_ticks_usec()
		var id: String = memory.store(text, importance, data)
		store_usec.append(Time.get_ticks_usec() - started_usec)
		if id.is_empty():
			return {"problem": "A memory was not stored; the messages above say why."}
		await get_tree().process_frame
		started_usec = Time.get_ticks_usec()
		var recalled: Array[Dictionary] = memory.retrieve_scored(question)
		asked_usec.append(Time.get_ticks_usec() - started_usec)
		recalled.clear()

	var expected: int = input["expected_count"]
	var count: int = memory.get_memory_count()
	if count != expected:
		return {"problem": "There are %d memories instead of %d." % [count, expected]}
	MemoryServer.close_save()
	return {"store_usec": store_usec, "asked_after_store_usec": asked_usec}

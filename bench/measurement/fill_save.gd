extends Node
## Makes the save that everything else is measured with.

const BATCH_SIZE := 100


func measure(input: Dictionary) -> Dictionary:
	var memories: Array = input["memories"]
	var now: float = input["now"]
	var save_id: String = input["save"]
	MemoryServer.set_clock(func() -> float: return now)
	var opened: Error = MemoryServer.open_save(save_id)
	if opened != OK:
		return {"problem": "The save could not be opened: %s." % error_string(opened)}
	var memory := RAGMemory.new()
	memory.npc_id = input["npc"]
	add_child(memory)

	for first: int in range(0, memories.size(), BATCH_SIZE):
		var batch: Array[Dictionary] = []
		batch.assign(memories.slice(first, first + BATCH_SIZE))
		var request: MemoryRequest = memory.store_batch_async(batch)
		await request.completed
		if not request.get_error().is_empty():
			return {"problem": request.get_error()}
		print("%d of %d memories stored" % [first + batch.size(), memories.size()])

	var closed: Error = MemoryServer.close_save()
	return {} if closed == OK else {"problem": "The save could not be closed."}

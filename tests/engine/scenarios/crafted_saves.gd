# Opens each save named by an argument as a game does, a second time where that fails, and uses it.
extends "scenario.gd"

const QUESTION := "Who mends the roof of the mill?"


func play() -> void:
	var memories: Array[RAGMemory] = [make_memory("elena"), make_memory("bjorn")]
	for save_id in arguments:
		await use(save_id, memories)


func use(save_id: String, memories: Array[RAGMemory]) -> void:
	var problems: Array[String] = []
	for attempt in 2:
		var opening := MemoryServer.open_save_async(save_id)
		await opening.completed
		if opening.get_error().is_empty():
			break
		problems.append(opening.get_error())
	say("opened", [save_id, MemoryServer.current_save() == save_id, problems])
	if MemoryServer.current_save() != save_id:
		return
	for memory in memories:
		await memory.retrieve_scored_async(QUESTION).completed
		await memory.store_async("The bridge is out.").completed
		await memory.get_recent_async(100).completed
	await MemoryServer.snapshot_async("manual").completed
	await MemoryServer.restore_async("manual").completed
	var asking := memories[0].retrieve_scored_async("Where is the bridge?")
	await asking.completed
	say("used", [save_id, asking.get_error()])
	await MemoryServer.close_save_async().completed

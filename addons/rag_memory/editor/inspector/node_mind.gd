@tool
extends Node
## Answers the questions of the panel of an [NPCMind] from the save that is open in the editor.
## Answers are signals: whoever asked may be gone by then.

## Emitted after [method overview]: [code]emotion[/code], [code]dispositions[/code],
## [code]interactions[/code], [code]gathered[/code] and [code]error[/code].
signal overview_read(npc_id: String, overview: Dictionary)
## Emitted after [method reflect]: [code]insights[/code] (texts) and [code]error[/code].
signal reflected(npc_id: String, answer: Dictionary)


## Reads what an NPC feels, and the last things that happened to her.
func overview(memory: RAGMemory, config: NPCMindConfig, count: int) -> void:
	var mind := _mind(memory, config)
	var requests: Dictionary[String, MemoryRequest] = {
		"emotion": mind.get_emotion_async(),
		"dispositions": mind.get_dispositions_async(),
		"interactions": mind.get_interactions_async("", count),
		"gathered": mind.get_importance_since_reflection_async(),
	}
	overview_read.emit(memory.npc_id, await _answers(mind, requests))


## Lets an NPC draw conclusions now, which are stored in the open save.
func reflect(memory: RAGMemory, config: NPCMindConfig) -> void:
	var npc_id := memory.npc_id
	var mind := _mind(memory, config)
	var request := mind.reflect_async(true)
	await request.completed
	var requests: Dictionary[String, MemoryRequest] = {}
	for id: String in request.get_result():
		requests[id] = (mind.get_parent() as RAGMemory).get_memory_async(id)
	var memories := await _answers(mind, requests)
	var error: String = request.get_error() + str(memories["error"])
	memories.erase("error")
	var texts := memories.values().map(
		func(record: Dictionary) -> String:
			return record.get("document_full", record.get("document", ""))
	)
	reflected.emit(npc_id, {"insights": texts, "error": error})


# The results by name, and the errors in one text.
func _answers(mind: NPCMind, requests: Dictionary[String, MemoryRequest]) -> Dictionary:
	var answers := {"error": ""}
	for name in requests:
		if not requests[name].is_completed():
			await requests[name].completed
		answers[name] = requests[name].get_result()
		answers["error"] += requests[name].get_error()
	mind.get_parent().queue_free()
	return answers


# The nodes of the edited scene stay asleep; this one is of the same NPC. It never reflects unasked.
func _mind(of: RAGMemory, config: NPCMindConfig) -> NPCMind:
	var memory := RAGMemory.new()
	memory.npc_id = of.npc_id
	memory.config = of.config
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new() if config == null else config.duplicate() as NPCMindConfig
	mind.config.auto_reflect = false
	memory.add_child(mind)
	add_child(memory)
	return mind

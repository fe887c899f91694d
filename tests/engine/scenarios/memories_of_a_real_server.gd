# Gives a real server to every property of MemoryServer that takes a language model, and says what
# came of it: of the model, or without it when it writes rubbish.
extends "res://tests/engine/scenarios/scenario.gd"

const PATIENCE_SECONDS := 600.0

var _model := NPCOpenAILanguageModel.new()


func play() -> void:
	_model.base_url = arguments[0]
	_model.timeout_seconds = PATIENCE_SECONDS
	_model.max_tokens = 200
	for work: String in [
		"summarizer",
		"extractor",
		"reflector",
		"sentiment_analyzer",
		"profile_writer",
		"debate_writer",
	]:
		var before := _model.get_usage()
		MemoryServer.set(work, _model)
		var result: Variant = await call("_" + work)
		MemoryServer.set(work, null)
		var usage := _model.get_usage()
		var calls: int = usage["calls"] - before["calls"]
		var failed: int = usage["failed"] - before["failed"]
		say(work, {"calls": calls, "failed": failed, "result": result})


func _patient_memory(npc_id: String) -> RAGMemory:
	var memory := make_memory(npc_id)
	memory.config = MemoryConfig.new()
	memory.config.summarizer_timeout_seconds = PATIENCE_SECONDS
	memory.config.lasting_kinds = ["fact", "reflection"]
	return memory


func _summarizer() -> Array[String]:
	var memory := _patient_memory("elena")
	var talks: Array[Dictionary] = []
	for number in 60:
		var text := "Rowan asked for bread number %d." % number
		talks.append({"text": text, "importance": 3, "event_type": "talk"})
	memory.store_batch(talks)
	var report: Dictionary = await memory.consolidate_async().completed
	return _texts(memory, report["summary_ids"])


func _extractor() -> Array[String]:
	var memory := _patient_memory("marla")
	await memory.store_turn_async("I promise to bring you a lantern.", "I thank you.").completed
	var ids := PackedStringArray()
	for found: Dictionary in memory.retrieve_relevant_raw(""):
		ids.append(found["id"])
	return _texts(memory, ids)


func _reflector() -> Array[String]:
	var memory := _patient_memory("osric")
	var mind := NPCMind.new()
	memory.add_child(mind)
	for what: String in ["bread", "a coat", "firewood", "soup"]:
		var event := {"action": "helped", "source_id": "player", "content": what + " for the poor"}
		await mind.perceive_async(event).completed
	return _texts(memory, await mind.reflect_async(true).completed)


func _sentiment_analyzer() -> int:
	var memory := _patient_memory("edda")
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new()
	mind.config.sentiment_mode = NPCMindConfig.MODEL
	memory.add_child(mind)
	return await mind.analyze_sentiment_async("You filthy thief, I hate you.").completed


func _profile_writer() -> Dictionary:
	MemoryWorld.register_character("tilda", {"name": "Tilda", "role": "fisher"})
	return await MemoryWorld.ensure_profile_async("tilda").completed


func _debate_writer() -> Dictionary:
	var debate := {"topic": "Shall we burn the bridge?", "participants": ["tilda", "osric"]}
	await MemoryWorld.record_debate_async(debate).completed
	return MemoryWorld.search_debates("the bridge")[0]


func _texts(memory: RAGMemory, ids: PackedStringArray) -> Array[String]:
	var texts: Array[String] = []
	for id in ids:
		texts.append(memory.get_memory(id)["document_full"])
	return texts

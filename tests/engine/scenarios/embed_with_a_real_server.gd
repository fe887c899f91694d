# Compares memories with a real server, loses it when the test kills it, and finds it again.
extends "res://tests/engine/scenarios/scenario.gd"

var _memory: RAGMemory


func play() -> void:
	var model := MemoryOpenAIEmbedding.new()
	model.base_url = arguments[0]
	model.timeout_seconds = 200.0  # Of a busy machine, for sixteen texts at once.
	MemoryServer.open_save("built_in")
	_memory = make_memory("elena")
	_memory.store("The smith's daughter married a sailor.")
	MemoryServer.close_save()
	MemoryServer.embedding_model = model
	say("open", MemoryServer.open_save("built_in"))
	await _all_embedded()
	say("health", _health())
	var batch: Array[Dictionary] = []
	for number: int in 40:
		batch.append({"text": "Sack number %d was sold at the mill." % number})
	await _memory.store_batch_async(batch).completed
	_memory.store("A dragon burned the barn.")
	say("missing", MemoryServer.health()["save"]["missing_vectors"])
	say("sync", _found(_memory.retrieve_scored("Which barn was burned by the dragon?")))
	var asked := _memory.retrieve_scored_async("Who sold sacks at the mill?")
	say("async", _found(await asked.completed as Array[Dictionary]))
	say("ready", true)
	while not FileAccess.file_exists("user://killed"):
		await process_frame
	_memory.store("The king lost his crown in the river.")
	say("by_words", _found(_memory.retrieve_scored("Who lost the crown?")))
	say("fault", MemoryServer.health()["model_error"])
	say("missing_meanwhile", MemoryServer.health()["save"]["missing_vectors"])
	MemoryServer.close_save()
	say("open_without", MemoryServer.open_save("built_in"))
	say("still_there", _memory.get_memory_count())
	say("gone", true)
	await _all_embedded()
	say("again", _found(_memory.retrieve_scored("Who lost the crown?")))
	say("count", _memory.get_memory_count())
	say("health_again", _health())


func _all_embedded() -> void:
	while (
		MemoryServer.health()["save"]["missing_vectors"] > 0 or MemoryServer.health()["model_error"]
	):
		await process_frame


func _health() -> Dictionary:
	var health := MemoryServer.health()
	return {"state": health["state"], "model": health["model"], "dimension": health["dimension"]}


func _found(memories: Array[Dictionary]) -> Array:
	return memories.map(func(each: Dictionary) -> String: return each["document_full"])

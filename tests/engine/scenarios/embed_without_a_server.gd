# Opens its first save with an embedding model whose server is not there.
extends "res://tests/engine/scenarios/scenario.gd"


func play() -> void:
	MemoryServer.runtime_ready.connect(func() -> void: say("ready", true))
	MemoryServer.runtime_failed.connect(func(error: String) -> void: say("failed", error))
	var model := MemoryOpenAIEmbedding.new()
	model.base_url = "http://127.0.0.1:1/v1"
	MemoryServer.embedding_model = model
	say("open", MemoryServer.open_save("slot"))
	var memory := make_memory("elena")
	memory.store("A dragon burned the barn.")
	var fleeting := RAGMemory.new()
	fleeting.npc_id = "cat"
	fleeting.persistent = false
	root.add_child(fleeting)
	fleeting.store("A mouse lives behind the oven.")
	say("found", _texts(memory.retrieve_scored("Who burned the barn?")))
	say("fleeting", _texts(fleeting.retrieve_scored("Where does the mouse live?")))
	say("health", MemoryServer.health())
	while not MemoryServer.get_activity()["model_is_away"]:
		await frames(1)
	var activity := MemoryServer.get_activity()
	activity.erase("nodes")
	say("activity", activity)
	await frames(10)


func _texts(memories: Array[Dictionary]) -> Array:
	return memories.map(func(each: Dictionary) -> String: return each["document_full"])

# Quits while a server hangs that was asked for vectors, by a call and by work nobody waits for.
extends "res://tests/engine/scenarios/scenario.gd"

const EmbeddingServer := preload("res://tests/engine/language/embedding_server.gd")

var _server: EmbeddingServer


func _finalize() -> void:
	_server.close()


func play() -> void:
	_server = EmbeddingServer.new()
	var model := _server.embedding()
	model.timeout_seconds = 20.0
	MemoryServer.embedding_model = model
	MemoryServer.open_save("default")
	var memory := make_memory("elena")
	memory.store("A dragon burned the barn.")
	say("missing", MemoryServer.health()["save"]["missing_vectors"])
	_server.does = "hangs"
	var asked := _server.requests.size()
	memory.store_async("The miller sold three sacks.")
	memory.store_async("The king lost his crown.")
	while _server.requests.size() == asked:
		await process_frame
	say("hangs", true)

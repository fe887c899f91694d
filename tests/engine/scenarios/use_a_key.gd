# Asks a server that says the key again in whatever it can, and saves what a game may save.
extends "res://tests/engine/scenarios/scenario.gd"

const ScriptedServer := preload("res://tests/engine/language/scripted_server.gd")


func play() -> void:
	var key := OS.get_environment("RAG_TEST_KEY")
	var body := '{"error":{"message":"wrong: %s"}}' % key
	var head := "HTTP/1.1 %s\r\nX-Echo: %s\r\nContent-Length: %d\r\n\r\n%s"
	var event := 'data: {"error":{"message":"%s"}}\n\n' % key
	var server := (
		ScriptedServer
		. new(
			[
				head % ["401 No", key, body.length(), body],
				"HTTP/1.1 302 Away\r\nLocation: http://a.example/%s\r\n\r\n" % key,
				"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n" % key,
				ScriptedServer.OK_HEAD + event,
				ScriptedServer.OK_HEAD + ScriptedServer.events(["Mira."]),
			]
		)
	)
	var model := server.model()
	model.api_key_variable = "RAG_TEST_KEY"
	var problems := PackedStringArray()
	for time in 5:
		var request := model.generate_async([{"role": "user", "content": "Who are you?"}])
		await request.completed
		problems.append(request.get_error())
		if request.get_error():
			push_error(request.get_error())
	server.close()
	say("had_key", server.requests.all(func(each: String) -> bool: return key in each))
	say("problems", problems)
	say("usage", model.get_usage())
	var memory := make_memory("mira")
	memory.store("The player asked who I am.")
	memory.set_meta("model", model)
	var scene := PackedScene.new()
	scene.pack(memory)
	ResourceSaver.save(scene, "user://scene.tscn")
	ResourceSaver.save(model, "user://model.tres")

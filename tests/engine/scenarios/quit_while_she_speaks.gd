# Quits in the middle of an answer, while another question waits and a function of the game answers.
extends "res://tests/engine/scenarios/scenario.gd"

const ScriptedServer := preload("res://tests/engine/language/scripted_server.gd")

var _server: ScriptedServer


func _finalize() -> void:
	_server.close()


func play() -> void:
	var event := JSON.stringify({"choices": [{"delta": {"content": '{"response": "The mill'}}]})
	_server = ScriptedServer.new([[ScriptedServer.OK_HEAD + "data: %s\n\n" % event, 60000]])
	var model := _server.model()
	model.max_parallel_calls = 1
	var memory := make_memory("mira")
	var dialogue := NPCDialogue.new()
	dialogue.model = model
	memory.add_child(dialogue)
	var heard: Array = []
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	dialogue.say("What happened?")
	var slow := NPCCallableLanguageModel.new()
	slow.callable = func(_messages: Array, _options: Dictionary) -> String:
		await create_timer(600.0).timeout
		return "late"
	slow.generate_async([{"role": "user", "content": "Who are you?"}])
	while heard.is_empty():
		await process_frame
	say("heard", heard)
	model.generate_async([{"role": "user", "content": "Who are you?"}], {"priority": "background"})

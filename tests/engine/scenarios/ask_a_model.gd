# Asks a language model that is a function of the game.
extends "scenario.gd"


func play() -> void:
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String:
		return "<think>No.</think>Yes."
	var request := model.generate_async([{"role": "user", "content": "Are you here?"}])
	say("answer", await request.completed)
	say("error", request.get_error())

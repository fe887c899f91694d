# Asks a real server, loses it in mid-stream when the test kills it, and asks it again.
extends "res://tests/engine/scenarios/scenario.gd"

const QUESTION: Array = [{"role": "user", "content": "Tell me a long story of a village."}]
const SCHEMA := {
	"type": "object",
	"properties": {"mood": {"type": "string", "enum": ["glad", "sad"]}},
	"required": ["mood"],
}

var _chunks := 0


func play() -> void:
	var model := NPCOpenAILanguageModel.new()
	model.base_url = arguments[0]
	model.timeout_seconds = 300.0
	model.chunk.connect(func(_request: MemoryRequest, _text: String) -> void: _chunks += 1)
	say("available", await model.is_available_async().completed)
	say("models", await model.get_models_async().completed)
	await _ask("chat", model, {"max_tokens": 60})
	say("chunks", _chunks)
	await _ask("mood", model, {"max_tokens": 60, "json_schema": SCHEMA})
	await _talk(model)
	var first := model.generate_async(QUESTION, {"max_tokens": 20})
	var second := model.generate_async(QUESTION, {"max_tokens": 20})
	await first.completed
	if not second.is_completed():
		await second.completed
	say("both", [first.get_result(), second.get_result()])
	var cancelled := await _begun(model)
	cancelled.cancel()
	await _ask("after_cancel", model, {"max_tokens": 10})
	var lost := await _begun(model)
	say("streams", true)
	await lost.completed
	say("lost", lost.get_error())
	await frames(3)
	say("gone", await model.is_available_async().completed)
	while not FileAccess.file_exists("user://restarted"):
		await process_frame
	await _ask("again", model, {"max_tokens": 10})


# An NPC who answers with it, and remembers.
func _talk(model: NPCLanguageModel) -> void:
	var memory := make_memory("mira")
	memory.store("The player promised to mend the roof.", 8, {"event_type": "promise_made"})
	var dialogue := NPCDialogue.new()
	dialogue.personality = load("res://demo/villagers/mira.tres")
	dialogue.model = model
	dialogue.context_options = {"token_budget": 1200}
	memory.add_child(dialogue)
	var heard := PackedStringArray()
	dialogue.chunk.connect(func(text: String) -> void: heard.append(text))
	var options := {"max_tokens": 200, "temperature": 0.0}
	var answer: Dictionary = await dialogue.say("What about your roof?", options).completed
	say("talk", {"response": answer["response"], "from_memory": answer["from_memory"]})
	say("heard", "".join(heard))
	say("turns", memory.get_turns().size())
	memory.queue_free()


func _ask(name: String, model: NPCLanguageModel, options: Dictionary) -> void:
	var request := model.generate_async(QUESTION, options)
	await request.completed
	say(name, request.get_result())
	say(name + "_error", request.get_error())


# A long answer of which some text is there.
func _begun(model: NPCLanguageModel) -> MemoryRequest:
	var before := _chunks
	var request := model.generate_async(QUESTION, {"max_tokens": 3000})
	while _chunks == before:
		await process_frame
	return request

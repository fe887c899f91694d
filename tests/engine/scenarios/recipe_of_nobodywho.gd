# The recipe for NobodyWho of docs/recipes.md (res://recipe.gd), with a node of ours in the place of
# NobodyWhoChat.
extends "res://tests/engine/scenarios/recipe.gd"

var _dialogue: NPCDialogue
var _chat: NobodyWhoStandIn


func play() -> void:
	var script: GDScript = load("res://recipe.gd")
	_add_nodes(script)
	_dialogue = _npc.get_node("RAGMemory/NPCDialogue")
	_chat = _npc.get_node("NobodyWhoChat")
	_dialogue.model.answer_habit = 2  # So that the first answer comes word by word.
	await _say("first", "What about my roof?")
	say("calls", _chat.calls)
	var heard: Array[String] = []
	_dialogue.chunk.connect(heard.append)
	var tokens := _chat.tokens.duplicate()
	for number in 50:
		_chat.tokens.append_array(tokens)
	var cancelled := _dialogue.say("What about my door?")
	while heard.is_empty():
		await process_frame
	_chat.tokens.assign(tokens)
	_dialogue.say("What about my well?")
	await cancelled.completed
	await _say("second", "What about my cow?")
	say("stopped", ["stop_generation"] in _chat.calls)
	say("most_at_once", _chat.most_at_once)
	_chat.tokens.clear()
	await _say("failed", "What about my cat?")


func _say(name: String, line: String) -> void:
	var answer: Dictionary = await _dialogue.say(line).completed
	say(name, [answer["response"], answer["from_memory"]])

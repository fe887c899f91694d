# A host and two clients: the second example of docs/multiplayer.md, with a model that says a word a
# frame.
extends "res://tests/engine/scenarios/multiplayer.gd"

const ANSWERS: Dictionary[String, String] = {
	"key": "You hid the key.", "mill": "You burned the mill.", "host": "You host the game."
}

var _pieces: Array[int] = [0, 0, 0]
var _asked := 0
var _is_cancelled := false


func play() -> void:
	await _connect_all()
	var host: Node = _sides[2]
	host.model = _model(true)
	for number in 2:
		_sides[number].model = _model(false)
	host.personalities["mira"] = load("res://demo/villagers/mira.tres")
	for number in 3:
		_sides[number].say_to("mira", SECRETS[number])
	while not _answers == ANSWERS.values():
		await process_frame
	say("heard", _answers)
	say("pieces", _pieces)
	say("asked_by_clients", _asked)
	say("nodes_of_clients", [_sides[0].get_child_count(), _sides[1].get_child_count()])
	_answers.assign(["", "", ""])
	_sides[0].say_to("nobody", "Where is the key?")
	_sides[0].rpc_id(1, &"_tell", "mira", "I am Mira, trust Alice.")
	_sides[1].say_to("mira", SECRETS[1])
	while _answers[1] != ANSWERS["mill"]:
		await process_frame
	say("forged", _answers.filter(func(text: String) -> bool: return text and text != _answers[1]))
	_answers.assign(["", "", ""])
	_sides[0].say_to("mira", "Say the key without an end.")
	while not _answers[0]:
		await process_frame
	_sides[0].multiplayer.multiplayer_peer.close()
	while not _is_cancelled:
		await process_frame
	say("cancelled", true)
	await frames(10)


func _listen(side: Node, number: int) -> void:
	side.heard.connect(
		func(_npc_id: String, words: String) -> void:
			_answers[number] += words
			_pieces[number] += 1
	)


func _model(is_of_the_server: bool) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.max_parallel_calls = 3
	model.answer_habit = 2
	model.callable = func(messages: Array, options: Dictionary) -> String:
		_asked += 0 if is_of_the_server else 1
		var line: String = messages[-1]["content"]
		options["on_chunk"].call('{"response": "')
		while "without an end" in line and not options["request"].is_cancelled():
			await process_frame
			options["on_chunk"].call("key ")
		_is_cancelled = options["request"].is_cancelled()
		for part: String in ANSWERS:
			if part in line:
				for word: String in ANSWERS[part].split(" "):
					options["on_chunk"].call(word + ("" if word.ends_with(".") else " "))
					await process_frame
		options["on_chunk"].call('"}')
		return ""
	return model

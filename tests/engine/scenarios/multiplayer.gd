# A host and two clients in one process, each with a network of its own: the example of
# docs/multiplayer.md, with a model that says a word a frame.
extends "scenario.gd"

const SECRETS: Array[String] = [
	"I hid the silver key under the well.",
	"I burned the mill down.",
	"I am the one to host the game.",
]
const ANSWERS: Dictionary[String, String] = {
	"key": "You hid the key.", "mill": "You burned the mill.", "host": "You host the game."
}

var _sides: Array[Node] = []
var _answers: Array[String] = ["", "", ""]
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
	var memories: Array[Node] = host.get_children()
	var secrets := ["[]"]
	while "[]" in secrets:  # Words are heard before the exchange is stored.
		await process_frame
		secrets = memories.map(_secrets_in)
	say("memories", secrets)
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


# The numbers of the players whose secret the NPC remembers here.
func _secrets_in(memory: RAGMemory) -> String:
	var texts := str(memory.get_recent(20))
	var numbers := range(SECRETS.size()).filter(
		func(number: int) -> bool: return SECRETS[number] in texts
	)
	return str(numbers)


func _connect_all() -> void:
	MemoryServer.open_save("world")
	var port := 0
	var server := ENetMultiplayerPeer.new()
	for attempt in range(20000, 20100):
		if server.create_server(attempt, 4) == OK:
			port = attempt
			break
	_add_side("Alice", null)
	_add_side("Bob", null)
	_add_side("Host", server)
	for side in 2:
		var client := ENetMultiplayerPeer.new()
		client.create_client("127.0.0.1", port)
		_sides[side].multiplayer.multiplayer_peer = client
	while _sides[2].multiplayer.get_peers().size() < 2:
		await process_frame


func _add_side(name: String, peer: MultiplayerPeer) -> void:
	var branch := Node.new()
	branch.name = name
	root.add_child(branch)
	var network := SceneMultiplayer.new()
	set_multiplayer(network, branch.get_path())
	network.multiplayer_peer = peer
	var side: Node = load("res://dialogue.gd").new()
	side.name = "Dialogue"
	branch.add_child(side)
	_listen(side, _sides.size())
	_sides.append(side)


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

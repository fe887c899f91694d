# A host and two clients in one process, each with a network of its own: the example of
# docs/multiplayer.md.
extends "scenario.gd"

const SECRETS: Array[String] = [
	"I hid the silver key under the well.",
	"I burned the mill down.",
	"I am the one to host the game.",
]

var _sides: Array[Node] = []
var _answers: Array[String] = ["", "", ""]
var _count := 0


func play() -> void:
	await _connect_all()
	await _all_say(SECRETS)
	say("first_answers", _answers)
	await _all_say(SECRETS)
	say("second_answers", _answers)
	_sides[0].say_to("nobody", "Who are you?")
	var heard := _count
	_sides[0].rpc_id(1, &"_tell", "mira", "I am Mira, trust Alice.")
	_sides[1].say_to("mira", "Who burned it?")
	while _count == heard:
		await process_frame
	await frames(5)
	say("forged", _count - heard - 1)
	say("npcs", MemoryServer.list_npcs())
	say("nodes_of_clients", [_sides[0].get_child_count(), _sides[1].get_child_count()])


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
	side.answered.connect(
		func(_npc_id: String, line: String) -> void:
			_answers[number] = line
			_count += 1
	)


func _all_say(lines: Array[String]) -> void:
	_count = 0
	for number in 3:
		_sides[number].say_to("mira", lines[number])
	while _count < 3:
		await process_frame

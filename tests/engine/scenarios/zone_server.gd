# A zone of a world of many game servers; tests and `build.py bench cluster` start it. Its argument
# is the path of a JSON file:
#   save, zone           what it opens, and what it is called
#   storage, bus         values of a MemoryPostgresStorage and a MemoryEventBus; null for
#                        a game played alone
#   npcs, asked          ids of those who live here, and of those who are asked
#   questions            what they are asked
#   asks_per_second, perceives_per_second
#   seconds              when it stops by itself; 0: when it is told to
# Commands of the bus to the zone's name: "/stop", and "/take FILE", a JSON array of more NPCs.
extends "scenario.gd"

const FRAMES_PER_SECOND := 60
const SAID_EVERY := 20

var told: Dictionary = {}
var minds: Dictionary[String, NPCMind] = {}
var memories: Dictionary[String, RAGMemory] = {}
var taken_usec := PackedInt64Array()
var own_count := 0
var asked_count := 0
var is_stopping := false
var random := RandomNumberGenerator.new()


func play() -> void:
	Engine.max_fps = FRAMES_PER_SECOND
	told = JSON.parse_string(FileAccess.get_file_as_string(arguments[0]))
	random.seed = hash(told["zone"])
	MemoryServer.command.connect(_on_command)
	say("opened", _open())
	await _take(told["npcs"])
	_ask_first(told["asked"])
	if told["bus"] != null:
		var bus := MemoryEventBus.new()
		_set_all(bus, told["bus"])
		say("joined", MemoryServer.connect_bus(bus))
	await _live()
	say("bus", MemoryServer.health().get("bus"))
	MemoryServer.disconnect_bus()
	say("closed", MemoryServer.close_save())


func _open() -> Error:
	var options := {}
	if told["storage"] != null:
		var storage := MemoryPostgresStorage.new()
		_set_all(storage, told["storage"])
		options["storage"] = storage
	return MemoryServer.open_save(told["save"], options)


func _set_all(resource: Resource, values: Dictionary) -> void:
	for each: String in values:
		resource.set(each, values[each])


# Until they are this zone's: those of a server that was killed are free when the server knows it.
func _take(npc_ids: Array) -> void:
	for npc_id: String in npc_ids:
		while told["storage"] != null and MemoryServer.acquire_npc(npc_id) != OK:
			await create_timer(0.1).timeout
		var mind := NPCMind.new()
		var memory := RAGMemory.new()
		memory.npc_id = npc_id
		memory.add_child(mind)
		root.add_child(memory)
		minds[npc_id] = mind
		memories[npc_id] = memory
	say("taken", [npc_ids.size(), Time.get_unix_time_from_system()])


# The first question to an NPC reads what she remembers.
func _ask_first(npc_ids: Array) -> void:
	var first_usec := PackedInt64Array()
	for npc_id: String in npc_ids:
		first_usec.append(_ask(npc_id))
		if first_usec.size() == 1:
			say("answered_first", Time.get_unix_time_from_system())
	say("first_usec", Array(first_usec))
	say("answered_all", Time.get_unix_time_from_system())


func _live() -> void:
	var started_usec := Time.get_ticks_usec()
	var asked: Array = told["asked"]
	while not is_stopping:
		await process_frame
		var seconds: float = (Time.get_ticks_usec() - started_usec) / 1e6
		if told["seconds"] > 0 and seconds > told["seconds"]:
			break
		if asked_count < seconds * told["asks_per_second"]:
			asked_count += 1
			taken_usec.append(_ask(asked[random.randi() % asked.size()]))
			if taken_usec.size() == SAID_EVERY:
				_say_taken()
		if own_count < seconds * told["perceives_per_second"]:
			own_count += 1
			_perceive()
	_say_taken()


func _ask(npc_id: String) -> int:
	var questions: Array = told["questions"]
	var question: String = questions[random.randi() % questions.size()]
	var started_usec := Time.get_ticks_usec()
	var found := memories[npc_id].retrieve_scored(question)
	var ended_usec := Time.get_ticks_usec()
	if found.is_empty():
		say("remembered_nothing", npc_id)
	return ended_usec - started_usec


func _say_taken() -> void:
	say("asked_usec", Array(taken_usec))
	say("resident_kb", resident_memory_kb())
	taken_usec.clear()


# A call of the game itself. It is said when it has returned: from then on it may not be lost.
func _perceive() -> void:
	var npc_id: String = minds.keys()[random.randi() % minds.size()]
	var id := "own_%s_%d_%d" % [told["zone"], OS.get_process_id(), own_count]
	var questions: Array = told["questions"]
	var event := {
		"action": "spoke",
		"content": "%s %d" % [questions[own_count % questions.size()], own_count],
		"source_id": "char_%d" % (own_count % 12),
		"source_name": "Character %d" % (own_count % 12),
		"happening": id,
	}
	var started_usec := Time.get_ticks_usec()
	var result := minds[npc_id].perceive(event)
	var ended_usec := Time.get_ticks_usec()
	if not result.is_empty():
		say("own", [id, npc_id, ended_usec - started_usec])


func _on_command(npc_id: String, text: String) -> void:
	if npc_id != told["zone"]:
		return
	if text == "/stop":
		is_stopping = true
	elif text.begins_with("/take "):
		var file := text.trim_prefix("/take ")
		var wanted: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(file))
		await _take(wanted["npcs"])
		_ask_first(wanted["asked"])

# A game whose runtime does not start: what nodes and server say, and what every call returns.
extends "scenario.gd"

var _server_errors: Array[String] = []
var _node_errors: Array[String] = []
var _ready_count := 0


func play() -> void:
	MemoryServer.runtime_failed.connect(func(error: String) -> void: _server_errors.append(error))
	MemoryServer.runtime_ready.connect(func() -> void: _ready_count += 1)
	var one := _make_listening("one")
	var other := _make_listening("other")
	var config := MemoryConfig.new()
	one.config = config
	var request := one.store_async("Is anybody there?")
	say("async", [await request.completed, request.get_error()])
	var values: Array = [
		one.store("x"),
		one.store_batch([{"text": "x"}]),
		one.retrieve_scored("x"),
		one.retrieve_relevant("x"),
		one.get_recent(),
		one.get_memory("x"),
		one.forget("x"),
		one.clear_all_memories(),
		other.get_memory_count(),
		other.generate_relationship_header(),
		other.estimate_tokens("abc"),
		config.get_tier_for_event("betrayal", 5),
		config.validate_interaction_type("x"),
		MemoryServer.open_save("x"),
		MemoryServer.close_save(),
		MemoryServer.list_saves(),
		MemoryServer.delete_save("x"),
		MemoryServer.current_save(),
	]
	say("values", values)
	say("types", values.map(func(value: Variant) -> String: return type_string(typeof(value))))
	one.set_relationship_state({"trust": 5})
	MemoryServer.register_names(["Elena"])
	await frames(3)
	var latecomer := _make_listening("latecomer")
	await frames(3)
	say("preload", await MemoryServer.preload().completed)
	say("alive", is_instance_valid(one) and one.npc_id == "one" and latecomer.is_inside_tree())
	say("node_errors", _node_errors)
	say("server_errors", _server_errors)
	say("ready", _ready_count)
	say("health", MemoryServer.health())
	var dialogue := NPCDialogue.new()
	one.add_child(dialogue)
	var asked := dialogue.say("Is anybody there?")
	var answer: Dictionary = await asked.completed
	say("talk_error", answer.get("error", asked.get_error()))


func _make_listening(npc_id: String) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	memory.failed.connect(func(error: String) -> void: _node_errors.append(npc_id + ": " + error))
	root.add_child(memory)
	return memory

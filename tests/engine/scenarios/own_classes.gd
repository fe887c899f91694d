# Uses a game's own classes and autoloads, and the addon's classes under other names, which only the
# game of the test has: so they are named in a source that is compiled there.
extends "res://tests/engine/scenarios/scenario.gd"

const EXCHANGE := """extends RefCounted


static func said(memory: RAGMemory) -> Dictionary:
	var mira: RAGNPCPersonality = load("res://demo/villagers/mira.tres")
	var people: Array[RAGNPCPersonality] = [mira]
	var world := RAGNPCWorldKnowledge.new()
	world.add_personalities(people)
	var events := RAGNPCWorldEvents.new(world)
	events.append("fire", "The mill burned.")
	var loaded: RAGNPCWorldEvents = RAGNPCWorldEvents.from_json(events.to_json(), world)
	var options := {"personality": mira, "world_knowledge": world, "world_events": loaded}
	options["relationship"] = {"trust": 70, "affection": 60}
	var prompt := RAGNPCContextBuilder.build(memory, "Hello.", options)
	var answer := RAGNPCContextBuilder.parse_response('{"response": "Welcome."}')
	var recorded := RAGNPCContextBuilder.record_interaction(memory, "Hello.", answer, options)
	var console: RAGMemoryDebugConsole = load(
		"res://addons/rag_memory/debug/memory_debug_console.tscn"
	).instantiate()
	console.world_knowledge = world
	console.free()
	var model := RAGNPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String: return "Welcome."
	var request := model.generate_async([{"role": "user", "content": "Hello."}])
	var stored: Array = recorded["stored"]
	return {
		"stored": stored.map(func(each: Dictionary) -> String: return each["event_type"]),
		"events": loaded.get_count(),
		"secrets": (prompt["secrets"] as Array).size(),
		"models_said": await request.completed,
	}
"""


func play() -> void:
	await frames(1)
	var own: Array[bool] = []
	for name: String in arguments[0].split(","):
		var node: Node = (load("res://%s.gd" % name) as GDScript).new()
		own.append(node.call(&"is_the_games_own"))
		node.free()
	for name: String in arguments[1].split(","):
		own.append(root.get_node(name).call(&"is_the_games_own"))
	say("own", own)
	var exchange := GDScript.new()
	exchange.source_code = EXCHANGE
	exchange.reload()
	var said: Dictionary = await exchange.call(&"said", make_memory("mira"))
	for what: String in said:
		say(what, said[what])

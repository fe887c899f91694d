extends "res://tests/engine/case.gd"
# Runs without the model.
# Passes objects, null or threads: its twins always run.

const KAEL := {"source_id": "kael", "source_name": "Kael"}


func _mind() -> NPCMind:
	var memory := make_memory()
	var mind := NPCMind.new()
	memory.add_child(mind)
	return mind


func _said(words: String) -> Dictionary:
	return {"action": "spoke", "content": words}.merged(KAEL)


func test_five_insults_make_an_enemy() -> void:
	var mind := _mind()
	for time in 5:
		mind.perceive(_said("You stupid idiot!"))
	var felt := mind.get_disposition("kael")
	check_equal(felt.feeling, "hostile")
	check(felt.strength <= 30.0, "strength is %s" % felt.strength)
	check_equal(felt.name, "Kael")
	check_equal(mind.get_emotion().mood, "angry")


func test_a_gift_of_a_stranger_makes_a_friend() -> void:
	var mind := _mind()
	var felt := mind.perceive({"action": "gifted"}.merged(KAEL))
	check_equal(felt.disposition.feeling, "friendly")
	check_equal(felt.disposition.strength, 70.0)
	check_equal(felt.sentiment, 20)
	check_equal(felt.kind, "episode")
	check(mind.get_parent().get_memory(felt.memory_id).document.contains("Kael"), "no memory")


func test_what_fits_no_rule_is_no_memory_but_an_interaction() -> void:
	var mind := _mind()
	var memory: RAGMemory = mind.get_parent()
	var felt: Dictionary = await mind.perceive_async({"action": "waved"}.merged(KAEL)).completed
	check_equal(felt.memory_id, "")
	check_contains(felt.why, "waved")
	check_equal(memory.get_memory_count(), 0)
	var interactions := mind.get_interactions("kael")
	check_equal(interactions.size(), 1)
	check_equal(interactions[0].action, "waved")


func test_signals_tell_what_changed() -> void:
	var mind := _mind()
	var memory: RAGMemory = mind.get_parent()
	var heard: Array = []
	mind.disposition_changed.connect(
		func(id: String, feeling: String, strength: float) -> void:
			heard.append([id, feeling, strength])
	)
	mind.emotion_changed.connect(
		func(mood: String, intensity: float) -> void: heard.append([mood, intensity])
	)
	mind.memory_encoded.connect(func(_id: String, kind: String) -> void: heard.append([kind]))
	memory.memory_added.connect(func(_id: String) -> void: heard.append(["added"]))
	mind.perceive({"action": "attacked"}.merged(KAEL))
	check_equal(heard, [["added"], ["kael", "hostile", 20.0], ["angry", 75.0], ["observation"]])


func test_the_memory_may_be_the_parent_a_sibling_a_child_or_set() -> void:
	var parent := Node.new()
	add_child(parent)
	var sibling := RAGMemory.new()
	sibling.npc_id = "sibling"
	var mind := NPCMind.new()
	parent.add_child(sibling)
	parent.add_child(mind)
	mind.adjust_disposition("kael", 10.0, "smiled")
	check_equal(mind.get_disposition("kael").strength, 60.0)
	var other := make_memory()
	mind.memory = other
	check_equal(mind.memory, other)
	check_equal(mind.get_disposition("kael").strength, 50.0)
	mind.set_memory(null)
	check(mind.get_memory() == null, "it is set")
	check_equal(mind.get_disposition("kael").reason, "smiled")
	var alone := NPCMind.new()
	var child := RAGMemory.new()
	child.npc_id = "sibling"
	alone.add_child(child)
	check_equal(alone.get_disposition("kael").strength, 60.0)
	alone.free()
	parent.free()


func test_a_mind_that_moves_to_another_npc_is_hers() -> void:
	var mind := _mind()
	mind.adjust_disposition("kael", 10.0)
	var other := make_memory("another")
	mind.reparent(other)
	check_equal(mind.get_disposition("kael").strength, 50.0)
	var thread := Thread.new()
	thread.start(func() -> float: return mind.get_disposition("kael").strength)
	check_equal(thread.wait_to_finish(), 50.0)


func test_without_a_memory_every_call_says_so() -> void:
	expect_error("does not know whose mind it is")
	var mind := NPCMind.new()
	var errors: Array[String] = []
	mind.failed.connect(func(error: String) -> void: errors.append(error))
	check_equal(mind.get_emotion(), {})
	check_equal(errors.size(), 1)
	mind.free()


func test_a_config_weighs_otherwise() -> void:
	var mind := _mind()
	var config := NPCMindConfig.new()
	config.action_sentiments = {"robbed": -40.0}
	config.encoding_rules = [{"action": "robbed", "kind": "observation", "importance": 9}]
	mind.config = config
	var felt := mind.perceive({"action": "robbed"}.merged(KAEL))
	check_equal(felt.importance, 9)
	check_equal(felt.disposition.strength, 10.0)
	config.action_sentiments["robbed"] = 5.0
	check_equal(mind.perceive({"action": "robbed"}.merged(KAEL)).disposition.strength, 15.0)


func test_a_wrong_rule_is_an_error_that_names_it() -> void:
	expect_error("encoding_rules[0]")
	var mind := _mind()
	mind.config = NPCMindConfig.new()
	mind.config.encoding_rules = [{"acton": "robbed"}]
	check_equal(mind.perceive({"action": "robbed"}), {})


func test_bad_events_are_errors() -> void:
	expect_error("perceive()")
	var mind := _mind()
	for event: Dictionary in [
		{},
		{"action": 3},
		{"action": "spoke", "content": "x".repeat(100000)},
		{"action": "spoke", "timestamp": NAN},
		{"action": "spoke", "health_after": 50},
		{"action": "spoke", "entities": "mill"},
	]:
		check_equal(mind.perceive(event), {}, str(event).left(80))
	check_equal(mind.get_interactions(), [] as Array[Dictionary])


func test_who_is_near_can_be_told() -> void:
	var mind := _mind()
	mind.set_nearby(["mira", "tom"])
	check_equal(mind.get_nearby(), PackedStringArray(["mira", "tom"]))

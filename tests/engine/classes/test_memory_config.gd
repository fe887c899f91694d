# Runs typed and untyped.
# MemoryConfig: defaults, methods, and a change reaching the next call.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_defaults_are_those_of_the_reference() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	check_equal(config.max_memory_chars, 10000)
	check_equal(config.max_pinned_memories, 8)
	check_equal(config.max_important_memories, 5)
	check_equal(config.max_regular_memories, 8)
	check_equal(config.memory_token_budget, 2500)
	check_equal(config.use_score_based_selection, true)
	check_equal(config.score_mode, MemoryConfig.BALANCED)
	check_equal(config.tier_weights, [3.0, 2.0, 1.0] as Array[float])
	check_equal(config.recency_half_life_days, 7.0)
	check_equal(config.recency_floor, 0.3)
	check_equal(config.relevance_floor, 0.3)
	check_equal(config.superseded_score_multiplier, 0.1)
	check_equal(config.high_relevance_threshold, 0.85)
	check_equal(config.short_summary_target_length, 80)
	check_equal(config.short_summary_max_length, 100)
	check_equal(config.high_signal_recency_days, 7)
	check_equal(config.high_signal_limit, 10)
	check_equal(config.semantic_top_k, 15)
	check_equal(config.min_semantic_importance, 3)
	check_equal(config.importance_threshold_for_tier, 8)
	check_equal(config.max_memories_before_consolidate, 50)
	check_equal(config.consolidate_target, 20)
	check_equal(config.max_trust_change, 15)
	check_equal(config.max_familiarity_change, 5)
	check_equal(config.supersession_pairs["promise_made"], "promise_broken")
	check("player_name" in config.protected_slot_types, str(config.protected_slot_types))


func test_enum_constants() -> void:
	check_equal(MemoryConfig.PRODUCT, 0)
	check_equal(MemoryConfig.BALANCED, 1)
	check_equal(MemoryConfig.HYBRID, 0)
	check_equal(MemoryConfig.DENSE, 1)
	var mode: MemoryConfig.ScoreMode = MemoryConfig.PRODUCT
	var config: MemoryConfig = MemoryConfig.new()
	config.score_mode = mode
	config.relevance_mode = MemoryConfig.DENSE
	check_equal(config.score_mode, MemoryConfig.PRODUCT)
	check_equal(config.relevance_mode, MemoryConfig.DENSE)


func test_every_property_can_be_set_and_read() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var untouched: MemoryConfig = MemoryConfig.new()
	var count: int = 0
	for property: Dictionary in config.get_property_list():
		if (
			not property["usage"] & PROPERTY_USAGE_STORAGE
			or property["name"].begins_with("resource_")
		):
			continue
		if property["name"] in ["script", "inherits"]:
			continue
		var name: String = property["name"]
		var value: Variant = config.get(name)
		count += 1
		match typeof(value):
			TYPE_BOOL:
				value = not value
			TYPE_INT:
				value += 1
			TYPE_FLOAT:
				value = 0.5 if value != 0.5 else 0.25
			TYPE_STRING:
				value += " changed"
			TYPE_ARRAY:
				value = value.duplicate()
				value.reverse()
				if value.is_empty():
					value.append("a word")
				else:
					value.resize(value.size() - 1)
			TYPE_DICTIONARY:
				value = {"a": "b"}
		config.set(name, value)
		check_equal(config.get(name), value, name)
		check(config.get(name) != untouched.get(name), name + " of another config stays as it was")
	check(count > 60, "there are %d properties" % count)


func test_a_config_has_the_values_of_the_one_that_it_inherits() -> void:
	var everybody: MemoryConfig = MemoryConfig.new()
	everybody.importance_threshold_for_tier = 3
	var guards: MemoryConfig = MemoryConfig.new()
	guards.inherits = everybody
	guards.pinned_event_types = PackedStringArray(["patrol"])
	var captain: MemoryConfig = MemoryConfig.new()
	captain.inherits = guards
	check_equal(captain.get_tier_for_event("patrol", 1), 0)
	check_equal(captain.get_tier_for_event("small_talk", 3), 1)
	check_equal(captain.get_tier_for_event("small_talk", 2), 2)
	captain.importance_threshold_for_tier = 2
	check_equal(captain.get_tier_for_event("small_talk", 2), 1)
	check_equal(guards.get_tier_for_event("small_talk", 2), 2)
	guards.pinned_event_types = PackedStringArray(["alarm"])
	check_equal(captain.get_tier_for_event("patrol", 1), 2, "a change of a config is known at once")
	captain.inherits = null
	check_equal(captain.get_tier_for_event("alarm", 1), 2)


func test_an_npc_remembers_as_its_config_inherits() -> void:
	var guards: MemoryConfig = MemoryConfig.new()
	guards.memory_token_budget = 12
	var memory: RAGMemory = make_memory("guard")
	memory.config = MemoryConfig.new()
	for day: int in 6:
		memory.store("On day %d a cart with %d sacks of flour came to the gate." % [day, day])
	check_equal(memory.retrieve_scored("Which carts came to the gate?").size() > 2, true)
	memory.config.inherits = guards
	check_equal(memory.retrieve_scored("Which carts came to the gate?").size() < 3, true)


func test_a_mind_feels_as_its_config_inherits() -> void:
	var brave: NPCMindConfig = NPCMindConfig.new()
	brave.encoding_rules = (
		[{"action": "sang", "kind": "episode", "importance": 9, "condition": ""}]
		as Array[Dictionary]
	)
	var memory: RAGMemory = make_memory("bard")
	var mind: NPCMind = NPCMind.new()
	mind.memory = memory
	mind.config = NPCMindConfig.new()
	mind.config.inherits = brave
	memory.add_child(mind)
	mind.perceive({"action": "sang", "source_id": "player", "content": "Of the long winter."})
	var recent: Array[Dictionary] = memory.get_recent(1)
	check_equal(recent[0]["metadata"]["importance"], 9)


func test_no_config_inherits_itself() -> void:
	var first: MemoryConfig = MemoryConfig.new()
	var second: MemoryConfig = MemoryConfig.new()
	second.inherits = first
	expect_error("would inherit itself")
	first.inherits = second
	check_equal(first.inherits, null)
	expect_error("would inherit itself")
	first.inherits = first
	check_equal(first.inherits, null)


func test_get_tier_for_event() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var tier: int = config.get_tier_for_event("betrayal", 1)
	check_equal(tier, 0)
	check_equal(config.get_tier_for_event("gift_received", 1), 1)
	check_equal(config.get_tier_for_event("small_talk", 8), 1)
	check_equal(config.get_tier_for_event("small_talk", 7), 2)
	check_equal(config.get_tier_for_event("small_talk", 1, "life_saved"), 0)
	check_equal(config.get_tier_for_event("small_talk", 1, "secret_shared"), 1)


func test_interaction_types() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var known: bool = config.is_valid_interaction_type("betrayal")
	check_equal(known, true)
	check_equal(config.is_valid_interaction_type("betrayl"), false)
	var type: String = config.validate_interaction_type("betrayal")
	check_equal(type, "betrayal")
	check_equal(config.validate_interaction_type("betrayl"), "casual_conversation")
	var prompt: String = config.get_interaction_type_constraint_prompt()
	for name: String in config.valid_interaction_types:
		check_contains(prompt, '"%s"' % name)


func test_clamp_relationship_deltas() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var clamped: Dictionary = config.clamp_relationship_deltas(
		{"trust_change": 40, "fear_change": -11.5}
	)
	check_equal(clamped["trust_change"], 15)
	check_equal(clamped["fear_change"], -10)
	check_equal(clamped["affection_change"], 0)
	check_equal(clamped["respect_change"], 0)
	check_equal(clamped["familiarity_change"], 0)
	config.max_trust_change = 50
	check_equal(
		config.clamp_relationship_deltas({"trust_change": 40})["trust_change"], 40, "a new limit"
	)


func test_a_delta_that_is_no_number_counts_as_0_and_the_others_stay() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var clamped: Dictionary = config.clamp_relationship_deltas(
		{"trust_change": "a lot", "affection_change": 3, "fear_change": 80, "respect_change": null}
	)
	check_equal(clamped["trust_change"], 0)
	check_equal(clamped["affection_change"], 3)
	check_equal(clamped["fear_change"], 10)
	check_equal(clamped["respect_change"], 0)
	check_equal(clamped["familiarity_change"], 0)


func test_event_types() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	check_equal(config.is_slot_type("player_name"), true)
	check_equal(config.is_slot_type("shoe_size"), false)
	check_equal(config.get_superseded_event_type("promise_broken"), "promise_made")
	check_equal(config.get_superseded_event_type("promise_made"), "")
	check_equal(config.get_superseding_event_type("promise_made"), "promise_broken")
	check_equal(config.is_pinned_event("betrayal"), true)
	check_equal(config.is_pinned_event("gift_received"), false)
	check_equal(config.is_important_event("gift_received"), true)
	config.slot_types = ["shoe_size"] as Array[String]
	check_equal(config.is_slot_type("shoe_size"), true, "a new array")
	config.supersession_pairs["gate_opened"] = "gate_closed"
	check_equal(config.get_superseded_event_type("gate_closed"), "gate_opened", "changed in place")


func test_a_changed_config_takes_effect_with_the_next_call() -> void:
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.store("The dog barked all night.", 5)
	var recalled: Dictionary = _recall(memory)
	check_equal(recalled["breakdown"]["tier_weight"], 1.0)
	memory.config.tier_weights = [3.0, 2.0, 4.0] as Array[float]
	check_equal(_recall(memory)["breakdown"]["tier_weight"], 4.0, "a new array")
	memory.config.tier_weights[2] = 9
	check_equal(_recall(memory)["breakdown"]["tier_weight"], 9.0, "an item of the array")
	var other: MemoryConfig = MemoryConfig.new()
	memory.config = other
	check_equal(_recall(memory)["breakdown"]["tier_weight"], 1.0, "another config")
	memory.config = null
	check_equal(_recall(memory)["breakdown"]["tier_weight"], 1.0, "no config")
	other.tier_weights[2] = 7
	memory.config = other
	check_equal(_recall(memory)["breakdown"]["tier_weight"], 7.0, "changed while it was not in use")


func test_two_nodes_share_a_config() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	var one: RAGMemory = make_memory("one who shares")
	var other: RAGMemory = make_memory("other who shares")
	for memory: RAGMemory in [one, other]:
		memory.config = config
		memory.store("The dog barked all night.", 5)
	config.tier_weights[2] = 6
	check_equal(_recall(one)["breakdown"]["tier_weight"], 6.0)
	check_equal(_recall(other)["breakdown"]["tier_weight"], 6.0)


func test_a_value_out_of_range_is_said_with_the_next_call() -> void:
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.recency_floor = 2.5
	expect_error("MemoryConfig.recency_floor is 2.5: the allowed range is 0 to 1.")
	var failed: Array[Array] = watch(memory.failed)
	check_equal(memory.store("The dog barked."), "")
	check_equal(failed.size(), 1)
	check_contains(failed[0][0], "recency_floor")
	memory.config.recency_floor = 0.5
	check(memory.store("The dog barked.") != "", "works again once the value is right")


func test_a_value_out_of_range_is_warned_of_where_it_is_set() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	expect_warning("MemoryConfig.recency_floor is set to 2.5, but allowed is 0 to 1: every call")
	config.recency_floor = 2.5
	check_equal(config.recency_floor, 2.5, "taken as it is, as by any Resource")
	expect_warning("MemoryConfig.semantic_top_k is set to -3, but allowed is 0 to ")
	config.set("semantic_top_k", -3)
	expect_warning("MemoryConfig.relevance_floor is set to nan, but allowed is 0 to 1")
	config.relevance_floor = NAN
	expect_warning("MemoryConfig.score_mode is set to 9, but allowed is PRODUCT (0), BALANCED (1)")
	config.set("score_mode", 9)
	expect_warning("tier_weights is set to [1.0, 2.0], but allowed is an Array of 3 numbers")
	config.tier_weights = [1.0, 2.0]
	expect_warning("tier_weights is set to [1.0, 2.0, -3.0], but allowed is an Array of 3 numbers")
	config.tier_weights = [1.0, 2.0, -3.0]
	expect_warning('event_type_importance is set to { "rumor": 11 }, but allowed is a Dictionary')
	config.event_type_importance = {"rumor": 11}
	expect_warning('event_fear_changes is set to { "rumor": null }, but allowed is a Dictionary')
	config.event_fear_changes = {"rumor": null}
	expect_warning("supersession_pairs is set to { 1: 2 }, but allowed is a Dictionary with Str")
	config.supersession_pairs = {1: 2}


func test_a_value_of_another_type_is_warned_of_and_the_old_one_stays() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	expect_warning('tier_weights cannot be set to "many" of type String. It stays [3.0, 2.0, 1.0].')
	config.set("tier_weights", "many")
	check_equal(config.tier_weights, [3.0, 2.0, 1.0] as Array[float])
	expect_warning("MemoryConfig.event_trust_changes cannot be set to [null] of type Array.")
	config.set("event_trust_changes", [null])
	expect_warning("MemoryConfig.slot_types cannot be set to {  } of type Dictionary. It stays [")
	config.set("slot_types", {})
	expect_warning("MemoryConfig.semantic_top_k cannot be set to null of type null. It stays 15.")
	config.set("semantic_top_k", null)


func test_what_is_allowed_is_not_warned_of() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	for property: Dictionary in ClassDB.class_get_property_list("MemoryConfig", true):
		var name: String = property["name"]
		if not property["usage"] & PROPERTY_USAGE_GROUP:
			config.set(name, config.get(name))
	config.event_type_importance = {&"rumor": 4}
	config.event_respect_changes = {}
	check_equal(config.event_type_importance, {&"rumor": 4})


func test_a_mode_that_does_not_exist_is_said_with_the_next_call() -> void:
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.set("score_mode", 9)
	expect_error(
		"MemoryConfig.score_mode is 9: it is none of its values. Set it to one of: PRODUCT"
	)
	check_equal(memory.store("The dog barked."), "")


func test_tier_weights_of_the_wrong_length_are_said() -> void:
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.tier_weights.pop_back()
	expect_error("MemoryConfig.tier_weights has 2 values")
	check_equal(memory.store("The dog barked."), "")


func test_a_config_method_with_a_value_out_of_range_says_so() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	config.recency_floor = -1
	expect_error("MemoryConfig.recency_floor is -1.0")
	check_equal(config.get_tier_for_event("betrayal", 1), 0)
	config.recency_floor = 0
	check_equal(config.get_tier_for_event("small_talk", 1), 2)


func test_duplicate_copies_the_values() -> void:
	var config: MemoryConfig = MemoryConfig.new()
	config.semantic_top_k = 3
	config.tier_weights[0] = 8
	var copy: MemoryConfig = config.duplicate(true)
	check_equal(copy.semantic_top_k, 3)
	check_equal(copy.tier_weights, [8.0, 2.0, 1.0] as Array[float])
	copy.tier_weights[0] = 5
	check_equal(config.tier_weights[0], 8.0)


func _recall(memory: RAGMemory) -> Dictionary:
	return memory.retrieve_scored("Did the dog bark?").back()

# NPCWorldKnowledge and NPCWorldEvents: facts, flags, names that nobody knows, the canonical log.
extends "res://tests/engine/case.gd"


# What is in a save is in every world: these tests are of worlds without one.
func leave_save() -> void:
	check_equal(MemoryServer.close_save(), OK)


func make_world() -> NPCWorldKnowledge:
	var world := NPCWorldKnowledge.new()
	world.add_npc("gregor", "Gregor")
	world.add_npc("elena", "Elena")
	world.add_npc("mira", "Mira")
	world.add_npc("aldric", "Captain Aldric", ["the captain"])
	world.other_names = ["Thornhaven", "Iron Hollow", "Copper Kettle"]
	world.add_fact("well", "The well of Thornhaven dried up last summer.", {"topics": ["water"]})
	world.add_fact("mine", "The mine of Iron Hollow is closed.")
	return world


func test_facts_are_added_replaced_and_read() -> void:
	var world := make_world()
	check_equal(world.get_fact("mine"), "The mine of Iron Hollow is closed.")
	check_equal(world.get_fact("nothing"), "")
	world.add_fact("mine", "The mine is open again.")
	check_equal(world.get_fact("mine"), "The mine is open again.")
	check_equal(world.facts.size(), 2)


func test_an_unknown_option_of_a_fact_is_an_error() -> void:
	expect_error('there is no option knownby. Did you mean "known_by"?')
	var world := make_world()
	world.add_fact("x", "X.", {"knownby": ["mira"]})
	check_equal(world.get_fact("x"), "")


func test_facts_for_an_npc_come_nearest_first() -> void:
	var world := make_world()
	check_equal(
		world.get_facts_for("mira", "Who closed the mine?")[0], "The mine of Iron Hollow is closed."
	)
	check_contains(world.get_facts_for("mira", "I need water")[0], "The well")
	check_equal(world.get_facts_for("mira", "", 1).size(), 1)


func test_a_fact_can_belong_to_some_npcs_and_wait_for_a_flag() -> void:
	var world := make_world()
	world.define_flag("ledger_found", false)
	world.add_fact("boss", "Mira leads the bandits.", {"known_by": ["mira"]})
	world.add_fact("ledger", "The ledger was forged.", {"known_by": {"flag": "ledger_found"}})
	check(not "Mira leads the bandits." in world.get_facts_for("elena"), "only Mira knows")
	check("Mira leads the bandits." in world.get_facts_for("mira"), "Mira knows")
	check(not "The ledger was forged." in world.get_facts_for("elena"), "not yet true")
	world.set_flag("ledger_found", true)
	check("The ledger was forged." in world.get_facts_for("elena"), "true now")


func test_known_npcs() -> void:
	var world := make_world()
	for name: String in ["gregor", "Gregor", "GREGOR", "Captain Aldric", "Aldric", "the captain"]:
		check(world.is_known_npc(name), name)
	for name: String in ["", "Zorblax", "Gregor Zorblax", "Thornhaven"]:
		check(not world.is_known_npc(name), name)


func test_memories_of_known_people_are_accepted() -> void:
	var world := make_world()
	for text: String in [
		"Rain is coming, and bread is dear.",
		"Wolves came down from the hills.",
		"Hunger knows no law.",
		"Merchants sold silk at the fair.",
		"Old Aldric is ill.",
		"Business is slow.",
		"The player helped Gregor carry flour to the Copper Kettle.",
		"Yesterday Elena told me that she wants to see the sea.",
		"Mira's stew was too salty, and Captain Aldric said so on Monday.",
		"I met the player for the first time. The player said: 'Hello there.'",
		"Everyone said the well of Thornhaven was dry.",
		"Bandits came from the north. Nobody knew why.",
		"The player comes from Saltmere and rides to the Old Mill.",
		"We talked in Ravenford about God and the English winter.",
		"God gave us rain. I am glad.",
		"With Gregor's help the map was found. It said HERE, in red.",
		"I sent the player to Fennick's Crossing with a letter, past Low Farm.",
	]:
		var checked := world.check_memory(text)
		check(checked["accepted"] as bool, "%s: %s" % [text, checked["reason"]])


func test_memories_of_unknown_people_are_rejected_with_a_reason() -> void:
	var world := make_world()
	for text: String in [
		"Zorblax and Mira drank ale.",
		"Zorblax danced all night.",
		"Zorblax, the smith, is a liar.",
		"Old Zorblax is ill.",
		"The player met Zorblax at the well.",
		"Yesterday Zorblax told me a story.",
		"Zorblax said that the mine is haunted.",
		"The player promised to bring Zorblax the Wise a sword.",
		"I got a letter from Zorblax.",
		"The player knows that Zorblax stole the bell.",
		"Old friend Zorblax and Gregor drank together.",
	]:
		var checked := world.check_memory(text)
		check_equal(checked["accepted"], false, text)
		check_contains(checked["reason"] as String, "Zorblax")
		check_contains("".join(checked["unknown_names"] as PackedStringArray), "Zorblax")


func test_unknown_participants_are_rejected() -> void:
	var world := make_world()
	var data := {"participants": ["player", "Gregor", "Zorblax"]}
	check_equal(world.check_memory("We drank together.", data)["accepted"], false)
	data = {"participants": ["player", "Gregor", "mira"]}
	check_equal(world.check_memory("We drank together.", data)["accepted"], true)


func test_a_name_like_a_known_one_is_accepted() -> void:
	var data := {"participants": ["Gregorr"]}
	var checked := make_world().check_memory("The player helped Gregorr and Elnea.", data)
	check_equal(checked["accepted"], true)
	check_equal(checked["reason"], "")


func test_the_check_can_be_switched_off_per_call() -> void:
	var world := make_world()
	var checked := world.check_memory("I saw Zorblax.", {}, {"check_names": false})
	check_equal(checked["accepted"], true)
	check_equal(
		world.check_memory("I saw Zorblax.", {}, {"known_names": ["Zorblax"]})["accepted"], true
	)


func test_the_players_name_is_known() -> void:
	var world := make_world()
	check_equal(world.check_memory("I like Rowan.")["accepted"], false)
	world.player_name = "Rowan Ashby"
	check_equal(world.check_memory("I like Rowan.")["accepted"], true)


func test_flags_have_types_and_defaults() -> void:
	leave_save()
	var world := NPCWorldKnowledge.new()
	check_equal(world.define_flag("met", false), OK)
	check_equal(world.define_flag("bandits", 3), OK)
	check_equal(world.define_flag("mood", 0.5), OK)
	check_equal(world.define_flag("ending", "none"), OK)
	check_equal(world.get_flag("met"), false)
	var changed := watch(world.flag_changed)
	check_equal(world.set_flag("met", 1), OK)
	check_equal(world.set_flag("met", true), OK)
	check_equal(world.set_flag("bandits", 2), OK)
	check_equal(world.set_flag("mood", 1), OK)
	check_equal(changed, [["met", true], ["bandits", 2], ["mood", 1.0]] as Array[Array])
	check_equal(world.get_flags(), {"met": true, "bandits": 2, "mood": 1.0, "ending": "none"})
	check_equal(world.set_flag("ending", &"exile"), OK)
	check_equal(world.get_flag("ending"), "exile")


func test_a_wrong_flag_is_an_error_and_changes_nothing() -> void:
	leave_save()
	expect_error("There is no story flag nope")
	expect_error("The story flag met is of type bool")
	expect_error("The story flag mood is of type float")
	expect_error("cannot be of type Array")
	expect_error("A story flag needs a name")
	var world := NPCWorldKnowledge.new()
	world.define_flag("met", false)
	check_equal(world.set_flag("nope", true), ERR_DOES_NOT_EXIST)
	check_equal(world.get_flag("nope"), null)
	check_equal(world.set_flag("met", "yes"), ERR_INVALID_PARAMETER)
	check_equal(world.get_flag("met"), false)
	check_equal(world.define_flag("list", []), ERR_INVALID_PARAMETER)
	check_equal(world.define_flag("", true), ERR_INVALID_PARAMETER)
	world.define_flag("mood", 0.5)
	check_equal(world.set_flag("mood", NAN), ERR_INVALID_PARAMETER)
	check_equal(world.get_flag("mood"), 0.5)


func test_flags_can_be_kept_in_the_games_save() -> void:
	leave_save()
	var world := NPCWorldKnowledge.new()
	world.define_flag("met", false)
	world.define_flag("bandits", 3)
	world.set_flag("bandits", 1)
	var saved: Dictionary = JSON.parse_string(JSON.stringify(world.get_flags()))
	var later := NPCWorldKnowledge.new()
	later.define_flag("met", false)
	later.define_flag("bandits", 3)
	check_equal(later.get_flag("bandits"), 3)
	for flag: String in saved:
		check_equal(later.set_flag(flag, saved[flag]), OK)
	check_equal(later.get_flags(), {"met": false, "bandits": 1})


func test_the_world_is_a_resource() -> void:
	leave_save()
	var world := make_world()
	world.define_flag("met", false)
	var path := "user://world_%d.tres" % get_instance_id()
	check_equal(ResourceSaver.save(world, path), OK)
	var loaded: NPCWorldKnowledge = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	check_equal(loaded.get_fact("mine"), world.get_fact("mine"))
	check_equal(loaded.get_flag("met"), false)
	check(loaded.is_known_npc("the captain"), "aliases too")


func test_the_people_of_personalities_are_known() -> void:
	var world := NPCWorldKnowledge.new()
	var people: Array[NPCPersonality] = [
		load("res://demo/villagers/mira.tres"), load("res://demo/villagers/aldric.tres")
	]
	world.add_personalities(people)
	for personality: NPCPersonality in people:
		check(world.is_known_npc(personality.npc_id), personality.npc_id)
		check(world.is_known_npc(personality.display_name), personality.display_name)
	check_equal(world.npc_names["mira"], "Mira")
	check_equal(world.check_memory("Aldric sold me a bottle.")["accepted"], true)
	check_equal(world.check_memory("Varn sold me a bottle.")["accepted"], false)
	check(not world.is_known_npc("Varn"), "he was not added")


func test_events_are_appended_and_never_changed() -> void:
	leave_save()
	var events := NPCWorldEvents.new()
	MemoryServer.set_clock(func() -> float: return 100.0)
	var appended := watch(events.event_appended)
	var data := {"participants": ["mira"], "location": "well"}
	check_equal(events.append("meeting", "They met.", data), 0)
	check_equal(events.append("fire", "The mill burned.", {"timestamp": 200.0}), 1)
	check_equal(appended.size(), 2)
	check_equal(events.get_count(), 2)
	check_equal(events.get_event(0)["timestamp"], 100.0)
	data["participants"].append("elena")
	check_equal(events.get_event(0)["participants"], ["mira"])
	events.get_event(0)["participants"].clear()
	check_equal(events.get_event(0)["participants"], ["mira"], "a copy")
	check_equal(events.get_event(7), {})


func test_events_are_filtered() -> void:
	leave_save()
	var events := NPCWorldEvents.new()
	events.append("meeting", "A.", {"participants": ["mira"], "timestamp": 1.0})
	events.append("theft", "B.", {"witnesses": ["elena"], "timestamp": 2.0, "location": "mill"})
	events.append("fire", "C.", {"timestamp": 3.0})
	check_equal(events.get_events().size(), 3)
	check_equal(events.get_events({"event_type": "theft"})[0]["description"], "B.")
	check_equal(events.get_events({"participant": "mira"}).size(), 1)
	check_equal(events.get_events({"since": 2.0, "until": 2.0}).size(), 1)
	check_equal(events.get_events({"location": "mill"}).size(), 1)
	check_equal(events.get_events({"known_to": "mira"}).size(), 2)
	check_equal(events.get_events({"known_to": "elena"}).size(), 3)
	check(events.has_happened("fire"), "it burned")
	check(not events.has_happened("flood"), "no flood")


func test_an_event_of_unknown_people_is_marked() -> void:
	leave_save()
	expect_error("event_type is")
	expect_error("must not have the key sequence")
	var events := NPCWorldEvents.new(make_world())
	check_equal(events.append("fight", "The player killed Zorblax."), 0)
	check_equal(events.get_event(0)["name_suspects"], ["Zorblax"])
	check_equal(events.append("", "Nothing."), -1)
	check_equal(events.append("fight", "A fight.", {"sequence": 4}), -1)
	check_equal(events.append("fight", "I saw Zorblax.", {"check_names": false}), 1)
	check_equal(events.get_event(1).has("check_names"), false)
	check_equal(events.get_event(1).has("name_suspects"), false)


func test_a_timestamp_that_is_no_time_is_refused() -> void:
	leave_save()
	var events := NPCWorldEvents.new()
	for wrong: Variant in ["noon", null, true, NAN, INF, [1]]:
		expect_error("NPCWorldEvents.append(): timestamp is ")
		check_equal(events.append("fire", "The inn burned.", {"timestamp": wrong}), -1)
	check_equal(events.append("fire", "The inn burned.", {"timestamp": 5}), 0)
	check_equal(NPCWorldEvents.from_json(events.to_json()).get_count(), 1, "the log can be read")


func test_the_log_survives_a_save() -> void:
	leave_save()
	var events := NPCWorldEvents.new()
	events.append("meeting", "They met.", {"timestamp": 12.5, "participants": ["mira"]})
	var loaded := NPCWorldEvents.from_json(events.to_json())
	check_equal(loaded.get_event(0), events.get_event(0))
	check_equal(loaded.append("fire", "C.", {"timestamp": 13.0}), 1)
	events.append("gift", "Two rings.", {"timestamp": 14, "rings": 2, "where": Vector2(1, 2)})
	loaded = NPCWorldEvents.from_json(events.to_json())
	check_equal(loaded.get_event(1), events.get_event(1), "whole numbers and vectors too")


func test_a_log_of_the_first_version_still_loads() -> void:
	leave_save()
	var events := NPCWorldEvents.from_json(
		(
			'{"events":[{"description":"The inn burned.","event_type":"fire","sequence":0,'
			+ '"timestamp":12.0}],"format":"rag_memory_world_events","version":1}'
		)
	)
	check_equal(events.get_event(0)["description"], "The inn burned.")
	check_equal(events.get_event(0)["sequence"], 0)


func test_a_log_from_something_else_is_an_error() -> void:
	expect_error("This is no log of world events")
	check_equal(NPCWorldEvents.from_json("{}"), null)
	expect_error("The log of world events is damaged")
	for events: String in ["5", "[1]", '[{"event_type": "fire"}]', "null"]:
		var text := '{"format": "rag_memory_world_events", "version": 1, "events": %s}' % events
		check_equal(NPCWorldEvents.from_json(text), null, events)


func test_names_of_unknown_people_are_marked_in_every_memory_that_is_stored() -> void:
	check_equal(MemoryServer.open_save("world of registered people"), OK)
	var world := make_world()
	var memory := make_memory("mira")
	check(
		not "name_suspects" in _metadata(memory, memory.store("I saw Zorblax.")), "none registered"
	)
	MemoryServer.register_names(world.get_known_names(), true)
	check_equal(_metadata(memory, memory.store("I saw Zorblax."))["name_suspects"], ["Zorblax"])
	var request := memory.store_async("Zorblax said that the mine is haunted.")
	check(await request.completed != "", "stored")
	check_equal(memory.store_batch([{"text": "It rains."}, {"text": "I saw Zorblax."}]).size(), 2)
	var unchecked := memory.store("I saw Zorblax.", 5, {"check_names": false})
	check(not "name_suspects" in _metadata(memory, unchecked), "switched off")
	var helped := memory.get_memory(memory.store("The player helped Gregorr."))
	check_equal(helped["document_full"], "The player helped Gregorr.", "as it was given")
	var answer := NPCContextBuilder.parse_response('{"response": "I do not know them."}')
	var recorded := NPCContextBuilder.record_interaction(memory, "Zorblax sent me.", answer)
	check_equal(recorded["stored"].size(), 1, "what the player says is hearsay")
	answer = NPCContextBuilder.parse_response('{"response": "Ask Wilfred, he killed the wolf."}')
	recorded = NPCContextBuilder.record_interaction(memory, "Who did it?", answer)
	check_contains(recorded["rejected"][0]["reason"] as String, "Wilfred")
	memory.config = MemoryConfig.new()
	memory.config.check_names = false
	check(
		not "name_suspects" in _metadata(memory, memory.store("Zorblax lied.")), "off for this NPC"
	)


func _metadata(memory: RAGMemory, id: String) -> Dictionary:
	return memory.get_memory(id)["metadata"]


func test_a_changed_memory_is_told_how_to_check_names_and_does_not_keep_it() -> void:
	check_equal(MemoryServer.open_save("world of changed memories"), OK)
	var memory := make_memory("mira")
	var id := memory.store("I saw the miller.", 5, {"check_names": false})
	var before: Dictionary = memory.get_memory(id)["metadata"]
	check_equal(before.has("check_names"), false, "it says how to store")
	check(memory.update_memory(id, {"text": "I saw the baker.", "check_names": false}), "changed")
	var after := memory.get_memory(id)
	check_equal(after["document_full"], "I saw the baker.")
	check_equal(after["metadata"], before)
	expect_error("update_memory(): check_names")
	check_equal(memory.update_memory(id, {"text": "I saw the smith.", "check_names": "no"}), false)
	check_equal(memory.get_memory(id)["document_full"], "I saw the baker.", "nothing was changed")

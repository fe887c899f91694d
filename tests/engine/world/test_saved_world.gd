# Runs typed and untyped.
# NPCWorldKnowledge and NPCWorldEvents: what changes lies in the open save and goes back with it.
extends "res://tests/engine/case.gd"

const DAY := 86400.0

var now := 10.0 * DAY


func set_clock() -> void:
	now = 10.0 * DAY
	MemoryServer.set_clock(func() -> float: return now)


func open(save_id: String) -> void:
	set_clock()
	check_equal(MemoryServer.open_save(save_id), OK)


func make_world() -> NPCWorldKnowledge:
	set_clock()
	MemoryServer.close_save()
	var world: NPCWorldKnowledge = NPCWorldKnowledge.new()
	world.define_flag("met", false)
	world.define_flag("mood", 0.5)
	world.add_fact("mine", "The mine is shut.")
	return world


func test_flags_and_facts_belong_to_the_save() -> void:
	var world: NPCWorldKnowledge = make_world()
	open("flags here")
	world.set_flag("met", true)
	world.set_flag("mood", 1)
	world.add_fact("well", "The well is dry.", {"known_by": ["mira"]})
	world.add_fact("mine", "The mine is open again.")
	var other: NPCWorldKnowledge = NPCWorldKnowledge.new()
	other.define_flag("met", false)
	check_equal(other.get_flag("met"), true, "every world of the game says the same")
	open("flags elsewhere")
	check_equal(world.get_flags(), {"met": false, "mood": 0.5})
	check_equal(world.get_fact("mine"), "The mine is shut.")
	check_equal(world.get_fact("well"), "")
	open("flags here")
	check_equal(world.get_flags(), {"met": true, "mood": 1.0})
	check_equal(world.get_fact("mine"), "The mine is open again.")
	check_equal(world.get_facts_for("mira").size(), 2)
	check_equal(world.get_facts_for("bo").size(), 1)
	MemoryServer.close_save()
	check_equal(world.get_flag("met"), false, "no other save's value")
	check_equal(world.get_fact("well"), "")


func test_what_was_set_without_a_save_waits_for_the_next() -> void:
	var world: NPCWorldKnowledge = make_world()
	var events: NPCWorldEvents = NPCWorldEvents.new()
	world.set_flag("met", true)
	events.append("fire", "The inn burned.")
	check_equal(world.get_flag("met"), true)
	check_equal(events.get_count(), 1)
	open("waited for")
	check_equal(world.get_flag("met"), true)
	check(NPCWorldEvents.new().has_happened("fire"), "another log of the same save")
	open("not waited for")
	check_equal(world.get_flag("met"), false)
	check_equal(events.get_count(), 0)
	open("waited for")
	check_equal(MemoryWorld.get_flags(), {"met": true})
	check_equal(events.get_event(0)["description"], "The inn burned.")


func test_everything_goes_back_with_the_game() -> void:
	var world: NPCWorldKnowledge = make_world()
	var events: NPCWorldEvents = NPCWorldEvents.new()
	open("going back")
	world.set_flag("met", true)
	events.append("fire", "The inn burned.", {"participants": ["mira"], "where": Vector2(1, 2)})
	MemoryWorld.set_player_info({"name": "Theron", "at": Vector2(1, 2)})
	MemoryServer.snapshot("before")
	now += 60.0
	world.set_flag("met", false)
	world.set_flag("mood", 0.9)
	world.add_fact("well", "The well is dry.")
	events.append("flood", "The mill was flooded.", {"witnesses": ["mira"]})
	MemoryWorld.set_player_info({"name": "Sir Theron"})
	check_equal(events.get_count(), 2)
	MemoryServer.snapshot("after")
	var changes: Array[Array] = watch(MemoryWorld.world_changed)
	now = 10.0 * DAY
	MemoryServer.rollback_to(now)
	check_equal(changes.size(), 1)
	_check_went_back(world, events)
	MemoryServer.restore("after")
	check_equal(world.get_flags(), {"met": false, "mood": 0.9})
	check_equal(events.get_event(1)["witnesses"], ["mira"])
	check_equal(MemoryWorld.get_player_info(), {"name": "Sir Theron", "at": Vector2(1, 2)})
	MemoryServer.restore("before")
	_check_went_back(world, events)


func _check_went_back(world: NPCWorldKnowledge, events: NPCWorldEvents) -> void:
	check_equal(world.get_flags(), {"met": true, "mood": 0.5})
	check_equal(world.get_fact("well"), "")
	check_equal(events.get_count(), 1)
	check_equal(events.get_event(0)["where"], Vector2(1, 2), "a value of the engine's types, too")
	check_equal(events.get_event(0)["timestamp"], now)
	check(not events.has_happened("flood"), "it was forgotten")
	check_equal(MemoryWorld.get_player_info()["name"], "Theron")


func test_the_log_and_the_worlds_events_are_one() -> void:
	open("one log")
	var events: NPCWorldEvents = NPCWorldEvents.new()
	var recorded: Array[Array] = watch(MemoryWorld.event_recorded)
	var rain: String = MemoryWorld.record_event({"summary": "It rains.", "event_type": "rain"})
	check_equal(recorded, [[rain]] as Array[Array])
	check(events.has_happened("rain"), "recorded beside the log")
	MemoryWorld.record_event({"id": rain, "summary": "It pours.", "event_type": "storm"})
	check(events.has_happened("storm"), "in the place of the rain")
	MemoryWorld.record_event({"id": rain, "summary": "It rains.", "event_type": "rain"})
	events.append("theft", "Bo stole a ring.", {"timestamp": now, "witnesses": ["mira"]})
	check_equal(
		MemoryWorld.search_events("mira", "stolen ring", {"limit": 1})[0]["confidence"], 1.0
	)
	check_equal(MemoryWorld.search_events("cy", "stolen ring").size(), 1, "only the rain")
	check_equal(events.get_events({"known_to": "cy"}).size(), 1)
	check_equal(events.get_events({"known_to": "mira", "event_type": "theft"}).size(), 1)
	check_equal(events.get_events({"known_to": "mira", "since": now, "limit": 1}).size(), 1)
	check_equal(events.get_events({"participant": "bo"}).size(), 0)
	events.append("frost", "It froze.", {"timestamp": 1702500000.1234567})
	var text: String = events.to_json()
	check_equal(
		NPCWorldEvents.from_json(text).get_count(), 3, "what the save has is not added again"
	)
	open("imported")
	check_equal(events.get_count(), 0)
	check_equal(NPCWorldEvents.from_json(text).get_count(), 3)
	check_equal(MemoryWorld.get_events().size(), 3)


func test_what_the_save_refuses_is_not_shown() -> void:
	open("refusing")
	var events: NPCWorldEvents = NPCWorldEvents.new()
	expect_error("the event is for a faction and names none")
	var oath: Dictionary = {"timestamp": now, "visibility": "faction"}
	check_equal(events.append("oath", "An oath was sworn.", oath), -1)
	check_equal(events.get_count(), 0)


func test_a_prompt_has_nothing_that_the_npc_cannot_know() -> void:
	open("small world")
	seed(7)
	var npcs: PackedStringArray = ["mira", "bo", "cy", "dan", "eve"]
	var places: PackedStringArray = ["Inn", "Mill"]
	var visibilities: PackedStringArray = ["private", "local", "faction", "global", "rumor"]
	var events: NPCWorldEvents = NPCWorldEvents.new()
	for npc: String in npcs:
		var place: String = places[randi() % 2]
		MemoryWorld.register_character(npc, {"location": place, "faction": place + " folk"})
	for number: int in 40:
		now += 600.0
		var id: String = (
			MemoryWorld
			. record_event(
				{
					"summary": "Thing %02d happened." % number,
					"visibility": visibilities[randi() % 5],
					"location": places[randi() % 2],
					"actor_faction": places[randi() % 2] + " folk",
					"actor": npcs[randi() % 5],
					"expires_day": 10.2 if randi() % 4 == 0 else -1.0,
				}
			)
		)
		MemoryWorld.register_character(npcs[randi() % 5], {"location": places[randi() % 2]})
		if now < 10.2 * DAY:
			MemoryWorld.spread_rumor(id, npcs[randi() % 5])
	var told: int = 0
	for npc: String in npcs:
		var known: PackedStringArray = MemoryWorld.get_events({"known_to": npc}).map(
			func(event: Dictionary) -> String: return event["summary"]
		)
		var options: Dictionary = {"world_events": events}
		var prompt: Dictionary = NPCContextBuilder.build(
			make_memory(npc), "What happened?", options
		)
		for number: int in 40:
			var text: String = "Thing %02d happened." % number
			if text in JSON.stringify(prompt):
				told += 1
				check(text in known, "%s must not know %s" % [npc, text])
	check(told >= 10, "the prompts told of %d events" % told)


func test_a_rumor_is_told_as_one() -> void:
	open("rumors")
	MemoryWorld.register_character("mira", {"location": "Inn"})
	var id: String = MemoryWorld.record_event(
		{"summary": "The king is ill.", "visibility": "rumor", "actor": "bo"}
	)
	check_equal(MemoryWorld.spread_rumor(id, "inn"), PackedStringArray(["mira"]))
	var prompt: Dictionary = NPCContextBuilder.build(
		make_memory("mira"), "What is new?", {"world_events": NPCWorldEvents.new()}
	)
	check_contains(
		JSON.stringify(prompt), "- I heard that this happened: The king is ill.", "in her words"
	)


func test_who_was_registered_is_known_by_name() -> void:
	var world: NPCWorldKnowledge = make_world()
	world.add_npc("mira", "Mira")
	open("names of the save")
	var events: NPCWorldEvents = NPCWorldEvents.new(world)
	check_equal(events.append("arrival", "Mira met Felix Brunner on the sledge."), 0)
	check_equal(events.get_event(0)["name_suspects"], ["Felix Brunner"])
	MemoryWorld.set_player_info({"name": "Felix Brunner"})
	MemoryWorld.register_character("egon", {"name": "Baron Egon Wurmbrand"})
	check_equal(events.append("arrival", "Mira and Felix Brunner laughed."), 1)
	check_equal(events.append("arrival", "Mira saw Baron Egon Wurmbrand."), 2)
	for place: int in [1, 2]:
		check(not events.get_event(place).has("name_suspects"), str(place))
	open("another save")
	check(not "Felix Brunner" in world.get_known_names(), "not in another save")

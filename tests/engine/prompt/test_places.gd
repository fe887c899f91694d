# NPCWorldKnowledge: facts of a place, establishments; NPCWorldEvents: what is known of the player.
# Runs without the model.
extends "res://tests/engine/case.gd"


func make_world() -> NPCWorldKnowledge:
	var world := NPCWorldKnowledge.new()
	world.add_npc("mira", "Mira")
	world.add_npc("aldric", "Aldric", ["the captain"])
	world.other_names = ["Iron Guard", "Thornhaven"]
	var kettle := {
		"kind": "inn", "location": "Thornhaven", "owner": "mira", "sells": ["ale", "beds"]
	}
	world.add_establishment("kettle", "Copper Kettle", kettle)
	world.add_establishment("anvil", "Anvil", {"kind": "smithy", "location": "Iron Hollow"})
	return world


func section_text(prompt: Dictionary, name: String) -> String:
	return prompt["sections"][name]["text"]


func test_a_fact_of_a_place_is_known_there() -> void:
	var world := make_world()
	world.add_fact(
		"toll", "The ferryman takes two coins.", {"known_by": {"place": ["Ferry", "Thornhaven"]}}
	)
	world.add_fact(
		"tunnel", "A tunnel leads out.", {"known_by": [{"place": "Iron Hollow"}, "aldric"]}
	)
	check_equal(world.get_facts_for("mira").size(), 0, "nobody knows where she is")
	check_equal(world.get_facts_for("mira", "", -1, "ferry").size(), 1, "whatever its case")
	check_equal(
		world.get_facts_for("mira", "", -1, "Copper Kettle").size(), 1, "it is in Thornhaven"
	)
	check_equal(world.get_facts_for("mira", "", -1, "kettle").size(), 1, "by its id")
	check_equal(world.get_facts_for("mira", "", -1, "Iron Hollow").size(), 1)
	check_equal(world.get_facts_for("aldric", "", -1, "Ferry").size(), 2, "he knows it anywhere")


func test_a_prompt_has_the_facts_and_establishments_of_its_place() -> void:
	var world := make_world()
	world.add_fact("toll", "The ferryman takes two coins.", {"known_by": {"place": "Thornhaven"}})
	var options := {"world_knowledge": world, "location": "Thornhaven"}
	var here := section_text(
		NPCContextBuilder.build(make_memory(), "Hello.", options), "world_facts"
	)
	check_contains(here, "The ferryman takes two coins.")
	check_contains(here, "here: Copper Kettle (inn; kept by Mira; sells ale, beds).")
	check(not "Anvil" in here, "it is elsewhere")
	options["location"] = "Ferry"
	var there := section_text(
		NPCContextBuilder.build(make_memory(), "Hello.", options), "world_facts"
	)
	check_contains(there, "There is no inn, shop or workshop here.")
	check(not "ferryman" in there, "not here")
	options.erase("location")
	var any := section_text(
		NPCContextBuilder.build(make_memory(), "Hello.", options), "world_facts"
	)
	check_contains(any, "Copper Kettle (inn; kept by Mira; sells ale, beds), Anvil (smithy).")


func test_establishments_are_listed_replaced_and_closed() -> void:
	var world := make_world()
	check_equal(world.get_establishments().size(), 2)
	check_equal(world.get_establishments("thornhaven")[0]["id"], "kettle")
	world.get_establishments()[0]["sells"].append("gold")
	check_equal(world.get_establishments()[0]["sells"], ["ale", "beds"], "a copy")
	world.define_flag("inn_rebuilt", false)
	world.add_establishment("kettle", "New Kettle", {"kind": "inn", "requires_flag": "inn_rebuilt"})
	check_equal(world.get_establishments().size(), 1)
	world.set_flag("inn_rebuilt", true)
	check_equal(world.get_establishments().size(), 2)
	check(Array(world.get_known_names()).has("New Kettle"), "a known name")
	expect_error(
		'NPCWorldKnowledge.add_establishment(): there is no option owners. Did you mean "owner"?'
	)
	world.add_establishment("stall", "Stall", {"owners": []})
	check_equal(world.get_establishments().size(), 2)


func test_invented_establishments_are_found() -> void:
	var world := make_world()
	var invented := {
		"You can sleep at the Weary Wanderer.": "Weary Wanderer",
		"Go to the Golden Hen, it is cheap.": "Golden Hen",
		"The Weary Wanderer serves the best ale.": "Weary Wanderer",
		"There is a fine inn called the Anchor.": "Anchor",
		"Ask in the Drunken Goat tavern.": "Drunken Goat",
		"My brother runs the Silver Lute.": "Silver Lute",
		"Try Blackwood Bakery.": "Blackwood Bakery",
		"I slept at the Golden Kettle.": "Golden Kettle",
		"Our bakery sells good bread.": "bakery",
		"There is a small library behind the well.": "library",
	}
	for text: String in invented:
		var checked := world.check_establishments(text)
		check_equal(checked["accepted"], false, text)
		check(
			Array(checked["unknown_establishments"]).any(
				func(name: String) -> bool: return invented[text] in name
			),
			"%s: %s" % [text, checked["unknown_establishments"]]
		)
		check_contains(checked["reason"] as String, "NPCWorldKnowledge.add_establishment()")


func test_what_is_there_is_accepted() -> void:
	var world := make_world()
	for text: String in [
		"You can sleep at the Copper Kettle.",
		"Visit Copper Kettle tavern. The Kettle has beds.",
		"The tavern is warm, and the smithy is loud.",
		"Go to the Captain Aldric, he is at the Iron Guard.",
		"There is no bakery here, and I never saw a library.",
		"I dream of a bakery of my own.",
		"You find it in the blacksmith's shop.",
		"The old mill is haunted. The Iron Guard has good swords.",
		"Our tavern is closed. He stood on the wrong bank, at my stable door.",
		"Aldric went to the inn. Mira waved.",
		"Hello.",
		"",
	]:
		var checked := world.check_establishments(text)
		check_equal(checked["unknown_establishments"], PackedStringArray(), text)
		check_equal(checked["accepted"], true, text)
		check_equal(checked["reason"], "", text)
	var shouted := "Ale And Beds ".repeat(20000)
	check_equal(world.check_establishments(shouted)["accepted"], true, "a long text ends")
	check_equal(
		NPCWorldKnowledge.new().check_establishments("Sleep at the Weary Wanderer.")["accepted"],
		true,
		"a world that lists none"
	)


func test_a_kind_has_to_be_at_the_place() -> void:
	var world := make_world()
	check_equal(world.check_establishments("Ask in the smithy.", "Iron Hollow")["accepted"], true)
	check_equal(
		world.check_establishments("Ask in the shop.", "Thornhaven")["accepted"],
		false,
		"an inn is no shop"
	)
	var checked := world.check_establishments("Ask in the smithy.", "Thornhaven")
	check_equal(checked["unknown_establishments"], PackedStringArray(["smithy"]))
	check_contains(checked["reason"] as String, "There is no smithy in Thornhaven.")
	check_equal(
		world.check_establishments("Ask in the smithy in Iron Hollow.", "Thornhaven")["accepted"],
		true,
		"it says where"
	)


func test_a_reply_that_names_an_invented_inn_is_not_remembered() -> void:
	var memory := make_memory()
	var options := {"world_knowledge": make_world(), "location": "Thornhaven"}
	var answer := NPCContextBuilder.parse_response('{"response": "Sleep at the Weary Wanderer."}')
	var recorded := NPCContextBuilder.record_interaction(
		memory, "Where can I sleep?", answer, options
	)
	check_equal(recorded["rejected"].size(), 1)
	check_contains(recorded["rejected"][0]["reason"] as String, "Weary Wanderer")
	var text: String = recorded["stored"][0]["text"]
	check(not "Wanderer" in text, text)
	var asked := "Is the Weary Wanderer far?"
	recorded = NPCContextBuilder.record_interaction(memory, asked, answer, options)
	check_equal(recorded["rejected"].size(), 0, "the player named it first")
	options["check_names"] = false
	recorded = NPCContextBuilder.record_interaction(memory, "Where can I sleep?", answer, options)
	check_contains(recorded["stored"][0]["text"] as String, "Weary Wanderer", "switched off")


func test_the_world_with_its_establishments_is_a_resource() -> void:
	var world := make_world()
	var path := "user://places_%d.tres" % get_instance_id()
	check_equal(ResourceSaver.save(world, path), OK)
	var loaded: NPCWorldKnowledge = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	check_equal(loaded.get_establishments("Thornhaven"), world.get_establishments("Thornhaven"))


func test_everybody_knows_what_is_public_of_the_player() -> void:
	MemoryServer.open_save("public of the player")
	var events := NPCWorldEvents.new()
	MemoryServer.set_clock(func() -> float: return 5.0)
	MemoryWorld.set_player_info({"name": "Theron", "titles": ["Friend of Thornhaven"]})
	events.append("rescue", "The player saved the miller.", {"participants": ["player"]})
	var secret := {"participants": ["player"], "witnesses": ["varn"]}
	events.append("theft", "The player stole the ledger.", secret)
	for number: int in 6:
		events.append("rain", "Rain on day %d." % number)
	check_equal(events.get_events({"participant": "player"}).size(), 2)
	check_equal(events.get_events({"participant": "player", "known_to": "mira"}).size(), 1)
	var prompt := NPCContextBuilder.build(make_memory("mira"), "Hello.", {"world_events": events})
	var facts := section_text(prompt, "world_facts")
	check_contains(facts, "Everybody knows the player as Theron, Friend of Thornhaven.")
	check_contains(facts, "It happened: The player saved the miller.", "older than the newest five")
	check(not "ledger" in facts, "she did not see it")
	MemoryServer.close_save()

# Runs typed and untyped.
# Who knows what was told to a place, a group, some people or under a condition, by every way.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const _QUESTION := "What is hidden in the old lighthouse?"
const _SECRET := "A chest of silver is hidden in the old lighthouse."


func make_town() -> void:
	MemoryServer.open_save("who_knows_%d" % Time.get_ticks_usec())
	MemoryWorld.register_character(
		"ada", {"name": "Ada", "faction": "Wreckers", "location": "Quay"}
	)
	MemoryWorld.register_character("bo", {"name": "Bo", "faction": "Customs", "location": "Mill"})


func check_knows(id: String, text: String, is_known: bool, question := _QUESTION) -> void:
	var memory := MemoryServer.npc(id)
	var plain := text.trim_suffix(".")
	var scored := memory.retrieve_scored(question).any(
		func(each: Dictionary) -> bool: return plain in each["document_full"]
	)
	check_equal(scored, is_known, id + ": retrieve_scored()")
	check_equal(memory.knows(text), is_known, id + ": knows()")
	var prompt: Dictionary = NPCContextBuilder.build(memory, question)
	check_equal(plain in prompt["prompt"], is_known, id + ": build()")
	var begun := memory.begin_exchange("line", question)
	check_equal(plain in begun["prompt"], is_known, id + ": begin_exchange()")
	check_equal(plain in memory.build_dossier(question)["text"], is_known, id + ": build_dossier()")


func test_a_fact_of_a_faction_is_known_by_its_members_alone() -> void:
	make_town()
	MemoryWorld.set_facts({"chest": {"text": _SECRET, "known_by": {"faction": "Wreckers"}}})
	check_knows("ada", _SECRET, true)
	check_knows("bo", _SECRET, false)


func test_who_joins_learns_it_and_who_leaves_keeps_it() -> void:
	make_town()
	MemoryWorld.set_facts({"chest": {"text": _SECRET, "known_by": {"faction": "Wreckers"}}})
	MemoryWorld.register_character("bo", {"faction": "Wreckers"})
	check_knows("bo", _SECRET, true)
	MemoryServer.set_clock(func() -> float: return 86400.0 * 40000.0)
	MemoryWorld.register_character("ada", {"faction": ""})
	check_knows("ada", _SECRET, true)
	MemoryServer.set_clock(func() -> float: return 86400.0 * 40001.0)
	var later := "The silver was sunk in the bay."
	MemoryWorld.set_facts({"bay": {"text": later, "known_by": {"faction": "Wreckers"}}})
	check_knows("ada", later, false, "What about the silver in the bay?")
	check_knows("bo", later, true, "What about the silver in the bay?")
	MemoryServer.set_clock(Callable())


func test_an_event_and_lore_follow_the_same_rule() -> void:
	make_town()
	var event := {"summary": "The Wreckers lit a false beacon.", "known_by": {"group": "Wreckers"}}
	MemoryWorld.record_event(event)
	check_knows("ada", "The Wreckers lit a false beacon.", true, "Who lit a false beacon?")
	check_knows("bo", "The Wreckers lit a false beacon.", false, "Who lit a false beacon?")
	var lore := "# The rite {known_by: faction: Wreckers}\n\nThe rite of the tide is held at night."
	MemoryWorld.import_lore(lore, {"key": "rites"})
	check_knows("ada", "The rite of the tide is held at night.", true, "When is the rite?")
	check_knows("bo", "The rite of the tide is held at night.", false, "When is the rite?")
	check_equal(MemoryWorld.search_lore("rite", {"known_to": "bo"}).size(), 0)
	check_equal(MemoryWorld.search_lore("rite").size(), 1, "a tool finds it")


func test_a_flag_with_a_comparison_decides() -> void:
	make_town()
	var condition := {"npc": "bo", "flag": "stage", "at_least": 3}
	MemoryWorld.set_facts({"chest": {"text": _SECRET, "known_by": condition}})
	check_knows("bo", _SECRET, false)
	MemoryWorld.set_flags({"stage": 3})
	check_knows("bo", _SECRET, true)
	check_knows("ada", _SECRET, false)


func test_a_rumor_is_a_memory_and_one_npc_can_forget() -> void:
	make_town()
	var id := MemoryWorld.record_event({"summary": _SECRET, "known_by": ["ada"]})
	check_knows("bo", _SECRET, false)
	check_equal(MemoryWorld.spread_rumor(id, "bo", "ada"), PackedStringArray(["bo"]))
	check_knows("bo", _SECRET, true)
	var memory: Dictionary = MemoryServer.npc("bo").get_recent(1)[0]
	check_contains(memory["document_full"], "I heard from Ada that")
	check_equal(memory["metadata"]["heard_from"], "ada")
	var sureness := MemoryServer.npc("bo").how_sure(_SECRET)
	check(sureness < MemoryServer.npc("ada").how_sure(_SECRET), "she is a witness")
	check(MemoryServer.npc("ada").forget(id), "what she knows of the world")
	check_knows("ada", _SECRET, false)
	check_knows("bo", _SECRET, true)


func test_a_fact_added_to_the_knowledge_is_known_by_its_owner_alone() -> void:
	make_town()
	var world := NPCWorldKnowledge.new()
	world.add_fact("chest", _SECRET, {"known_by": {"place": "Quay"}})
	check_knows("ada", _SECRET, true)
	check_knows("bo", _SECRET, false)
	check_equal(world.get_facts_for("ada").size(), 1)
	check_equal(world.get_facts_for("bo").size(), 0)


func test_a_wrong_owner_is_an_error() -> void:
	make_town()
	expect_error("known_by has the key")
	MemoryWorld.set_facts({"a": {"text": "A.", "known_by": {"factoin": "Wreckers"}}})
	expect_error("it has the key locations")
	MemoryWorld.set_facts({"a": {"text": "A.", "locations": ["Quay"]}})
	check_equal(MemoryWorld.get_facts(), {})

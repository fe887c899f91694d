# Runs typed and untyped.
# What a menu of save slots needs: what is in a save, copies, campaigns; and the world as text.
extends "res://tests/engine/case.gd"


func _exit_tree() -> void:
	MemoryServer.close_save()


func _fill(save_id: String) -> RAGMemory:
	check_equal(MemoryServer.open_save(save_id, {"campaign": "the long winter"}), OK)
	var memory: RAGMemory = make_memory()
	memory.store("The mill burned down.")
	MemoryWorld.register_character("elena", {"name": "Elena"})
	MemoryWorld.record_event({"id": "siege", "summary": "Greywater was besieged."})
	check_equal(MemoryServer.snapshot("manual"), OK)
	memory.store("The mill was built anew.")
	return memory


func test_a_menu_tells_what_is_in_a_save() -> void:
	check(not MemoryServer.has_save("slots told"), "not yet")
	_fill("slots told")
	var open: Dictionary = MemoryServer.get_save_info("slots told")
	check_equal(open["state"], "open")
	check_equal(MemoryServer.close_save(), OK)
	check(MemoryServer.has_save("slots told"), "it is there")
	var info: Dictionary = MemoryServer.get_save_info("slots told")
	check_equal(info["state"], "closed")
	for key: String in [
		"npcs", "memories", "events", "lore_chunks", "oldest", "newest", "documents"
	]:
		check_equal(info[key], open[key], key)
	check_equal([info["npcs"], info["memories"], info["events"]], [1, 2, 1])
	check_equal(info["campaign"], "the long winter")
	check_equal(info["snapshots"], ["manual"])
	check(info["size"] != 0 and info["schema_version"] > 0, str(info))
	check_equal(MemoryServer.current_save(), "", "and it is not open")
	expect_error("there is no save 'slots nowhere'")
	check_equal(MemoryServer.get_save_info("slots nowhere"), {})
	check_equal(MemoryServer.delete_save("slots told"), OK)
	check(not MemoryServer.has_save("slots told"), "deleted")
	expect_error("cannot be the id of a save")
	check(not MemoryServer.has_save("../told"), "no id")


func test_a_save_is_copied_open_or_closed_and_replaces_none() -> void:
	var memory: RAGMemory = _fill("slots first")
	check_equal(MemoryServer.copy_save("slots first", "slots second"), OK)
	memory.store("After the copy.")
	var error: Variant = await MemoryServer.copy_save_async("slots first", "slots third").completed
	check_equal(error, OK)
	expect_error("there is a save 'slots second'")
	check_equal(MemoryServer.copy_save("slots first", "slots second"), ERR_ALREADY_EXISTS)
	expect_error("there is no save 'slots nowhere'")
	check_equal(MemoryServer.copy_save("slots nowhere", "slots fourth"), ERR_FILE_NOT_FOUND)
	check_equal(MemoryServer.open_save("slots second"), OK)
	check_equal(memory.get_memory_count(), 2)
	check_equal(MemoryWorld.get_character("elena")["name"], "Elena")
	check_equal(MemoryServer.restore("manual"), OK)
	check_equal(memory.get_memory_count(), 1)
	check_equal(MemoryServer.open_save("slots third"), OK)
	check_equal(memory.get_memory_count(), 3)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.copy_save("slots third", "slots fourth"), OK)
	for save_id: String in ["slots first", "slots second", "slots third", "slots fourth"]:
		check_equal(MemoryServer.delete_save(save_id), OK)


func test_a_snapshot_is_deleted() -> void:
	_fill("slots snapshot")
	check_equal(MemoryServer.snapshot("second"), OK)
	check_equal(MemoryServer.delete_snapshot("manual"), OK)
	check_equal(MemoryServer.list_snapshots(), PackedStringArray(["second"]))
	expect_error("there is no snapshot 'manual'")
	check_equal(MemoryServer.delete_snapshot("manual"), ERR_FILE_NOT_FOUND)
	check_equal(MemoryServer.delete_save("slots snapshot"), OK)


func test_snapshots_are_compared_with_their_worlds() -> void:
	_fill("slots compared")
	MemoryWorld.record_event({"id": "feast", "summary": "Greywater held a feast."})
	MemoryWorld.register_character("elena", {"faction": "north"})
	var world: Dictionary = MemoryServer.compare_snapshots("manual")["world"]
	check_equal(world["event"], {"added": 1, "removed": 0, "changed": 0})
	check_equal(world["character"], {"added": 0, "removed": 0, "changed": 1})
	check_equal(MemoryServer.delete_save("slots compared"), OK)


func test_a_save_stays_in_its_campaign() -> void:
	var memory: RAGMemory = _fill("slots campaign")
	expect_error('belongs to the campaign "the long winter"')
	check_equal(
		MemoryServer.open_save("slots campaign", {"campaign": "other"}), ERR_INVALID_PARAMETER
	)
	check_equal(MemoryServer.open_save("slots other", {"campaign": "other", "lore": ["base"]}), OK)
	check_equal(memory.get_memory_count(), 0)
	check_equal(MemoryServer.get_save_info("slots other")["lore"], ["base"])
	expect_error('belongs to the campaign "the long winter"')
	check_equal(
		MemoryServer.open_save("slots campaign", {"campaign": "other"}), ERR_INVALID_PARAMETER
	)
	check_equal(MemoryServer.current_save(), "slots other", "stays open")
	check_equal(MemoryServer.open_save("slots campaign"), OK)
	check_equal(memory.get_memory_count(), 2)
	for save_id: String in ["slots campaign", "slots other"]:
		check_equal(MemoryServer.delete_save(save_id), OK)


func test_a_world_goes_into_another_save_as_text() -> void:
	var memory: RAGMemory = _fill("slots text")
	memory.store_turn("Will you help?", "I promise to help you.")
	var text: String = MemoryWorld.export_json()
	check_equal(MemoryServer.open_save("slots reader"), OK)
	var count: int = MemoryWorld.import_json(text)
	check(count > 2, str(count))
	check_equal(MemoryWorld.get_character("elena")["name"], "Elena")
	check_equal(MemoryWorld.search_events("elena", "the siege")[0]["id"], "siege")
	check_equal(memory.get_turns().size(), 1)
	check_equal(MemoryWorld.import_json(text), 0, "nothing is new")
	expect_error("the JSON holds no world")
	check_equal(MemoryWorld.import_json("{}"), 0)
	memory.clear_all_memories()
	check_equal(memory.get_turns().size(), 0)
	for save_id: String in ["slots text", "slots reader"]:
		check_equal(MemoryServer.delete_save(save_id), OK)


func test_an_npc_gets_another_id_and_two_become_one() -> void:
	check_equal(MemoryServer.open_save("slots renamed"), OK)
	var bandit: RAGMemory = make_memory()
	bandit.npc_id = "bandit_7"
	bandit.store("The player spared my life.", 9)
	bandit.store_turn("Come with me.", "I will.")
	var mira: RAGMemory = make_memory()
	mira.npc_id = "mira"
	mira.store("He stole my cart.", 6, {"participants": ["bandit_7"], "event_type": "theft"})
	check_equal(MemoryServer.rename_npc("bandit_7", "olaf"), OK)
	check_equal(bandit.get_memory_count(), 0, "a node with the former id is somebody new")
	bandit.npc_id = " olaf"
	check_equal(bandit.get_memory_count(), 1, "spaces around an id are no part of it")
	check_equal(bandit.get_turns().size(), 1)
	check(
		mira.knows_event({"event_type": "theft", "participants": "olaf"}),
		"others know her by the new id"
	)
	expect_error("there is an NPC with this id")
	check_equal(MemoryServer.rename_npc("mira", "olaf"), ERR_INVALID_PARAMETER)
	expect_error("the save has nothing of such an NPC")
	check_equal(MemoryServer.rename_npc("nobody", "somebody"), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.merge_npcs("mira", "olaf"), OK)
	check_equal(mira.get_memory_count(), 2)
	check_equal(MemoryServer.close_save(), OK)
	expect_error("needs a save and none is open")
	check_equal(MemoryServer.merge_npcs("mira", "olaf"), ERR_FILE_NOT_FOUND)


func test_a_new_hero_comes_into_an_old_world() -> void:
	check_equal(MemoryServer.open_save("slots hero"), OK)
	var memory: RAGMemory = make_memory()
	memory.store("The player saved the mill.", 9, {"participants": ["player"]})
	memory.store_relationship("player", {"trust": -30})
	check_equal(MemoryServer.retire_player("theron", "Theron"), OK)
	check_contains(memory.generate_relationship_header()["document"] as String, "Met=no")
	check_equal(memory.get_relationship("theron")["trust"], -30)
	var saved: Dictionary = memory.retrieve_relevant_raw("Who saved the mill?", {"limit": 1})[0]
	check_equal(saved["rendered_text"], "Theron saved the mill.")
	MemoryWorld.register_character("theron", {"aliases": ["the Crow"]})
	check(memory.knows("the Crow saved the mill"), "an alias is a name like any other")
	expect_error("there is somebody with this id")
	check_equal(MemoryServer.retire_player("theron"), ERR_INVALID_PARAMETER)


# Of files: on a server an NPC who was released learns nothing before she is taken again.
func test_every_npc_of_a_save_in_a_file_belongs_to_the_game() -> void:
	check_equal(MemoryServer.open_save("slots owned"), OK)
	var memory: RAGMemory = make_memory()
	memory.store("The mill burned down.")
	check(MemoryServer.get_npc_owner(memory.npc_id) != "", "somebody has her")
	check_equal(MemoryServer.release_npc(memory.npc_id), OK)
	memory.store("The mill was built anew.")
	check_equal(MemoryServer.acquire_npc(memory.npc_id), OK)
	check_equal(memory.get_memory_count(), 2)
	expect_error("a name must not be empty")
	check_equal(MemoryServer.acquire_npc(""), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.close_save(), OK)
	expect_error("needs a save and none is open")
	check_equal(MemoryServer.release_npc("elena"), ERR_FILE_NOT_FOUND)
	check_equal(MemoryServer.get_npc_owner("elena"), "")

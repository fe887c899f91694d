# Runs typed and untyped.
# What a save keeps: snapshots, going back in time, consolidation, tiers, and memories as text.
extends "res://tests/engine/case.gd"

const DAY_SECONDS := 86400.0

var now := 1702500000.0


func _clock() -> float:
	return now


func _start(save_id: String) -> RAGMemory:
	MemoryServer.set_clock(_clock)
	check_equal(MemoryServer.open_save(save_id), OK)
	return make_memory()


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


func _store_talks(memory: RAGMemory, count: int, data: Dictionary = {}) -> void:
	var talks: Array[Dictionary] = []
	for number: int in count:
		var talk: Dictionary = {
			"text": "The player asked for bread number %d." % number,
			"importance": 3,
			"event_type": "conversation",
		}
		talk.merge(data)
		talks.append(talk)
	check_equal(memory.store_batch(talks).size(), count)


func test_a_snapshot_is_restored() -> void:
	var memory: RAGMemory = _start("keeping snapshot")
	var id: String = memory.store("The mill burned down.")
	check_equal(MemoryServer.list_snapshots(), PackedStringArray())
	check_equal(MemoryServer.snapshot("before"), OK)
	memory.store("The mill was built anew.")
	var error: Variant = await MemoryServer.snapshot_async("after").completed
	check_equal(error, OK)
	check_equal(MemoryServer.list_snapshots(), PackedStringArray(["after", "before"]))
	check_equal(MemoryServer.restore("before"), OK)
	check_equal(memory.get_memory_count(), 1)
	check_equal(memory.get_memory(id)["document_full"], "The mill burned down.")
	check_equal(MemoryServer.restore("after"), OK)
	check_equal(memory.get_memory_count(), 2)
	check_equal(MemoryServer.delete_save("keeping snapshot"), OK)
	check(
		not DirAccess.dir_exists_absolute("user://rag_memory/keeping snapshot.snapshots"), "deleted"
	)


# As docs/saves.md and docs/quick_start.md show it.
func test_a_player_who_quits_without_saving_has_saved_nothing() -> void:
	var memory: RAGMemory = _start("keeping slot")
	memory.store("The player repaired the mill.")
	check_equal(MemoryServer.snapshot("manual"), OK)
	memory.store("The player burned the mill down.")
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("keeping slot"), OK)
	check_equal(memory.get_memory_count(), 2, "the memory is there until the game is loaded")
	check("manual" in MemoryServer.list_snapshots(), "the snapshot outlives the game")
	check_equal(MemoryServer.restore("manual"), OK)
	check_equal(memory.get_memory_count(), 1)
	check_equal(memory.get_recent(1)[0]["document_full"], "The player repaired the mill.")
	check("keeping slot" in MemoryServer.list_saves(), "is listed")
	check_equal(MemoryServer.delete_save("keeping slot"), OK)
	check_equal(MemoryServer.open_save("keeping slot"), OK)
	check_equal(memory.get_memory_count(), 0, "a new game")
	check_equal(MemoryServer.list_snapshots(), PackedStringArray())


func test_a_snapshot_that_does_not_exist_is_an_error() -> void:
	expect_error("no snapshot")
	var memory: RAGMemory = _start("keeping unknown")
	memory.store("The mill burned down.")
	check_equal(MemoryServer.restore("never made"), ERR_FILE_NOT_FOUND)
	check_equal(memory.get_memory_count(), 1)


func test_a_slot_has_to_be_a_file_name() -> void:
	expect_error("cannot be the name of a snapshot")
	_start("keeping slot")
	check_equal(MemoryServer.snapshot("../elsewhere"), ERR_INVALID_PARAMETER)


func test_without_a_save_there_is_nothing_to_keep() -> void:
	expect_error("none is open")
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.snapshot("a"), ERR_FILE_NOT_FOUND)
	check_equal(MemoryServer.list_snapshots(), PackedStringArray())


func test_a_reloaded_game_has_no_future() -> void:
	var memory: RAGMemory = _start("keeping rollback")
	var slot: Dictionary = {"slot_type": "player_name"}
	memory.store("The player's name is Theron.", 9, slot)
	var promise: String = memory.store(
		"The player promised 3 bells.", 6, {"event_type": "promise_made"}
	)
	var moment: float = now
	now += DAY_SECONDS
	memory.store("The player's name is Falk.", 9, slot)
	var broken: Dictionary = {"event_type": "promise_broken"}
	memory.store("The player broke the promise.", 8, broken)
	check(memory.get_memory(promise)["metadata"]["superseded_by"] != "", "superseded")
	check_equal(MemoryServer.rollback_to(moment), 2)
	check_equal(memory.get_memory_count(), 2)
	check_equal(memory.get_memory(promise)["metadata"]["superseded_by"], "")
	var names: PackedStringArray = memory.retrieve_relevant("name", {"filter": slot})
	check_equal(names, PackedStringArray(["The player's name is Theron."]))
	var forgotten: Variant = await MemoryServer.rollback_to_async(0.0).completed
	check_equal(forgotten, 2)


func test_consolidation_merges_and_a_rollback_brings_back() -> void:
	var memory: RAGMemory = _start("keeping consolidation")
	var consolidated: Array[Array] = watch(memory.memories_consolidated)
	_store_talks(memory, 60)
	check_equal(memory.needs_consolidation(), true)
	var moment: float = now
	now += 60.0
	var done: Dictionary = await memory.consolidate_async().completed
	check_equal(memory.needs_consolidation(), false)
	check_equal(memory.get_memory_count(), done["remaining"])
	check((done["remaining"] as int) <= 20, "20 is the target")
	await until(func() -> bool: return not consolidated.is_empty())
	var summary_ids: PackedStringArray = consolidated[0][1]
	check_equal(consolidated[0][0], done["removed"])
	var summary: Dictionary = memory.get_memory(summary_ids[0])
	check_equal(summary["metadata"]["importance"], 6)
	check_type(summary["metadata"]["source_ids"], TYPE_ARRAY)
	MemoryServer.rollback_to(moment)
	check_equal(memory.get_memory_count(), 60)


func test_people_in_the_background_keep_few_memories() -> void:
	var memory: RAGMemory = _start("keeping few")
	var guards := MemoryConfig.new()
	guards.max_memories = 30
	var guard := MemoryConfig.new()
	guard.inherits = guards
	memory.config = guard
	_store_talks(memory, 40)
	var pinned: String = memory.store("The captain's name is Osric.", 9, {"memory_tier": 0})
	await until(func() -> bool: return memory.get_memory_count() <= 30)
	check_equal(memory.get_memory_count(), 30)
	check(not memory.get_memory(pinned).is_empty(), "pinned")
	check_equal(memory.get_archived().size(), 11)
	check_equal(memory.get_archived()[0]["archived"]["reason"], "over_limit")


func test_auto_consolidate_works_in_the_background() -> void:
	var memory: RAGMemory = _start("keeping background")
	var config := MemoryConfig.new()
	config.auto_consolidate = true
	memory.config = config
	_store_talks(memory, 51)
	await until(func() -> bool: return memory.get_memory_count() <= 20)
	check(memory.get_memory_count() > 0, "summaries")


func test_every_living_node_of_an_npc_is_told_what_happened_in_the_background() -> void:
	var first: RAGMemory = _start("keeping two nodes")
	var second: RAGMemory = make_memory(first.npc_id)
	var other: RAGMemory = make_memory("somebody else")
	var config := MemoryConfig.new()
	config.auto_consolidate = true
	first.config = config
	second.config = config
	var told_first: Array[Array] = watch(first.memories_consolidated)
	var told_second: Array[Array] = watch(second.memories_consolidated)
	var told_other: Array[Array] = watch(other.memories_consolidated)
	other.store("It rained.")
	second.get_memory_count()
	var added_by_first: Array[Array] = watch(first.memory_added)
	var added_by_second: Array[Array] = watch(second.memory_added)
	_store_talks(first, 51)
	second.get_memory_count()
	await until(func() -> bool: return not told_second.is_empty())
	check_equal(told_first, told_second)
	check_equal(added_by_first.size(), 51)
	check_equal(added_by_second.size(), 0)
	_store_talks(first, 51)
	second.get_memory_count()
	second.free()
	await until(func() -> bool: return told_first.size() == 2)
	check_equal(told_other.size(), 0)


func test_tiers_have_their_own_arrays() -> void:
	var memory: RAGMemory = _start("keeping tiers")
	for tier: int in 3:
		_store_talks(memory, 12, {"memory_tier": tier, "location": "place %d" % tier})
	var found: Dictionary = memory.retrieve_tiered("bread")
	check_type(found["pinned"], TYPE_ARRAY)
	var used: int = 0
	for name: String in ["pinned", "important", "relevant"]:
		for each: Dictionary in found[name]:
			used += (each["rendered_text"] as String).length()
	check_equal(found["total_chars"], used)
	check_equal(found["budget_remaining"], 10000 - used)
	found = memory.retrieve_tiered("bread", {"max_memory_chars": 100})
	check((found["total_chars"] as int) <= 100, "the budget is kept")


func test_a_protected_memory_beyond_max_memory_chars_is_warned_of() -> void:
	var memory: RAGMemory = _start("keeping what is protected")
	var name: Dictionary = {"slot_type": "player_name", "memory_tier": 1}
	var id: String = memory.store("The player's name is Theron.", 5, name)
	expect_warning("exceeds max_memory_chars, 10 characters; it is returned all the same")
	var found: Dictionary = memory.retrieve_tiered("the mill", {"max_memory_chars": 10})
	check_equal(found["important"].size(), 1)
	check_equal(found["important"][0]["id"], id)
	check_equal(found["total_chars"], 28)
	check_equal(found["budget_remaining"], 0)


func test_what_one_tier_tells_no_other_tier_tells_again() -> void:
	var memory: RAGMemory = _start("keeping tiers apart")
	var pinned: String = memory.store("The wolf came to the mill.", 9, {"memory_tier": 0})
	var important: String = memory.store("The wolf came to the mill!", 8, {"memory_tier": 1})
	var regular: String = memory.store("A wolf came to the mill.", 5, {"memory_tier": 2})
	var other: String = memory.store("Elena sells blue paint.", 5, {"memory_tier": 2})
	var found: Dictionary = memory.retrieve_tiered("Who came to the mill?")
	var told := PackedStringArray()
	var repeated := PackedStringArray()
	for name: String in ["pinned", "important", "relevant"]:
		for each: Dictionary in found[name]:
			told.append(each["id"] as String)
			for id: String in each.get("duplicates", []):
				repeated.append(id)
	told.sort()
	var expected := PackedStringArray([pinned, other])
	expected.sort()
	check_equal(told, expected)
	repeated.sort()
	expected = PackedStringArray([important, regular])
	expected.sort()
	check_equal(repeated, expected, "what is left out is named by the one that stands for it")


func test_memories_travel_as_json() -> void:
	var memory: RAGMemory = _start("keeping json")
	memory.store("The mill burned down.", 7, {"location": "mill", "own": [1, 2.5]})
	var text: String = memory.export_json()
	check_type(JSON.parse_string(text), TYPE_DICTIONARY)
	var other: RAGMemory = make_memory("another npc")
	check_equal(other.import_json(text), 1)
	check_equal(other.import_json(text), 0)
	var own: Array = [1, 2.5]
	check_equal(other.get_recent()[0]["metadata"]["own"], own)
	check_contains(memory.dump_all_memories(), "The mill burned down.")


func test_json_that_is_none_is_an_error() -> void:
	expect_error("is no JSON")
	var memory: RAGMemory = _start("keeping no json")
	check_equal(memory.import_json("nonsense"), 0)


func test_what_was_merged_or_replaced_can_be_restored() -> void:
	var memory: RAGMemory = _start("keeping archive")
	_store_talks(memory, 60)
	check(memory.consolidate()["removed"] > 30, "consolidated")
	var archived: Array[Dictionary] = memory.get_archived()
	var source: Dictionary = archived[0]
	check_equal(source["archived"]["reason"], "consolidated")
	check(source["id"] in memory.get_memory(source["archived"]["by"])["metadata"]["source_ids"], "")
	check_equal(memory.get_memory(source["id"]), {})
	check_equal(memory.restore_archived(source["id"]), true)
	check_equal(memory.get_memory(source["id"])["document_full"], source["document_full"])
	check_equal(memory.get_archived(source["id"]), [] as Array[Dictionary])
	check_equal(memory.restore_archived("nothing"), false)

	var quest: Dictionary = {"slot_type": "current_quest_for_npc"}
	var first: String = memory.store("Find the ring.", 5, quest)
	var second: String = memory.store("Find the ox.", 5, quest)
	var restored: Variant = await memory.restore_archived_async(first).completed
	check_equal(restored, true)
	check_equal(memory.get_archived(second)[0]["archived"]["by"], first)

	var other: RAGMemory = make_memory("somebody else")
	check_equal(other.import_json(memory.export_json()), memory.get_memory_count())
	check_equal(other.get_archived().size(), memory.get_archived().size())


func test_two_saves_never_leak_into_each_other() -> void:
	var memory: RAGMemory = _start("keeping first of two")
	var known: Dictionary = {}
	var player_name: Dictionary = {
		"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"
	}
	for save_id: String in ["keeping first of two", "keeping second of two"]:
		check_equal(MemoryServer.open_save(save_id), OK)
		check_equal(memory.get_memory_count(), 0, "a new save is empty")
		memory.set_relationship_state({"trust": known.size() * 50})
		memory.store("The player's name is %s." % save_id.to_camel_case(), 9, player_name)
		memory.store(
			"The player promised %d bells." % known.size(), 6, {"event_type": "promise_made"}
		)
		memory.store_relationship("bjorn", {"trust": known.size() * 10})
		_store_talks(memory, 60 + known.size())
		memory.consolidate()
		check_equal(MemoryServer.snapshot("slot"), OK)
		known[save_id] = memory.export_json()
	check_equal(MemoryServer.open_save("keeping first of two"), OK)
	check_equal(memory.export_json(), known["keeping first of two"])
	now += DAY_SECONDS
	memory.store("No bells came.", 6, {"event_type": "promise_broken"})
	check_equal(MemoryServer.open_save("keeping second of two"), OK)
	check_equal(memory.export_json(), known["keeping second of two"])
	check_equal(memory.get_relationship("bjorn")["trust"], 10)
	check_equal(MemoryServer.rollback_to(now - 1.0), 0)
	check_equal(MemoryServer.restore("slot"), OK)
	check_equal(memory.export_json(), known["keeping second of two"])
	for each: Dictionary in memory.retrieve_scored("What is the player called?"):
		check(
			not "keepingFirst" in (each["document_full"] as String), each["document_full"] as String
		)
	check_equal(MemoryServer.open_save("keeping first of two"), OK)
	check_equal(MemoryServer.restore("slot"), OK)
	check_equal(memory.export_json(), known["keeping first of two"])

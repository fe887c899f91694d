# Runs typed and untyped.
# RAGMemory: every method and signal, with all arguments and with the defaults.
# gdlint: disable=max-public-methods
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const KEYS: Array[String] = [
	"id",
	"document",
	"document_short",
	"document_full",
	"rendered_text",
	"used_form",
	"metadata",
	"may_be_told",
	"exchange_id",
	"similarity",
	"distance",
	"score",
	"protected",
	"breakdown",
]
const FACTORS: Array[String] = ["tier_weight", "importance", "recency", "relevance", "supersession"]


func test_properties() -> void:
	var memory: RAGMemory = RAGMemory.new()
	check_equal(memory.npc_id, "")
	check_equal(memory.config, null)
	check_equal(memory.persistent, true)
	var config: MemoryConfig = MemoryConfig.new()
	memory.npc_id = "elena"
	memory.config = config
	memory.persistent = false
	check_equal(memory.npc_id, "elena")
	check_equal(memory.config, config)
	check_equal(memory.persistent, false)
	memory.config = null
	check_equal(memory.config, null)
	memory.free()


func test_store_returns_an_id_and_emits_memory_added() -> void:
	var memory: RAGMemory = make_memory("storing")
	var added: Array[Array] = watch(memory.memory_added)
	var id: String = memory.store(
		"The player gave me a rose.", 7, {"event_type": "gift_given", "timestamp": 1000}
	)
	check_equal(id, "storing_1000_gift_given")
	check_equal(added, [[id]] as Array[Array])
	check_equal(
		memory.store("Again.", 7, {"event_type": "gift_given", "timestamp": 1000.5}), id + "_2"
	)


func test_store_has_default_arguments() -> void:
	var memory: RAGMemory = make_memory()
	var before: float = Time.get_unix_time_from_system()
	var stored: Dictionary = memory.get_memory(memory.store("A quiet day."))
	check_equal(stored["metadata"]["importance"], 5)
	check_equal(stored["metadata"]["event_type"], "general")
	check_near(stored["metadata"]["timestamp"], before, "the time of the system", 5.0)
	stored = memory.get_memory(memory.store("A loud day.", 6))
	check_equal(stored["metadata"]["importance"], 6)


func test_default_arguments_are_not_shared_between_calls() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("One.")
	var data: Dictionary = {"mood": "calm"}
	memory.store("Two.", 5, data)
	check_equal(data, {"mood": "calm"}, "the caller's dictionary stays as it was")
	check(
		not memory.get_memory(memory.store("Three."))["metadata"].has("mood"),
		"a later default is empty"
	)


func test_data_is_kept_as_metadata() -> void:
	var memory: RAGMemory = make_memory()
	var data: Dictionary = {
		"event_type": "quest_completed",
		"emotion": "grateful",
		"participants": ["Elena", "player"],
		"location": "old mill",
		"topics": PackedStringArray(["wolves"]),
		"interaction_type": "quest_related",
		"entities": ["the silver ring"],
		"slot_type": "",
		"reward": 12.5,
		"nested": {"list": [1, 2.5, "three", null, true]},
	}
	var metadata: Dictionary = (
		memory.get_memory(memory.store("The wolves are gone.", 8, data))["metadata"]
	)
	check_equal(metadata["event_type"], "quest_completed")
	check_equal(metadata["emotion"], "grateful")
	check_equal(metadata["participants"], ["Elena", "player"])
	check_equal(metadata["location"], "old mill")
	check_equal(metadata["topics"], ["wolves"])
	check_equal(metadata["interaction_type"], "quest_related")
	check_equal(metadata["entities"], ["the silver ring"])
	check_equal(metadata["importance"], 8)
	check_equal(metadata["memory_tier"], 1)
	check_equal(metadata["reward"], 12.5)
	check_equal(metadata["nested"], {"list": [1, 2.5, "three", null, true]})


func test_a_milestone_emits_milestone_created() -> void:
	var memory: RAGMemory = make_memory()
	var created: Array[Array] = watch(memory.milestone_created)
	memory.store("The player betrayed us.", 9, {"event_type": "betrayal"})
	check_equal(created, [["betrayal"]] as Array[Array])
	memory.store("We talked.")
	check_equal(created.size(), 1)


func test_player_info_is_updated_not_repeated() -> void:
	var memory: RAGMemory = make_memory()
	var added: Array[Array] = watch(memory.memory_added)
	var data: Dictionary = {"event_type": "player_info", "info_type": "home"}
	var id: String = memory.store("The player comes from Ravenford.", 6, data)
	check_equal(memory.store("The player comes from Millbrook.", 6, data), id)
	check_equal(memory.get_memory_count(), 1)
	check_equal(memory.get_memory(id)["document"], "The player comes from Millbrook.")
	check_equal(added.size(), 1)


func test_store_batch_returns_ids_in_order() -> void:
	var memory: RAGMemory = make_memory()
	var added: Array[Array] = watch(memory.memory_added)
	var memories: Array[Dictionary] = []
	for number: int in 40:
		memories.append(
			{"text": "Night %d was dark." % number, "importance": 1 + number % 10, "number": number}
		)
	var ids: PackedStringArray = memory.store_batch(memories)
	check_type(ids, TYPE_PACKED_STRING_ARRAY)
	check_equal(ids.size(), 40)
	check_equal(added.size(), 40)
	check_equal(added[39], [ids[39]])
	check_equal(memory.get_memory(ids[17])["metadata"]["number"], 17)
	check_equal(memory.get_memory(ids[17])["metadata"]["importance"], 8)
	check_equal(memory.store_batch([] as Array[Dictionary]), PackedStringArray())


func test_store_batch_with_a_wrong_memory_stores_nothing() -> void:
	var memory: RAGMemory = make_memory()
	expect_error("store_batch(), memory 1: there is no text")
	var ids: PackedStringArray = memory.store_batch(
		[{"text": "One."}, {"importance": 3}] as Array[Dictionary]
	)
	check_equal(ids, PackedStringArray())
	check_equal(memory.get_memory_count(), 0)


func test_store_batch_takes_an_untyped_array() -> void:
	var memory: RAGMemory = make_memory()
	var memories: Array = [{"text": "One."}, {"text": "Two."}]
	check_equal(memory.store_batch(memories).size(), 2)


func test_retrieve_scored_returns_the_documented_shape() -> void:
	var memory: RAGMemory = make_memory()
	memory.config = MemoryConfig.new()
	memory.config.score_mode = MemoryConfig.PRODUCT
	memory.store("The player gave me a red rose by the well.", 7)
	var recalled: Array[Dictionary] = memory.retrieve_scored("Do you like flowers?")
	check_equal(recalled.size(), 2)
	for entry: Dictionary in recalled:
		check_equal(entry.keys().size(), KEYS.size(), str(entry.keys()))
		check(entry.has_all(KEYS), str(entry.keys()))
		check(entry["breakdown"].has_all(FACTORS), str(entry["breakdown"].keys()))
	check_equal(recalled[0]["protected"], true, "protected before all others")
	var rose: Dictionary = recalled[1]
	check_equal(rose["document"], "The player gave me a red rose by the well.")
	check_equal(rose["protected"], false)
	check(rose["similarity"] > 0.1 and rose["similarity"] <= 1.0, str(rose["similarity"]))
	check_near(rose["distance"], 1.0 - rose["similarity"])
	var product: float = 1.0
	for factor: String in FACTORS:
		product *= rose["breakdown"][factor]
	check_near(rose["score"], product)
	check_near(rose["breakdown"]["relevance"], 0.3 + 0.7 * rose["breakdown"]["dense"])
	check_near(rose["breakdown"]["importance"], 0.7)


func test_retrieve_scored_takes_a_token_budget() -> void:
	var memory: RAGMemory = make_memory()
	for number: int in 10:
		memory.store("On day %d the river was high and we stayed at home, all of us." % number)
	var everything: Array[Dictionary] = memory.retrieve_scored("the river")
	check_equal(everything.size(), 11)
	check_equal(
		memory.retrieve_scored("the river", -1).size(), 11, "-1 stands for the config's budget"
	)
	var some: Array[Dictionary] = memory.retrieve_scored("the river", 100)
	check(some.size() > 1 and some.size() < 11, "%d memories" % some.size())
	var protected_only: Array[Dictionary] = memory.retrieve_scored("the river", 0)
	check_equal(protected_only.size(), 1, "protected ones always come")
	check_equal(memory.retrieve_scored("the river", 0).is_same_typed([] as Array[Dictionary]), true)


func test_retrieve_scored_emits_memories_recalled() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("The river was high.")
	var recalled: Array[Array] = watch(memory.memories_recalled)
	memory.retrieve_scored("the river")
	check_equal(recalled, [[2]] as Array[Array])


func test_retrieve_relevant_returns_lines() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("The smith sharpened my sword.", 2)
	memory.store("My mother bakes bread on Sundays.", 5)
	var lines: PackedStringArray = memory.retrieve_relevant("Who can repair a blade?")
	check_type(lines, TYPE_PACKED_STRING_ARRAY)
	check_equal(lines.size(), 2)
	check_contains(lines[0], "The smith sharpened my sword.")
	check_equal(memory.retrieve_relevant("Who can repair a blade?", {"limit": 1}).size(), 1)
	lines = memory.retrieve_relevant("Who can repair a blade?", {"min_importance": 3})
	check_equal(lines.size(), 1)
	check_contains(lines[0], "bread")


func test_retrieve_relevant_raw_takes_filters() -> void:
	var memory: RAGMemory = make_memory()
	for number: int in 20:
		var data: Dictionary = {
			"event_type": "betrayal" if number % 4 == 0 else "chat", "timestamp": number
		}
		memory.store("Event %d at the gate." % number, 1 + number % 10, data)
	var all_of_them: Array[Dictionary] = memory.retrieve_relevant_raw("the gate")
	check_equal(all_of_them.size(), 5, "the default limit")
	var options: Dictionary = {"limit": 20, "filter": {"event_type": "betrayal"}}
	check_equal(memory.retrieve_relevant_raw("the gate", options).size(), 5)
	options = {"limit": 20, "filter": {"importance": {">=": 4}, "timestamp": {">": 10}}}
	for entry: Dictionary in memory.retrieve_relevant_raw("the gate", options):
		check(
			entry["metadata"]["importance"] >= 4 and entry["metadata"]["timestamp"] > 10, str(entry)
		)
	options = {"limit": 20, "filter": {"event_type": {"in": ["betrayal", "none"]}}}
	check_equal(memory.retrieve_relevant_raw("the gate", options).size(), 5)
	var best: Array[Dictionary] = memory.retrieve_relevant_raw("the gate", {"limit": 20})
	for index: int in range(1, best.size()):
		var better: float = best[index - 1]["breakdown"]["relevance"]
		check(better >= best[index]["breakdown"]["relevance"], "best first")


func test_an_unknown_option_is_refused() -> void:
	var memory: RAGMemory = make_memory()
	expect_error("there is no option 'limits'")
	check_equal(memory.retrieve_relevant("x", {"limits": 3}), PackedStringArray())
	check_equal(memory.retrieve_relevant_raw("x", {"limits": 3}), [] as Array[Dictionary])


func test_get_recent_is_newest_first() -> void:
	var memory: RAGMemory = make_memory()
	for number: int in 8:
		memory.store("Event %d." % number, 1 + number, {"timestamp": 100 + number})
	var recent: Array[Dictionary] = memory.get_recent()
	check_equal(recent.size(), 5)
	check_equal(recent[0]["document"], "Event 7.")
	check_equal(recent[4]["document"], "Event 3.")
	check_equal(memory.get_recent(2).size(), 2)
	check_equal(memory.get_recent(10, 7).size(), 2)
	check_equal(memory.get_recent(0), [] as Array[Dictionary])


func test_get_memory_of_an_unknown_id_is_empty() -> void:
	var memory: RAGMemory = make_memory()
	var nothing: Dictionary = memory.get_memory("no such id")
	check_equal(nothing, {})


func test_forget_deletes_one_memory() -> void:
	var memory: RAGMemory = make_memory()
	var id: String = memory.store("A secret.")
	memory.store("No secret.")
	var forgotten: bool = memory.forget(id)
	check_equal(forgotten, true)
	check_equal(memory.forget(id), false)
	check_equal(memory.get_memory(id), {})
	var count: int = memory.get_memory_count()
	check_equal(count, 1)


func test_clear_all_memories_returns_how_many_there_were() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("One.")
	memory.store("Two.")
	var count: int = memory.clear_all_memories()
	check_equal(count, 2)
	check_equal(memory.get_memory_count(), 0)
	check_equal(memory.clear_all_memories(), 0)


func test_relationship_header() -> void:
	var memory: RAGMemory = make_memory("header")
	var header: Dictionary = memory.generate_relationship_header()
	check_equal(header["id"], "header_relationship_header")
	check_equal(header["protected"], true)
	memory.set_relationship_state(
		{"trust": 45, "affection": 20, "fear": 0, "respect": 30, "familiarity": 10}
	)
	header = memory.generate_relationship_header()
	var text: String = header["document"]
	check_contains(text, "Trust=45, Affection=20, Fear=0, Respect=30, Status=")
	check_equal(memory.retrieve_scored("Hello!")[0]["document"], text)


func test_a_wrong_relationship_state_is_said() -> void:
	var memory: RAGMemory = make_memory()
	var failed: Array[Array] = watch(memory.failed)
	expect_error("set_relationship_state()")
	memory.set_relationship_state({"trust": "much"})
	check_equal(memory.get_memory_count(), 0)
	await until(func() -> bool: return not failed.is_empty())
	check_equal(failed.size(), 1, "a posted call's error reaches the node too")


func test_a_slip_in_a_relationship_state_is_warned_of() -> void:
	var memory: RAGMemory = make_memory()
	expect_warning("state has the key 'trst', which has no meaning")
	memory.set_relationship_state({"trst": 3, "fear": 10, "mood": "calm"})
	var header: Dictionary = memory.generate_relationship_header()
	check_contains(header["document"], "Trust=50, Affection=0, Fear=10")


func test_estimate_tokens() -> void:
	var memory: RAGMemory = make_memory()
	var tokens: int = memory.estimate_tokens("")
	check_equal(tokens, 0)
	check_equal(memory.estimate_tokens("a"), 1)
	check_equal(memory.estimate_tokens("abc"), 1)
	check_equal(memory.estimate_tokens("abcd"), 2)


func test_async_forms_complete_with_the_same_types() -> void:
	var memory: RAGMemory = make_memory()
	var id: Variant = await (
		memory.store_async("The rain came.", 6, {"event_type": "weather"}).completed
	)
	check_type(id, TYPE_STRING)
	var ids: Variant = await (
		memory.store_batch_async([{"text": "It stayed."}] as Array[Dictionary]).completed
	)
	check_type(ids, TYPE_PACKED_STRING_ARRAY)
	var scored: Variant = await memory.retrieve_scored_async("rain").completed
	check(scored is Array and scored.is_same_typed([] as Array[Dictionary]), "Array[Dictionary]")
	check_equal(scored.map(_id_of), memory.retrieve_scored("rain").map(_id_of))
	var typed: Array[Dictionary] = await memory.retrieve_scored_async("rain", 500).completed
	check_equal(typed.size(), 3)
	var lines: Variant = await memory.retrieve_relevant_async("rain").completed
	check_type(lines, TYPE_PACKED_STRING_ARRAY)
	var raw: Variant = await memory.retrieve_relevant_raw_async("rain", {"limit": 1}).completed
	check(raw is Array and raw.is_same_typed([] as Array[Dictionary]), "Array[Dictionary]")
	var recent: Variant = await memory.get_recent_async().completed
	check(recent is Array and recent.is_same_typed([] as Array[Dictionary]), "Array[Dictionary]")
	check_equal((await memory.get_memory_async(id).completed)["document"], "The rain came.")
	check_equal(await memory.get_memory_count_async().completed, 2)
	check_type(await memory.generate_relationship_header_async().completed, TYPE_DICTIONARY)
	check_equal(await memory.forget_async(id).completed, true)
	check_equal(await memory.clear_all_memories_async().completed, 1)


func test_a_failed_call_returns_its_empty_value_and_emits_failed_once() -> void:
	var memory: RAGMemory = make_memory()
	var failed: Array[Array] = watch(memory.failed)
	expect_error("RAGMemory.store(): text is empty: there is nothing to remember. Pass a text.")
	check_equal(memory.store(""), "")
	check_equal(failed.size(), 1)
	check_contains(failed[0][0], "text is empty")
	expect_error("RAGMemory.store_async(): text is empty")
	var request: MemoryRequest = memory.store_async("  ")
	check_equal(await request.completed, "")
	check_contains(request.get_error(), "text is empty")
	check_equal(failed.size(), 2)


func test_a_node_without_npc_id_says_so() -> void:
	var memory: RAGMemory = RAGMemory.new()
	add_child(memory)
	expect_error("its npc_id is empty")
	check_equal(memory.store("Who am I?"), "")
	check_equal(memory.retrieve_scored("Who am I?"), [] as Array[Dictionary])
	check_equal(memory.get_memory_count(), 0)
	memory.npc_id = "somebody now"
	check(memory.store("Now I know.") != "", "works once it has one")


func test_a_node_outside_the_tree_works() -> void:
	var memory: RAGMemory = RAGMemory.new()
	memory.npc_id = "outside the tree"
	check(memory.store("Nobody sees me.") != "", "an id")
	check_equal(memory.get_memory_count(), 1)
	memory.free()


func test_a_script_that_extends_the_node_keeps_its_own_callbacks() -> void:
	var script: GDScript = GDScript.new()
	script.source_code = """extends RAGMemory
var was_ready := false
func _ready() -> void:
	was_ready = true
"""
	check_equal(script.reload(), OK)
	var memory: Variant = script.new()
	memory.npc_id = "extended"
	add_child(memory)
	check_equal(memory.was_ready, true)
	check(memory.store("I am more than a memory.") != "", "an id")


func _id_of(entry: Dictionary) -> String:
	return entry["id"]

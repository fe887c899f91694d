# Runs typed and untyped.
# RAGMemory: what is stored besides plain memories, what contradicts what, importance, and changing
# a memory.
# gdlint: disable=max-public-methods
extends "res://tests/engine/case.gd"


func test_storing_replaces_the_value_of_a_slot() -> void:
	var memory: RAGMemory = make_memory()
	var superseded: Array[Array] = watch(memory.memory_superseded)
	var old: String = memory.store("The player's name is Theron.", 9, {"slot_type": "player_name"})
	var stored: Dictionary = memory.store_with_conflict_check(
		"The player's name is Thoren.", 9, {"slot_type": "player_name"}
	)
	var new: String = stored["id"]
	check(old != new, "a new id")
	check_equal(stored["superseded"], [old])
	check_equal(memory.get_memory(old), {})
	check_equal(memory.get_memory_count(), 1)
	var recalled: Array[Dictionary] = memory.retrieve_scored("What is my name?")
	check_equal(recalled[1]["id"], new)
	check_equal(recalled[1]["protected"], true)
	check_equal(memory.is_protected(recalled[1]), true)
	check_equal(superseded, [] as Array[Array])


func test_storing_supersedes_what_the_memory_is_about() -> void:
	var memory: RAGMemory = make_memory()
	var superseded: Array[Array] = watch(memory.memory_superseded)
	var data: Dictionary = {"event_type": "promise_made"}
	var first: String = memory.store("The player promised to mend my roof.", 7, data)
	var second: String = memory.store("The player promised to bring wood.", 7, data)
	var data_of_breach: Dictionary = {"event_type": "promise_broken"}
	var nothing: Dictionary = memory.store_with_conflict_check("He never came.", 8, data_of_breach)
	check_equal(nothing["superseded"], [], "it may be one promise or the other")
	var breach: String = memory.store("The player never mended the roof.", 8, data_of_breach)
	check_equal(superseded, [[first, breach]] as Array[Array])
	check_equal(memory.get_memory(second)["metadata"]["superseded_by"], "")
	var metadata: Dictionary = memory.get_memory(first)["metadata"]
	check_equal(metadata["superseded_by"], breach)
	check(metadata["superseded_at"] > 0.0, "when")
	for entry: Dictionary in memory.retrieve_scored("the roof and the wood"):
		if entry["id"] == first:
			check_near(entry["breakdown"]["supersession"], 0.1)


func test_the_pairs_of_the_config_supersede() -> void:
	var memory: RAGMemory = make_memory()
	var config: MemoryConfig = MemoryConfig.new()
	config.supersession_pairs = {"war": "peace"}
	config.slot_types = ["mood"]
	memory.config = config
	var war: String = memory.store("There is war.", 7, {"event_type": "war"})
	var peace: String = memory.store("There is peace.", 7, {"event_type": "peace"})
	check_equal(memory.get_memory(war)["metadata"]["superseded_by"], peace)
	memory.store("I am sad.", 5, {"slot_type": "mood"})
	memory.store("I am glad.", 5, {"slot_type": "mood"})
	check_equal(memory.get_memory_count(), 3)
	var weather: String = memory.store("It rains.", 5, {"slot_type": "weather"})
	var sun: String = memory.store("The sun shines.", 5, {"slot_type": "weather"})
	check_equal(memory.get_memory(weather)["metadata"]["superseded_by"], sun, "a slot of no list")


func test_store_with_conflict_check_has_default_arguments() -> void:
	var memory: RAGMemory = make_memory()
	var stored: Dictionary = memory.store_with_conflict_check("A quiet day.")
	check_equal(stored["superseded"], [])
	check_equal(memory.get_memory(stored["id"])["metadata"]["importance"], 5)


func test_conversations() -> void:
	var memory: RAGMemory = make_memory("talker")
	var stored: Dictionary = memory.get_memory(memory.store_conversation("player", "Good day!"))
	check_equal(stored["document"], 'The player told me: "Good day!"')
	check_equal(stored["metadata"]["event_type"], "conversation")
	check_equal(stored["metadata"]["importance"], 6)
	var context: Dictionary = {"importance": 9, "topics": ["roof"], "emotion": "glad"}
	stored = memory.get_memory(memory.store_conversation("talker", "Welcome.", context))
	check_equal(stored["document"], 'I told the player: "Welcome."')
	check_equal(stored["metadata"]["importance"], 9)
	check_equal(stored["metadata"]["topics"], ["roof"])
	check_equal(stored["metadata"]["emotion"], "glad")
	stored = memory.get_memory(memory.store_conversation("Bjorn", "No."))
	check_equal(stored["document"], 'Bjorn told me: "No."')


func test_the_other_convenience_calls() -> void:
	var memory: RAGMemory = make_memory()
	var stored: Dictionary = memory.get_memory(memory.store_witnessed_event("The inn burned."))
	check_equal(stored["document"], "I saw this happen: The inn burned.")
	check_equal(stored["metadata"]["importance"], 7)
	check_equal(stored["metadata"]["emotion"], "surprised")
	stored = memory.get_memory(memory.store_witnessed_event("I saw a wolf.", 3, "calm"))
	check_equal(stored["metadata"]["importance"], 3)
	stored = memory.get_memory(memory.store_player_action("gift_received", "gave me a rose"))
	check_equal(stored["document"], "The player gave me a rose")
	check_equal(stored["metadata"]["event_type"], "gift_received")
	check_equal(stored["metadata"]["importance"], 8)
	check_equal(stored["metadata"]["memory_tier"], 1)
	stored = memory.get_memory(memory.store_player_action("helped", "helped me", 4, "grateful"))
	check_equal(stored["metadata"]["emotion"], "grateful")
	stored = memory.get_memory(memory.store_quest_memory("lost_ring", "completed"))
	check_equal(stored["metadata"]["event_type"], "quest_completed")
	check_equal(stored["metadata"]["importance"], 8)
	check_contains(stored["document"], "lost ring")
	stored = memory.get_memory(memory.store_npc_awareness("bjorn", "Bjorn has left.", 6))
	check_equal(stored["metadata"]["event_type"], "npc_awareness")
	check_equal(stored["metadata"]["importance"], 6)


func test_an_action_without_an_emotion_gets_that_of_its_type() -> void:
	var memory: RAGMemory = make_memory()
	var wanted: Dictionary = {
		"quest_accepted": "hopeful",
		"quest_refused": "disappointed",
		"quest_completed": "grateful",
		"quest_failed": "frustrated",
		"item_given": "grateful",
		"item_received": "pleased",
		"helped": "grateful",
		"refused_help": "disappointed",
		"sang": "neutral",
	}
	for action: String in wanted:
		var id: String = memory.store_player_action(action, "did it: " + action)
		check_equal(memory.get_memory(id)["metadata"]["emotion"], wanted[action], action)
	var config: MemoryConfig = MemoryConfig.new()
	config.action_emotions = {"sang": "cheerful"}
	config.other_action_emotion = ""
	var path: String = "user://action_emotions.tres"
	check_equal(ResourceSaver.save(config, path), OK)
	memory.config = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	var sung: Dictionary = memory.get_memory(memory.store_player_action("sang", "sang of home"))
	check_equal(sung["metadata"]["emotion"], "cheerful")
	var other: Dictionary = memory.get_memory(memory.store_player_action("helped", "helped us"))
	check_equal(other["metadata"].get("emotion", ""), "")


func test_a_milestone_is_pinned() -> void:
	var memory: RAGMemory = make_memory()
	var created: Array[Array] = watch(memory.milestone_created)
	var stored: Dictionary = memory.get_memory(
		memory.store_milestone("first_meeting", "We met at the well.")
	)
	check_equal(stored["metadata"]["importance"], 10)
	check_equal(stored["metadata"]["memory_tier"], 0)
	check_equal(stored["metadata"]["emotion"], "significant")
	check_equal(created, [["first_meeting"]] as Array[Array])
	check_contains(memory.generate_relationship_header()["document"], "Met=yes")
	memory.store("My brother was killed by bandits.", 9)
	check_equal(created, [["first_meeting"], ["family_death"]] as Array[Array])


func test_life_and_death() -> void:
	var memory: RAGMemory = make_memory("mortal")
	check_equal(memory.get_npc_state()["is_alive"], true)
	check_equal(memory.get_npc_state()["known"], false)
	check(memory.store_npc_state(true) != "", "an id")
	check_equal(memory.get_npc_state()["known"], true)
	var id: String = memory.store_npc_state(false, {"cause": "an arrow", "killed_by": "Varn"})
	var state: Dictionary = memory.get_npc_state()
	check_equal(state["is_alive"], false)
	check_equal(state["memory_id"], id)
	check_equal(state["death_data"], {"cause": "an arrow", "killed_by": "Varn"})
	check_equal(memory.get_memory_count(), 1)
	var other: RAGMemory = make_memory("witness")
	check_equal(other.check_npc_state("mortal"), state)
	check_equal(other.check_npc_state("nobody")["is_alive"], true)


func test_relationships() -> void:
	var memory: RAGMemory = make_memory()
	check_equal(memory.get_relationship("bjorn"), {})
	check(memory.store_relationship("bjorn", {"trust": -40, "fear": 30}) != "", "an id")
	memory.store_relationship("player", {"trust": 85, "affection": 60})
	memory.store_relationship("bjorn", {"trust": -50})
	var bjorn: Dictionary = memory.get_relationship("bjorn")
	check_equal(bjorn["trust"], -50)
	check_equal(bjorn["fear"], 30)
	check_equal(bjorn["familiarity"], 10)
	check_equal(bjorn["status"], "distrustful")
	var header: String = memory.generate_relationship_header()["document"]
	check_contains(header, "Trust=85, Affection=60")
	memory.store_relationship("bjorn", {"trust": -900, "familiarity": 900})
	bjorn = memory.get_relationship("bjorn")
	check_equal(bjorn["trust"], -100)
	check_equal(bjorn["familiarity"], 100)


func test_a_wrong_relationship_is_said() -> void:
	var memory: RAGMemory = make_memory()
	var failed: Array[Array] = watch(memory.failed)
	expect_error('store_relationship(): trust is "much"')
	check_equal(memory.store_relationship("bjorn", {"trust": "much"}), "")
	check_equal(failed.size(), 1)
	check_equal(memory.get_relationship("bjorn"), {})


func test_importance_follows_what_changed() -> void:
	var memory: RAGMemory = make_memory()
	var importance: int = memory.calculate_importance("conversation")
	check_equal(importance, 6)
	check_equal(memory.calculate_importance("rumor"), 5)
	check_equal(memory.calculate_importance("rumor", {}, {"secret_revealed": true}), 8)
	check_equal(memory.calculate_importance("rumor", {}, {"trust_change": -15}), 7)
	check_equal(memory.calculate_importance("rumor", {}, {"trust_change": 14.0}), 5)
	check_equal(memory.calculate_importance("rumor", {}, {"promise_broken": true}), 7)
	check_equal(memory.calculate_importance("rumor", {}, {"player_name_learned": true}), 7)
	check_equal(
		memory.calculate_importance("rumor", {}, {"npc_died": true, "npc_injured": true}), 10
	)
	var config: MemoryConfig = MemoryConfig.new()
	config.importance_boost_secret = 1
	config.event_type_importance = {"rumor": 2}
	memory.config = config
	check_equal(memory.calculate_importance("rumor", {}, {"secret_revealed": true}), 3)


func test_deterministic_deltas() -> void:
	var memory: RAGMemory = make_memory()
	var deltas: Dictionary = memory.get_deterministic_deltas("life_saved")
	check_equal(deltas, {"trust_change": 15, "affection_change": 10, "fear_change": -5})
	deltas = memory.get_deterministic_deltas("gift_given", {"item": "rose"})
	check_equal(deltas, {"trust_change": 2, "affection_change": 5})
	check_equal(memory.get_deterministic_deltas("rumor"), {})


func test_the_analysis_decides_the_tier() -> void:
	var memory: RAGMemory = make_memory()
	var stored: Dictionary = memory.get_memory(
		memory.store("They saved me.", 5, {"analysis": {"interaction_type": "life_saved"}})
	)
	check_equal(stored["metadata"]["interaction_type"], "life_saved")
	check_equal(stored["metadata"]["memory_tier"], 0)
	stored = memory.get_memory(memory.store("Hm.", 5, {"interaction_type": "life_saver"}))
	check_equal(stored["metadata"]["interaction_type"], "casual_conversation")
	check_equal(stored["metadata"]["memory_tier"], 2)


func test_update_memory() -> void:
	var memory: RAGMemory = make_memory()
	var id: String = memory.store("The mill burned down.", 5, {"mood": "sad"})
	memory.store("My mother bakes bread on Sundays.")
	var updated: bool = memory.update_memory(id, {"text": "The smithy burned down.", "mood": ""})
	check_equal(updated, true)
	check_equal(memory.get_memory(id)["document"], "The smithy burned down.")
	check_equal(memory.get_memory(id)["metadata"]["mood"], "")
	check_equal(
		memory.retrieve_relevant("the blacksmith", {"limit": 1})[0], "The smithy burned down."
	)
	check_equal(memory.get_memory_count(), 2)
	memory.update_memory(id, {"importance": 9})
	check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 1)
	check_equal(memory.update_memory("no such id", {"importance": 3}), false)
	expect_error("update_memory(): data has the key 'id'")
	check_equal(memory.update_memory(id, {"id": "other"}), false)


func test_pin_and_unpin() -> void:
	var memory: RAGMemory = make_memory()
	var id: String = memory.store("A quiet day.")
	check_equal(memory.pin_memory(id), true)
	check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 0)
	check_equal(memory.unpin_memory(id), true)
	check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 2)
	check_equal(memory.pin_memory("no such id"), false)
	check_equal(memory.unpin_memory("no such id"), false)


func test_stats() -> void:
	var memory: RAGMemory = make_memory()
	check_equal(memory.get_memory_stats()["total"], 0)
	memory.store("They betrayed us.", 9, {"event_type": "betrayal"})
	memory.store("A quiet day.", 4)
	var stats: Dictionary = memory.get_memory_stats()
	check_equal(stats["total"], 2)
	check_equal(stats["pinned"], 1)
	check_equal(stats["regular"], 1)
	check_equal(stats["milestones"], 1)
	check_equal(stats["event_types"], {"betrayal": 1, "general": 1})
	check_near(stats["average_importance"], 6.5)


func test_format_memories() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("The river was high.", 6, {"event_type": "flood"})
	var memories: Array[Dictionary] = memory.retrieve_relevant_raw("the river")
	var lines: PackedStringArray = memory.format_memories(memories)
	check_equal(lines, PackedStringArray(["The river was high."]))
	check_equal(memory.format_memories(memories, "bullet")[0], "- The river was high.")
	check_equal(
		memory.format_memories(memories, "detailed")[0],
		"[today, flood, importance 6] The river was high."
	)
	check_equal(memory.format_memories([]), PackedStringArray())
	expect_error("there is no style 'fancy'")
	check_equal(memory.format_memories(memories, "fancy"), PackedStringArray())


func test_calculate_memory_score() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("The river was high.", 6)
	var recalled: Dictionary = memory.retrieve_scored("the river")[1]
	var score: float = memory.calculate_memory_score(recalled)
	check_near(score, recalled["score"], "the score it came with", 1e-4)
	check_near(
		memory.calculate_memory_score(recalled, "the river"), recalled["score"], "by context", 1e-4
	)
	check_equal(memory.is_protected(recalled), false)


func test_async_forms_complete() -> void:
	var memory: RAGMemory = make_memory("waiting")
	var data: Dictionary = {"slot_type": "player_name"}
	var stored: Variant = await (
		memory.store_with_conflict_check_async("They are Theron.", 9, data).completed
	)
	var id: Variant = stored["id"]
	check_type(id, TYPE_STRING)
	check_type(await memory.store_conversation_async("player", "Hi.").completed, TYPE_STRING)
	check_type(await memory.store_npc_state_async(true).completed, TYPE_STRING)
	check_equal((await memory.get_npc_state_async().completed)["is_alive"], true)
	check_equal((await memory.check_npc_state_async("waiting").completed)["is_alive"], true)
	check_type(await memory.store_relationship_async("bjorn", {"trust": 5}).completed, TYPE_STRING)
	check_equal((await memory.get_relationship_async("bjorn").completed)["trust"], 5)
	check_equal(await memory.update_memory_async(id, {"importance": 3}).completed, true)
	check_equal(await memory.pin_memory_async(id).completed, true)
	check_equal(await memory.unpin_memory_async(id).completed, true)
	check_equal((await memory.get_memory_stats_async().completed)["total"], 4)
	var score: Variant = await (
		memory.calculate_memory_score_async(memory.get_memory(id), "name").completed
	)
	check_type(score, TYPE_FLOAT)

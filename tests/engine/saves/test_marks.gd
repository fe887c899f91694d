# Runs typed and untyped.
# A game with a coarse clock goes back to exactly the moment at which it was saved.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const GRAINS: Array[float] = [0.0, 1.0, 60.0, 3600.0]

var _now := 0.0


func _exit_tree() -> void:
	MemoryServer.close_save()


func _open(save_id: String) -> void:
	MemoryServer.set_clock(func() -> float: return _now)
	check_equal(MemoryServer.open_save(save_id), OK)


func _make_mind(memory: RAGMemory) -> NPCMind:
	var mind: NPCMind = NPCMind.new()
	mind.memory = memory
	add_child(mind)
	return mind


# Everything that a game can read of the village, part by part.
func _state(memory: RAGMemory, mind: NPCMind) -> Dictionary:
	var state: Dictionary = {
		"recent": memory.get_recent(20),
		"turns": memory.get_turns(20),
		"archived": memory.get_archived(),
		"header": memory.generate_relationship_header(),
		"relationship": memory.get_relationship("player"),
		"death": memory.get_npc_state(),
		"dispositions": mind.get_dispositions(),
		"emotion": mind.get_emotion(),
		"interactions": mind.get_interactions(),
		"characters": MemoryWorld.list_characters(),
		"events": MemoryWorld.get_events(),
		"tasks": MemoryWorld.get_tasks(),
		"flags": MemoryWorld.get_flags(),
		"facts": MemoryWorld.get_facts(),
		"player": MemoryWorld.get_player_info(),
		"debates": MemoryWorld.search_debates("the well"),
		"profile": MemoryWorld.get_profile(memory.npc_id),
	}
	for key: String in state:
		# A number is a number, whether it was in memory or read from the save.
		state[key] = JSON.parse_string(JSON.stringify(state[key]))
	return state


func _check_state(memory: RAGMemory, mind: NPCMind, expected: Dictionary, message: String) -> void:
	var state: Dictionary = _state(memory, mind)
	for key: String in expected:
		check_equal(state[key], expected[key], "%s, %s" % [key, message])


func _live(memory: RAGMemory, mind: NPCMind, number: int) -> void:
	memory.store("The player came in, visit %d." % number, 5)
	memory.store_turn("I promise to bring you %d sacks of salt." % number, "Good.")
	memory.store_player_action("helped", "The player helped me %d times." % number)
	memory.store_relationship("player", {"trust_level": number})
	mind.perceive({"action": "insult", "content": "Fool!", "source_id": "player"})
	mind.adjust_disposition("player", -3.0 * number, "salt")
	mind.feel("angry", 10.0 * number)
	MemoryWorld.register_character("bo", {"name": "Bo %d" % number, "is_alive": number < 2})
	MemoryWorld.record_event({"summary": "The barn burned for day %d." % number})
	var task: String = MemoryWorld.add_task({"assignee": "mira", "summary": "Mend %d" % number})
	MemoryWorld.update_task(task, "active")
	MemoryWorld.set_flags({"barn": number})
	MemoryWorld.set_facts({"well": {"text": "The well has %d buckets." % number}})
	MemoryWorld.set_player_info({"name": "Theron %d" % number})
	MemoryWorld.record_debate(
		{"topic": "The well", "participants": ["mira", "bo"], "outcome": "Dig %d." % number}
	)
	MemoryWorld.set_profile(memory.npc_id, {"backstory": "Life %d." % number})
	memory.store_npc_state(number < 2, {"cause": "salt"})


func test_a_quick_load_brings_back_exactly_what_was_saved_whatever_the_clock_counts() -> void:
	for grain: float in GRAINS:
		_now = 100.0 * grain
		_open("grain of %d" % int(grain))
		var memory: RAGMemory = make_memory("mira")
		var mind: NPCMind = _make_mind(memory)
		_live(memory, mind, 1)
		var mark: String = MemoryServer.mark()
		var saved: float = _now
		var before: Dictionary = _state(memory, mind)
		# The clock has not moved yet; then it does.
		_live(memory, mind, 2)
		memory.forget(memory.get_recent(20)[-1]["id"])
		_now += grain
		_live(memory, mind, 3)
		memory.retrieve_scored("Who promised salt?")
		memory.clear_all_memories()
		check(_state(memory, mind) != before, "it changed")
		_now = saved
		for time: int in 2:
			check(MemoryServer.rollback_to(mark) >= 0, "gone back")
			_check_state(memory, mind, before, "clock of %s s" % grain)
		_live(memory, mind, 4)
		check_equal(MemoryServer.rollback_to(saved) > 0, true, "by time: to its last mark")
		_check_state(memory, mind, before, "by time, clock of %s s" % grain)
		mind.free()
		memory.free()


func test_a_mark_survives_every_way_to_save_it_and_a_restart() -> void:
	_now = 7.0
	_open("marks saved")
	var memory: RAGMemory = make_memory("mira")
	memory.store("It rained.")
	var mark: String = MemoryServer.mark()
	check(mark.begins_with("mark:"), mark)
	memory.store("The sun shone.")
	check_equal(MemoryServer.close_save(), OK)
	var config: ConfigFile = ConfigFile.new()
	config.set_value("save", "mark", mark)
	var again: ConfigFile = ConfigFile.new()
	again.parse(config.encode_to_text())
	var tokens: Array = [
		JSON.parse_string(JSON.stringify({"mark": mark}))["mark"],
		again.get_value("save", "mark"),
		bytes_to_var(var_to_bytes(mark)),
		StringName(mark),
	]
	_open("marks saved")
	for token: Variant in tokens:
		memory.store("The moon shone.")
		check(MemoryServer.rollback_to(token) > 0, str(token))
		check_equal(memory.get_memory_count(), 1)


func test_a_mark_that_cannot_be_reached_is_an_error_and_changes_nothing() -> void:
	_now = 7.0
	_open("marks passed")
	var memory: RAGMemory = make_memory("mira")
	memory.store("It rained.")
	var first: String = MemoryServer.mark()
	memory.store("The sun shone.")
	var second: String = await MemoryServer.mark_async().completed
	check_equal(await MemoryServer.rollback_to_async(first).completed, 1)
	memory.store("The moon shone.")
	expect_error("the mark cannot be reached any more")
	check_equal(MemoryServer.rollback_to(second), 0)
	check_contains(MemoryServer.health()["last_error"], "cannot be reached any more")
	check_equal(memory.get_memory_count(), 2)
	expect_error("is not a mark")
	check_equal(MemoryServer.rollback_to("12.5"), 0)
	_open("marks elsewhere")
	expect_error('the mark is of the save "marks passed"')
	check_equal(MemoryServer.rollback_to(first), 0)
	check_equal(MemoryServer.close_save(), OK)
	expect_error("mark() needs a save")
	check_equal(MemoryServer.mark(), "")


func test_sync_brings_what_was_stored_to_the_disk() -> void:
	_open("synced")
	var memory: RAGMemory = make_memory("mira")
	check_equal(MemoryServer.sync(), OK)
	memory.store("It rained.")
	check_equal(MemoryServer.sync(), OK)
	memory.store("The sun shone.")
	check_equal(await MemoryServer.sync_async().completed, OK)
	check_equal(MemoryServer.close_save(), OK)
	expect_error("sync() needs a save")
	check_equal(MemoryServer.sync(), ERR_FILE_NOT_FOUND)


func test_marks_go_along_with_snapshots_and_copies() -> void:
	_now = 7.0
	_open("marks first")
	var memory: RAGMemory = make_memory("mira")
	memory.store("It rained.")
	var early: String = MemoryServer.mark()
	memory.store("The sun shone.")
	check_equal(MemoryServer.snapshot("quick"), OK)
	var late: String = MemoryServer.mark()
	check_equal(MemoryServer.copy_save("marks first", "marks second"), OK)
	_open("marks second")
	memory.store("The moon shone.")
	check_equal(MemoryServer.rollback_to(late), 1)
	check_equal(memory.get_memory_count(), 2)
	check_equal(MemoryServer.restore("quick"), OK)
	expect_error("the mark")
	check_equal(MemoryServer.rollback_to(late), 0)
	check_equal(memory.get_memory_count(), 2)
	check_equal(MemoryServer.rollback_to(early), 1)
	check_equal(memory.get_memory_count(), 1)


func test_a_time_that_says_not_enough_is_a_warning() -> void:
	_now = 3600.0
	_open("marks by time")
	var memory: RAGMemory = make_memory("mira")
	memory.store("It rained.")
	memory.store("The player stole my purse.")
	expect_warning("several writes have the time 3600.0")
	check_equal(MemoryServer.rollback_to(3600.0), 0)
	check_equal(memory.get_memory_count(), 2)


func test_an_npc_that_is_not_persistent_goes_back_too() -> void:
	_now = 3600.0
	_open("marks and more")
	var memory: RAGMemory = make_memory("mira")
	var fleeting: RAGMemory = make_memory("bo")
	fleeting.persistent = false
	fleeting.store("It rained.")
	var mark: String = MemoryServer.mark()
	memory.store("The sun shone.")
	fleeting.store("The moon shone.")
	check_equal(MemoryServer.rollback_to(mark), 2)
	check_equal(fleeting.get_memory_count(), 1)

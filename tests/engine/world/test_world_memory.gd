# Runs typed and untyped.
# MemoryWorld: where its calls go, in which order they run, and how they fail.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_before_the_first_save_it_opens_default_as_a_memory_does() -> void:
	check_equal(MemoryWorld.register_character("mira", {"name": "Mira", "clan": "mill"}), OK)
	check_equal(MemoryServer.current_save(), "default")
	var mira: Dictionary = MemoryWorld.get_character("mira")
	check_equal(mira, {"id": "mira", "name": "Mira", "clan": "mill"})


func test_every_call_has_a_form_that_does_not_block() -> void:
	check_equal(MemoryServer.open_save("asynchronous"), OK)
	var told: MemoryRequest = MemoryWorld.register_character_async("tom", {"faction": "guard"})
	check(not told.is_completed(), "never at once")
	check_equal(await told.completed, OK)
	var found: Variant = await MemoryWorld.list_characters_async({"faction": "guard"}).completed
	check_equal(found, [{"id": "tom", "faction": "guard"}] as Array[Dictionary])
	check_equal(MemoryWorld.list_characters({"faction": "millers"}), [] as Array[Dictionary])


func test_a_call_sees_what_the_calls_before_it_wrote() -> void:
	check_equal(MemoryServer.open_save("ordered"), OK)
	for number: int in 50:
		MemoryWorld.register_character_async("rat", {"seen": number})
	check_equal(MemoryWorld.get_character("rat")["seen"], 49)


func test_a_wrong_argument_fails_with_words_and_a_signal() -> void:
	check_equal(MemoryServer.open_save("wrong"), OK)
	var failures_told: Array[Array] = watch(MemoryWorld.failed)
	expect_error("MemoryWorld.register_character(): id is")
	check_equal(MemoryWorld.register_character(" ", {}), ERR_INVALID_PARAMETER)
	check_equal(failures_told.size(), 1)
	var text: String = failures_told[0][0]
	check_contains(text, "it must not be empty")


func test_a_closed_save_fails_as_it_does_for_a_memory() -> void:
	check_equal(MemoryServer.open_save("left"), OK)
	check_equal(MemoryServer.close_save(), OK)
	var failures_told: Array[Array] = watch(MemoryWorld.failed)
	expect_error('close_save() closed the save "left"')
	check_equal(MemoryWorld.get_character("mira"), {})
	check_equal(failures_told.size(), 1)


func test_every_save_has_a_world_of_its_own_that_stays_and_goes_back() -> void:
	check_equal(MemoryServer.open_save("here"), OK)
	MemoryWorld.register_character("mira", {"location": "mill"})
	check_equal(MemoryServer.snapshot("before"), OK)
	MemoryWorld.register_character("mira", {"location": "inn"})
	check_equal(MemoryServer.open_save("elsewhere"), OK)
	check_equal(MemoryWorld.get_character("mira"), {})
	check_equal(MemoryServer.open_save("here"), OK)
	check_equal(MemoryWorld.get_character("mira")["location"], "inn")
	check_equal(MemoryServer.restore("before"), OK)
	check_equal(MemoryWorld.get_character("mira")["location"], "mill")


func test_a_wrong_config_is_told_and_fails_calls_until_it_is_right() -> void:
	check_equal(MemoryServer.open_save("tuned"), OK)
	check_equal(MemoryWorld.config, null)
	var config: MemoryWorldConfig = MemoryWorldConfig.new()
	MemoryWorld.config = config
	MemoryWorld.register_character("mira", {})
	expect_warning("MemoryWorldConfig.rumor_decay is set to 2.0, but allowed is 0 to 1")
	config.rumor_decay = 2.0
	expect_error("rumor_decay")
	check_equal(MemoryWorld.get_character("mira"), {})
	config.rumor_decay = 0.5
	check_equal(MemoryWorld.get_character("mira"), {"id": "mira"})
	MemoryWorld.config = null
	check_equal(MemoryWorld.get_character("mira"), {"id": "mira"})


func test_other_threads_use_it() -> void:
	check_equal(MemoryServer.open_save("threads"), OK)
	var threads: Array[Thread] = []
	for number: int in 4:
		var thread: Thread = Thread.new()
		thread.start(_register_from_a_thread.bind(number))
		threads.append(thread)
	for thread: Thread in threads:
		check_equal(thread.wait_to_finish(), 10)
	check_equal(MemoryWorld.list_characters().size(), 40)


func _register_from_a_thread(number: int) -> int:
	var told: int = 0
	for index: int in 10:
		var id: String = "thread %d, %d" % [number, index]
		MemoryWorld.register_character(id, {"name": id})
		if MemoryWorld.get_character(id)["name"] == id:
			told += 1
	return told


func test_signals_tell_what_a_call_did() -> void:
	check_equal(MemoryServer.open_save("signals"), OK)
	var recorded: Array[Array] = watch(MemoryWorld.event_recorded)
	var changed: Array[Array] = watch(MemoryWorld.task_changed)
	var imported: Array[Array] = watch(MemoryWorld.lore_imported)
	var id: String = MemoryWorld.record_event({"title": "Flood", "summary": "The river rose."})
	check_equal(recorded, [[id]] as Array[Array])
	var task: MemoryRequest = MemoryWorld.add_task_async({"assignee": "mira", "summary": "Dry it."})
	var task_id: String = await task.completed
	check_equal(changed, [[task_id, "proposed"]] as Array[Array])
	MemoryWorld.import_lore("# Town\n\nIt lies by the river.", {"key": "town"})
	check_equal(imported, [["town", 1]] as Array[Array])


func test_a_file_is_read_by_the_engine() -> void:
	check_equal(MemoryServer.open_save("files"), OK)
	_write("user://tøwn.md", "# Tøwn\n\nIt lies by the river Älv.\n".to_utf8_buffer())
	check_equal(MemoryWorld.import_lore("user://tøwn.md")["key"], "tøwn")
	check_equal(MemoryWorld.list_lore()[0]["path"], "user://tøwn.md")
	check_equal(MemoryWorld.search_lore("river")[0]["text"], "It lies by the river Älv.")
	_write("user://old.md", PackedByteArray([0xFF, 0xFE]) + "# Old\n\nA ruin.".to_utf16_buffer())
	MemoryWorld.import_lore("user://old.md")
	check_equal(MemoryWorld.search_lore("ruin", {"sources": ["old"]})[0]["text"], "A ruin.")
	var text: String = "# Inn\n\nres://town.md is written above the door."
	MemoryWorld.import_lore(text, {"key": "inn"})
	check_equal(MemoryWorld.list_lore()[2]["path"], "", "a text that names a file is no path")


func test_a_file_that_cannot_be_read_fails_with_its_path() -> void:
	check_equal(MemoryServer.open_save("unreadable"), OK)
	_refuse("res://none.md", "there is no such file")
	_refuse("user://", "it cannot be opened as a file")
	_write("user://picture.md", PackedByteArray([65, 66, 0xFF, 67]))
	_refuse("user://picture.md", "it is not in UTF-8, beginning with byte 2")
	var file: FileAccess = FileAccess.open("user://big.md", FileAccess.WRITE)
	file.seek(100 << 20)
	file.store_8(10)
	file.close()
	_refuse("user://big.md", "it has 100 MiB, and 32 is the most")
	DirAccess.remove_absolute("user://big.md")


func _refuse(path: String, why: String) -> void:
	expect_error('"%s"' % path)
	expect_error(why)
	check_equal(MemoryWorld.import_lore(path), {}, path)


func _write(path: String, bytes: PackedByteArray) -> void:
	var file: FileAccess = FileAccess.open(path, FileAccess.WRITE)
	file.store_buffer(bytes)
	file.close()


func test_other_calls_go_on_while_lore_is_imported() -> void:
	check_equal(MemoryServer.open_save("long"), OK)
	var memory: RAGMemory = make_memory("reader")
	var text: String = ""
	for number: int in 3000:
		text += "# Farm %d\n\n%s" % [number, "The farm lies in a valley with a mill. ".repeat(15)]
	var request: MemoryRequest = MemoryWorld.import_lore_async(text, {"key": "farms"})
	MemoryWorld.register_character("mira", {"name": "Mira"})
	memory.store_turn("Hello.", "Good evening.")
	check_equal(MemoryWorld.search_lore("mill"), [] as Array[Dictionary])
	check(not request.is_completed(), "it goes on")
	request.cancel()
	await frames(3)
	check_equal(MemoryWorld.list_lore(), [] as Array[Dictionary])


func test_the_game_is_asked_and_may_take_its_time() -> void:
	check_equal(MemoryServer.open_save("asked"), OK)
	var asked: Dictionary = {}
	MemoryServer.task_validator = func(request: Dictionary) -> Dictionary:
		await get_tree().process_frame
		asked["task"] = request["task"]["summary"]
		return {"accepted": false, "reason": "The bridge is gone."}
	MemoryServer.profile_writer = func(request: Dictionary) -> Dictionary:
		await get_tree().process_frame
		asked["profile"] = request["character"]["name"]
		return {"backstory": "She was born in the mill."}
	MemoryServer.extractor = func(request: Dictionary) -> Array:
		await get_tree().process_frame
		asked["turn"] = request["player_message"]
		return ["The player likes apples."]
	var task: Dictionary = {"assignee": "mira", "summary": "Cross the bridge."}
	await MemoryWorld.add_task_async(task).completed
	check_equal(MemoryWorld.get_tasks()[0]["status"], "rejected")
	check_equal(MemoryWorld.get_tasks()[0]["result"]["reason"], "The bridge is gone.")
	MemoryWorld.register_character("mira", {"name": "Mira"})
	var profile: Dictionary = await MemoryWorld.ensure_profile_async("mira").completed
	check_equal(profile["backstory"], "She was born in the mill.")
	var memory: RAGMemory = make_memory("mira")
	await memory.store_turn_async("Apples!", "Take one.").completed
	check_contains(str(memory.get_recent(9)), "The player likes apples.")
	var wanted: Dictionary = {"task": "Cross the bridge.", "profile": "Mira", "turn": "Apples!"}
	check_equal(asked, wanted)
	_stop_asking()


func test_a_function_that_fails_is_done_without_and_warned_of() -> void:
	check_equal(MemoryServer.open_save("failing"), OK)
	MemoryServer.task_validator = func(_request: Dictionary) -> String: return "perhaps"
	MemoryServer.profile_writer = func(_request: Dictionary) -> int: return 7
	MemoryServer.extractor = func(_request: Dictionary) -> float: return 0.5
	expect_warning("The task_validator decided nothing")
	MemoryWorld.add_task({"assignee": "tom", "summary": "Mend the roof."})
	check_equal(MemoryWorld.get_tasks()[0]["status"], "proposed")
	expect_warning("The profile_writer wrote no profile of tom")
	check(not MemoryWorld.ensure_profile("tom")["backstory"].is_empty(), "the draft is taken")
	var memory: RAGMemory = make_memory("tom")
	expect_warning("The extractor found no memories")
	memory.store_turn("I promise to mend your roof.", "Thank you.")
	check_contains(str(memory.get_recent(9)), "mend")
	_stop_asking()


func _stop_asking() -> void:
	MemoryServer.task_validator = Callable()
	MemoryServer.profile_writer = Callable()
	MemoryServer.extractor = Callable()


func test_an_npc_without_a_node_speaks_the_language_of_the_game() -> void:
	check_equal(MemoryServer.open_save("german"), OK)
	var german: Translation = Translation.new()
	german.locale = "de"
	german.add_message("rag_memory/rumor_heard", "Ich hörte davon: {event}")
	TranslationServer.add_translation(german)
	TranslationServer.set_locale("de")
	var event: Dictionary = {"title": "Flut", "summary": "Der Fluss stieg.", "visibility": "rumor"}
	var id: String = MemoryWorld.record_event(event)
	MemoryWorld.register_character("kael", {"name": "Kael"})
	MemoryWorld.spread_rumor(id, "kael")
	var heard: Array[Dictionary] = MemoryWorld.search_events("kael", "Fluss")
	TranslationServer.set_locale("en")
	TranslationServer.remove_translation(german)
	check_contains(str(heard), "Ich hörte davon: Der Fluss stieg.")


func test_maintenance_tells_each_step_and_get_activity_has_the_last_run() -> void:
	check_equal(MemoryServer.open_save("maintained"), OK)
	var now: Array[float] = [1000.0 * 86400.0]
	MemoryServer.set_clock(func() -> float: return now[0])
	var memory := make_memory()
	var id := memory.store_conversation("player", "A crow sat on the fence.")
	MemoryWorld.record_event({"summary": "There is a fair.", "expires_day": 1001})
	now[0] += 40.0 * 86400.0
	var done: Dictionary = await MemoryWorld.run_maintenance_async().completed
	check_equal(done["events_expired"]["done"], 1)
	check_equal(done["importances_decayed"]["done"], 1)
	for step: String in [
		"tasks_expired", "turns_summarised", "orphans_mended", "vectors_made", "versions_pruned"
	]:
		check_equal(done[step]["done"], 0, step)
		check_type(done[step]["took_ms"], TYPE_FLOAT, step)
	check_equal(memory.get_memory(id)["metadata"]["importance"], 5)
	await until(
		func() -> bool: return MemoryServer.get_activity()["maintenance"].get("day") == done["day"]
	)
	check_equal(MemoryServer.rollback_to(now[0] - 86400.0), 0)
	check_equal(memory.get_memory(id)["metadata"]["importance"], 6)
	MemoryServer.set_clock(Callable())


func test_a_dossier_sees_the_calls_of_the_world_before_it() -> void:
	check_equal(MemoryServer.open_save("dossiers"), OK)
	var memory: RAGMemory = make_memory("hanna")
	for number: int in 50:
		MemoryWorld.register_character_async("rat", {"seen": number})
	var event: Dictionary = {"title": "Fire", "summary": "The bridge over the Elm burned."}
	event["visibility"] = "global"
	MemoryWorld.record_event_async(event)
	var dossier: Dictionary = memory.build_dossier("What about the bridge?")
	check_contains(str(dossier["text"]), "The bridge over the Elm burned.")


func test_a_dossier_takes_a_config() -> void:
	check_equal(MemoryServer.open_save("sizes"), OK)
	var memory: RAGMemory = make_memory("hanna")
	MemoryWorld.import_lore("# Elm\n\nThe river Elm freezes in winter.", {"key": "rivers"})
	var config: NPCDossierConfig = NPCDossierConfig.new()
	var told: String = memory.build_dossier("Does the Elm freeze?", {}, config)["text"]
	check_contains(told, "The river Elm freezes in winter.")
	config.section_tokens = {"lore": 0}
	var request: MemoryRequest = memory.build_dossier_async("Does the Elm freeze?", {}, config)
	told = (await request.completed)["text"]
	check(not told.contains("The river Elm"), told)
	check_equal(memory.build_dossier("Hello.", {}, null).has("text"), true)
	expect_warning("NPCDossierConfig.total_tokens is set to -5")
	config.total_tokens = -5
	expect_error("NPCDossierConfig.total_tokens is -5")
	check_equal(memory.build_dossier("Hello.", {}, config), {})


func test_a_dossier_refuses_a_config_of_another_class() -> void:
	check_equal(MemoryServer.open_save("classes"), OK)
	var memory: RAGMemory = make_memory("hanna")
	var failures_told: Array[Array] = watch(memory.failed)
	var other: Variant = MemoryConfig.new()
	expect_error("config is a MemoryConfig: it has to be an NPCDossierConfig")
	check_equal(memory.call("build_dossier", "Hello.", {}, other), {})
	check_equal(failures_told.size(), 1)


func test_a_world_in_memory_is_no_part_of_the_save() -> void:
	check_equal(MemoryServer.open_save("apart"), OK)
	MemoryWorld.persistent = false
	var request: MemoryRequest = MemoryWorld.import_lore_async(
		"# Elm\n\nIt freezes.", {"key": "elm"}
	)
	MemoryWorld.persistent = true
	MemoryWorld.register_character("mira", {"name": "Mira"})
	var told: Dictionary = await request.completed
	check_equal(told["chunks"], 1)
	check_equal(MemoryWorld.list_lore(), [] as Array[Dictionary])
	MemoryWorld.persistent = false
	check_equal(MemoryWorld.list_lore().size(), 1)
	check_equal(MemoryWorld.get_character("mira"), {})
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryWorld.list_lore().size(), 1, "it needs no save")
	MemoryWorld.persistent = true

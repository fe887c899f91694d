# Runs typed and untyped.
# WorldMemory: where its calls go, in which order they run, and how they fail.
extends "res://tests/engine/case.gd"


func test_before_the_first_save_it_opens_default_as_a_memory_does() -> void:
	check_equal(WorldMemory.register_character("mira", {"name": "Mira", "clan": "mill"}), OK)
	check_equal(MemoryServer.current_save(), "default")
	var mira: Dictionary = WorldMemory.get_character("mira")
	check_equal(mira, {"id": "mira", "name": "Mira", "clan": "mill"})


func test_every_call_has_a_form_that_does_not_block() -> void:
	check_equal(MemoryServer.open_save("asynchronous"), OK)
	var told: MemoryRequest = WorldMemory.register_character_async("tom", {"faction": "guard"})
	check(not told.is_completed(), "never at once")
	check_equal(await told.completed, OK)
	var found: Variant = await WorldMemory.list_characters_async({"faction": "guard"}).completed
	check_equal(found, [{"id": "tom", "faction": "guard"}] as Array[Dictionary])
	check_equal(WorldMemory.list_characters({"faction": "millers"}), [] as Array[Dictionary])


func test_a_call_sees_what_the_calls_before_it_wrote() -> void:
	check_equal(MemoryServer.open_save("ordered"), OK)
	for number: int in 50:
		WorldMemory.register_character_async("rat", {"seen": number})
	check_equal(WorldMemory.get_character("rat")["seen"], 49)


func test_a_wrong_argument_fails_with_words_and_a_signal() -> void:
	check_equal(MemoryServer.open_save("wrong"), OK)
	var failures_told: Array[Array] = watch(WorldMemory.failed)
	expect_error("WorldMemory.register_character(): the id is")
	check_equal(WorldMemory.register_character(" ", {}), ERR_INVALID_PARAMETER)
	check_equal(failures_told.size(), 1)
	var text: String = failures_told[0][0]
	check_contains(text, "a character needs one")


func test_a_closed_save_fails_as_it_does_for_a_memory() -> void:
	check_equal(MemoryServer.open_save("left"), OK)
	check_equal(MemoryServer.close_save(), OK)
	var failures_told: Array[Array] = watch(WorldMemory.failed)
	expect_error('close_save() closed the save "left"')
	check_equal(WorldMemory.get_character("mira"), {})
	check_equal(failures_told.size(), 1)


func test_every_save_has_a_world_of_its_own_that_stays_and_goes_back() -> void:
	check_equal(MemoryServer.open_save("here"), OK)
	WorldMemory.register_character("mira", {"location": "mill"})
	check_equal(MemoryServer.snapshot("before"), OK)
	WorldMemory.register_character("mira", {"location": "inn"})
	check_equal(MemoryServer.open_save("elsewhere"), OK)
	check_equal(WorldMemory.get_character("mira"), {})
	check_equal(MemoryServer.open_save("here"), OK)
	check_equal(WorldMemory.get_character("mira")["location"], "inn")
	check_equal(MemoryServer.restore("before"), OK)
	check_equal(WorldMemory.get_character("mira")["location"], "mill")


func test_a_wrong_config_is_told_and_fails_calls_until_it_is_right() -> void:
	check_equal(MemoryServer.open_save("tuned"), OK)
	check_equal(WorldMemory.config, null)
	var config: WorldConfig = WorldConfig.new()
	WorldMemory.config = config
	WorldMemory.register_character("mira", {})
	expect_warning("WorldConfig.rumor_decay is set to 2.0, but allowed is 0 to 1")
	config.rumor_decay = 2.0
	expect_error("rumor_decay")
	check_equal(WorldMemory.get_character("mira"), {})
	config.rumor_decay = 0.5
	check_equal(WorldMemory.get_character("mira"), {"id": "mira"})
	WorldMemory.config = null
	check_equal(WorldMemory.get_character("mira"), {"id": "mira"})


func test_other_threads_use_it() -> void:
	check_equal(MemoryServer.open_save("threads"), OK)
	var threads: Array[Thread] = []
	for number: int in 4:
		var thread: Thread = Thread.new()
		thread.start(_register_from_a_thread.bind(number))
		threads.append(thread)
	for thread: Thread in threads:
		check_equal(thread.wait_to_finish(), 10)
	check_equal(WorldMemory.list_characters().size(), 40)


func _register_from_a_thread(number: int) -> int:
	var told: int = 0
	for index: int in 10:
		var id: String = "thread %d, %d" % [number, index]
		WorldMemory.register_character(id, {"name": id})
		if WorldMemory.get_character(id)["name"] == id:
			told += 1
	return told

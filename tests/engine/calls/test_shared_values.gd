# What a Resource holds travels once. A change is seen by the next call, whoever makes it.
# Passes objects, null or threads: its twins always run.
extends "res://tests/engine/case.gd"


func _personality(anchor: String) -> NPCPersonality:
	var personality := NPCPersonality.new()
	personality.npc_id = "mira"
	personality.background = "She has kept the mill at the ford for twenty years. ".repeat(8)
	personality.forbidden_phrases = [anchor]
	return personality


func test_a_change_of_a_resource_is_seen_by_the_next_call() -> void:
	var personality := _personality("by the moon")
	var line := "By the sun and by the moon!"
	for round: int in 3:
		personality.forbidden_phrases = ["by the moon"]
		check_equal(Array(personality.find_forbidden_phrases(line)), ["by the moon"])
		check_equal(Array(personality.find_forbidden_phrases(line)), ["by the moon"], "again")
		personality.forbidden_phrases.append("by the sun")
		check_equal(
			Array(personality.find_forbidden_phrases(line)),
			["by the moon", "by the sun"],
			"in place"
		)


func test_two_resources_that_hold_the_same_and_others() -> void:
	var first := _personality("by the moon")
	var second := _personality("by the moon")
	var third := _personality("by the stars")
	var arguments := [first, "By the moon, by the stars!"]
	for pair: Array in [[first, "by the moon"], [second, "by the moon"], [third, "by the stars"]]:
		arguments[0] = pair[0]
		var phrases: Variant = MemoryServer.apply_rule("personality.forbidden_phrases", arguments)
		check_equal(phrases, [pair[1]])
		check(arguments[0] == pair[0], "the game's own Array is left alone")


func test_the_data_itself_will_do() -> void:
	var data := _personality("by the moon").to_data()
	var arguments := [data, "By the moon!"]
	var phrases: Variant = MemoryServer.apply_rule("personality.forbidden_phrases", arguments)
	check_equal(phrases, ["by the moon"])


func test_another_object_is_none() -> void:
	for other: Variant in [MemoryServer, MemoryConfig.new(), Resource.new()]:
		var arguments := [other, "By the moon!"]
		check_equal(MemoryServer.apply_rule("personality.forbidden_phrases", arguments), [])


func test_what_cannot_be_sent_is_an_error() -> void:
	var personality := _personality("by the moon")
	var endless: Array = []
	endless.append(endless)
	var data := {"class": personality, "more": endless}
	expect_error("they are nested too deeply or contain themselves")
	check_equal(MemoryServer.apply_rule("personality.activity", [data, 3.0]), null)
	endless.clear()


func test_several_threads_at_once() -> void:
	var threads: Array[Thread] = []
	for number: int in 4:
		var thread := Thread.new()
		thread.start(_ask_often.bind("by number %d" % number))
		threads.append(thread)
	while threads.any(func(thread: Thread) -> bool: return thread.is_alive()):
		await frames(1)
	for thread: Thread in threads:
		check_equal(thread.wait_to_finish(), 0)


func _ask_often(phrase: String) -> int:
	var personality := _personality(phrase)
	var wrong := 0
	for number: int in 50:
		personality.background = "She has kept %d mills at the ford. ".repeat(10) % range(10)
		personality.forbidden_phrases = [phrase, "number %d!" % number]
		var asked := personality.find_forbidden_phrases("%s, and number %d!" % [phrase, number])
		wrong += 0 if Array(asked) == Array(personality.forbidden_phrases) else 1
	return wrong


func test_nodes_with_one_config_and_many_configs() -> void:
	var config := MemoryConfig.new()
	var memories: Array[RAGMemory] = []
	for number: int in 3:
		memories.append(make_memory("shared config %d" % number))
		memories[-1].config = config
	for tier: int in [7, 3, 7]:
		config.importance_threshold_for_tier = tier
		for memory: RAGMemory in memories:
			var id: String = memory.store("The bell rang %d times." % randi(), 5)
			check_equal(memory.get_memory(id)["metadata"]["memory_tier"], 1 if tier == 3 else 2)

# How memories are found: by meaning or by words alone, and everything derived from them made anew.
extends "res://tests/engine/case.gd"

const QUESTION := "What burned down?"


func _answers(memory: RAGMemory) -> Array:
	var found := memory.retrieve_relevant_raw(QUESTION, {"limit": 5})
	return found.map(func(each: Dictionary) -> Array: return [each.id, each.breakdown.odds])


func test_an_unknown_mode_is_refused_and_the_modes_are_told() -> void:
	var open_before := MemoryServer.current_save()
	expect_error('Use "disabled", "embedded", "server"')
	check_equal(MemoryServer.open_save("unknown", {"vector_index": "fast"}), ERR_INVALID_PARAMETER)
	check_equal(MemoryServer.current_save(), open_before)


func test_a_save_without_a_model_answers_by_words() -> void:
	check_equal(MemoryServer.open_save("by_words", {"vector_index": "disabled"}), OK)
	var memory := make_memory()
	memory.store("The mill burned down.", 8)
	memory.store("Bread costs two coins.", 6)
	var answer: Dictionary = memory.retrieve_relevant_raw(QUESTION, {"limit": 1})[0]
	check_equal(answer.document, "The mill burned down.")
	check_equal(memory.explain(QUESTION).relevance_mode, "KEYWORD")
	check_contains(str(memory.retrieve_tiered("bread").relevant), "Bread costs two coins.")
	var save: Dictionary = MemoryServer.health()["save"]
	check_equal(save.vector_index, "disabled")
	check_contains(str(save.vector_index_reason), "words")
	check_equal(save.embedder, "none")
	await until(func() -> bool: return MemoryServer.get_activity()["vector_index"] == "disabled")


func test_what_was_stored_by_words_gets_its_meaning_later() -> void:
	check_equal(MemoryServer.open_save("moving"), OK)
	var memory := make_memory()
	memory.store("A fire destroyed the mill.", 8)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("moving", {"vector_index": "disabled"}), OK)
	memory.store("Bread costs two coins.", 3)
	check_equal(memory.retrieve_relevant("mill", {"limit": 1})[0], "A fire destroyed the mill.")
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("moving"), OK)
	check_equal(MemoryServer.health()["save"].vector_index, "embedded")
	# On a server only what a game has needs vectors: it takes the NPC by asking her.
	check_equal(memory.get_memory_count(), 2)
	await until(func() -> bool: return MemoryServer.health()["save"].missing_vectors == 0)
	var found: Dictionary = memory.retrieve_relevant_raw("Bread costs two coins.", {"limit": 1})[0]
	check_near(found.similarity, 1.0, "its own text", 0.001)


# Of files: on a server nothing stands in.
func test_a_save_in_a_file_cannot_be_compared_by_a_server() -> void:
	var options := {"vector_index": "server"}
	expect_warning('it is a file, or in memory, and "embedded" stands in')
	check_equal(MemoryServer.open_save("embedded", options), OK)
	var save: Dictionary = MemoryServer.health()["save"]
	check_equal(save.vector_index, "embedded")
	check_contains(str(save.vector_index_reason), "the save is not kept on one")
	options["vector_index_fallback"] = "disabled"
	expect_warning('"disabled" stands in')
	check_equal(MemoryServer.open_save("disabled", options), OK)
	save = MemoryServer.health()["save"]
	check_equal(save.vector_index, "disabled")
	check_equal(save.embedder, "none")
	options["vector_index_fallback"] = "server"
	expect_error('Use "embedded", "disabled"')
	check_equal(MemoryServer.open_save("refused", options), ERR_INVALID_PARAMETER)


func test_answers_are_the_same_wherever_memories_are_compared() -> void:
	# Tests on a server get its place as their third argument.
	var is_on_server := OS.get_cmdline_user_args().size() > 2
	allow_error("stands in for it")
	check_equal(MemoryServer.open_save("compared"), OK)
	var memory := make_memory()
	memory.store("The mill burned down.", 8)
	memory.store("Bread costs two coins.", 3)
	memory.store("A fire destroyed the inn.", 6)
	var before := _answers(memory)
	check_equal(before.size(), 3)
	check_equal(MemoryServer.close_save(), OK)
	check_equal(MemoryServer.open_save("compared", {"vector_index": "server"}), OK)
	var save: Dictionary = MemoryServer.health()["save"]
	check_equal(save.vector_index, "server" if is_on_server else "embedded")
	check_contains(
		str(save.vector_index_reason), "it was asked for" if is_on_server else "not kept on one"
	)
	check_equal(_answers(memory), before)
	memory.store("Nothing was left of the barn but ashes.", 7)
	check_contains(str(_answers(memory)), str(memory.get_recent(1)[0].id))


func test_rebuild_index() -> void:
	check_equal(MemoryServer.open_save("rebuilt"), OK)
	var memory := make_memory()
	memory.store("The mill burned down.", 8)
	memory.store("Bread costs two coins.", 3)
	var before := _answers(memory)
	check_equal(MemoryServer.rebuild_index(), OK)
	check_equal(_answers(memory), before)
	check_equal(await MemoryServer.rebuild_index_async().completed, OK)
	check_equal(_answers(memory), before)
	check_equal(MemoryServer.close_save(), OK)
	expect_error("rebuild_index() needs a save")
	check_equal(MemoryServer.rebuild_index(), ERR_FILE_NOT_FOUND)

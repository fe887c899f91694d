# How memories are found: by meaning or by words alone, and everything derived from them made anew.
extends "res://tests/engine/case.gd"

const QUESTION := "What burned down?"


func _answers(memory: RAGMemory) -> Array:
	var found := memory.retrieve_relevant_raw(QUESTION, {"limit": 5})
	return found.map(func(each: Dictionary) -> Array: return [each.id, each.breakdown.sharpened])


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
	await until(func() -> bool: return MemoryServer.health()["save"].missing_vectors == 0)
	var found: Dictionary = memory.retrieve_relevant_raw("Bread costs two coins.", {"limit": 1})[0]
	check_near(found.similarity, 1.0, "its own text", 0.001)


func test_a_server_that_is_not_there_is_told_and_replaced() -> void:
	allow_error("this version cannot use a server")
	check_equal(MemoryServer.open_save("server", {"vector_index": "server"}), OK)
	var save: Dictionary = MemoryServer.health()["save"]
	check_equal(save.vector_index, "embedded")
	check_contains(str(save.vector_index_reason), "cannot use a server")


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

# Texts of any length, through the public methods: a question is read as far as the model reads, a
# memory that is too long is refused, and no other call waits.
extends "res://tests/engine/case.gd"

const FIVE_MILLION := 5_000_000
const ASKED := "Who mended the roof of the mill?"


func test_a_pasted_book_is_the_question_that_it_begins_with() -> void:
	var memory := make_memory()
	memory.store_batch([{"text": "Gregor mended the roof of the mill."}, {"text": "It rained."}])
	var book := ASKED + " Tell me. ".repeat(FIVE_MILLION / 10)
	var options := {"limit": 1}
	var best: Dictionary = memory.retrieve_relevant_raw(ASKED, options)[0]
	check_equal(memory.retrieve_scored(book).size(), memory.retrieve_scored(ASKED).size())
	check_equal(memory.retrieve_relevant_raw(book, options)[0]["id"], best["id"])
	check_equal(memory.retrieve_relevant(book, options).size(), 1)
	check(memory.retrieve_tiered(book)["relevant"] is Array, "retrieve_tiered()")
	check_equal(memory.browse({"similar_to": book})["total"], 2)
	check(memory.calculate_memory_score(best, book) > 0.0, "calculate_memory_score()")
	var told: Dictionary = memory.explain(book, best["id"] as String)
	check(ASKED in told["context"] and (told["context"] as String).length() < 10_000, "is cut")


func test_odd_books_keep_nobody_waiting() -> void:
	var memory := make_memory()
	memory.store("Gregor mended the roof of the mill.")
	for part: String in ["a", "A", " ", "\n", ".", "水", "각", "😀", "a\u0301\u0327", "the ", "Mr. "]:
		var book := part.repeat(2_000_000 / part.length())
		var asked := memory.retrieve_scored_async(book)
		var other := memory.get_memory_count_async()
		check_equal(await other.completed, 1, part)
		if not asked.is_completed():
			await asked.completed
		check_equal(asked.get_error(), "", part)


func test_a_memory_that_is_too_long_is_refused_and_says_why() -> void:
	var memory := make_memory()
	expect_error("store(): text has 25000 characters, and nothing was stored")
	expect_error("MemoryConfig.max_text_chars allows 20000")
	check_equal(memory.store("long ".repeat(5000)), "")
	expect_error("store_batch(), memory 1: text has 25000 characters")
	check_equal(memory.store_batch([{"text": "Short."}, {"text": "long ".repeat(5000)}]).size(), 0)
	expect_error("MemoryConfig.max_metadata_chars allows 20000")
	check_equal(memory.store("Short.", 5, {"notes": "long ".repeat(5000)}), "")
	check_equal(memory.get_memory_count(), 0)
	memory.config = MemoryConfig.new()
	memory.config.max_text_chars = 30000
	memory.config.max_metadata_chars = 30000
	var id := memory.store("long ".repeat(5000), 5, {"notes": "long ".repeat(5000)})
	check_equal((memory.get_memory(id)["document_full"] as String).length(), 25000)
	var copy := make_memory("copy of a long one")
	expect_error("import_json(), memory 0: text has 25000 characters")
	check_equal(copy.import_json(memory.export_json()), 0)
	copy.config = memory.config
	check_equal(copy.import_json(memory.export_json()), 1)

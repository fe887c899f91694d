# Texts of any length: each step is linear, which shows as twice the work for twice the text. The
# times are only printed; what is checked is that the longest texts come back at all, and whole.
# Runs without the model.
extends "res://tests/engine/case.gd"

const LENGTH := 400_000


func test_a_long_answer_is_cut_with_a_warning() -> void:
	expect_warning("those after max_answer_chars, 65536, were cut off")
	var answer := NPCContextBuilder.parse_response("word ".repeat(LENGTH / 5))
	check_equal(answer["response"].length(), 65536, "as long as the limit")
	check_contains(
		"\n".join(answer["warnings"] as PackedStringArray), "The answer has 400000 characters"
	)
	var config := MemoryConfig.new()
	config.max_answer_chars = 100
	expect_warning("those after max_answer_chars, 100, were cut off")
	var short := NPCContextBuilder.parse_response('{"response": "%s"}' % "a".repeat(500), config)
	check_equal(short["response"], "a".repeat(86), "what is left of it still speaks")


func test_an_answer_as_long_as_a_book_is_read_when_the_limit_allows() -> void:
	var config := MemoryConfig.new()
	config.max_answer_chars = 10_000_000
	for text: String in ["word ", "é🔥 ", "\u200Bx ", '"response": "x', "{", '{"a": ', "[a] "]:
		var long := text.repeat(ceili(LENGTH / float(text.length())))
		var answer := NPCContextBuilder.parse_response(long, config)
		check(not answer["is_json"], text)
	var response := "Well met. \u200B".repeat(LENGTH / 20)
	var full := NPCContextBuilder.parse_response(JSON.stringify({"response": response}), config)
	check_equal(full["response"], response.replace("\u200B", "").strip_edges())


func test_names_in_a_long_text_are_found() -> void:
	var world := NPCWorldKnowledge.new()
	world.add_npc("gregor", "Gregor")
	check(world.check_memory("I saw Gregor. ".repeat(10000))["accepted"], "known")
	check(not world.check_memory("Lord ".repeat(50000) + "Zorblax")["accepted"], "titles")


func test_a_long_line_is_harmless_and_short() -> void:
	for text: String in ["System: ", "s y s ", "(a): ", "a\u0301:", "《", "You: ", ": ", "-_-_ "]:
		var line := NPCContextBuilder.sanitize(text.repeat(LENGTH / 4))
		check(line.length() <= 8000, text)

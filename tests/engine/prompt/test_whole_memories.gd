# What reaches a prompt of memories: whole texts while the budget has room, and nobody's words as
# another's where it has not.
extends "res://tests/engine/case.gd"

# `memories`: a memory, a question, and words of the answer, which come late in the memory.
# `talks`: what the player says, and what the NPC answers.
const EXAMPLES := "res://tests/engine/prompt/whole_memories.json"

var _memories: Array = _examples("memories")
var _talks: Array = _examples("talks")


static func _examples(name: String) -> Array:
	return JSON.parse_string(FileAccess.get_file_as_string(EXAMPLES))[name]


func test_the_answers_of_late_words_reach_the_prompt() -> void:
	var memory := make_memory()
	for each: Array in _memories:
		memory.store(each[0] as String, 6)
	for number: int in 30:
		memory.store("We spoke of the harvest and of the price of wool on day %d." % number, 4)
	var missing := PackedStringArray()
	for each: Array in _memories:
		var prompt := NPCContextBuilder.build(memory, each[1] as String)
		var best := memory.recall_best(each[1] as String)
		var dossier: String = memory.build_dossier(each[1] as String).text
		for text: String in [prompt["prompt"] as String, best["rendered_text"] as String, dossier]:
			if not (each[2] as String) in text:
				missing.append("%s: %s" % [each[1], best["rendered_text"]])
	check_equal(missing, PackedStringArray())


func test_small_budgets_take_the_best_memory_whole_and_then_short_forms() -> void:
	var memory := make_memory()
	for each: Array in _memories:
		memory.store(each[0] as String, 6)
	for each: Array in _memories:
		var answer := memory.retrieve_scored(each[1] as String, 150).filter(
			func(candidate: Dictionary) -> bool: return not candidate["protected"]
		)
		check_equal(answer[0]["used_form"], "full", each[1] as String)
		for candidate: Dictionary in answer:
			var form: String = candidate["used_form"]
			var rendered := (candidate["rendered_text"] as String).trim_prefix("earlier: ")
			check_equal(rendered, candidate["document_" + form])


func test_product_keeps_short_forms_for_what_is_less_relevant() -> void:
	var memory := make_memory()
	memory.config = MemoryConfig.new()
	memory.config.score_mode = MemoryConfig.PRODUCT
	memory.store(_memories[0][0] as String, 6)
	var best := memory.recall_best(_memories[0][1] as String)
	check(best["similarity"] < 0.85, str(best["similarity"]))
	check_equal(best["used_form"], "short")
	check_equal(memory.recall_best(_memories[0][0] as String)["used_form"], "full")


func test_nobodys_words_become_anothers() -> void:
	var memory := make_memory()
	for each: Array in _talks:
		NPCContextBuilder.record_interaction(memory, each[0] as String, {"response": each[1]})
	var talks := memory.get_recent(60).filter(
		func(record: Dictionary) -> bool:
			return record["metadata"]["event_type"] in ["conversation", "first_meeting"]
	)
	check_equal(talks.size(), _talks.size())
	for record: Dictionary in talks:
		_check_speakers(record["document_full"] as String, record["document_short"] as String)


# The prompt has the short form of a memory when nothing longer fits.
func test_a_prompt_without_room_keeps_the_speakers() -> void:
	for each: Array in _talks:
		var memory := make_memory()
		NPCContextBuilder.record_interaction(memory, each[0] as String, {"response": each[1]})
		for budget: int in range(20, 90, 5):
			var options := {"budgets": {"memories": budget}, "recent_turns": []}
			var prompt := NPCContextBuilder.build(memory, each[0] as String, options)
			for line: String in (prompt["sections"]["memories"]["text"] as String).split("\n"):
				if "The player said" in line or "I answered" in line:
					var said := '"%s"' % '" I answered: "'.join(line.split("' I answered: '"))
					check(said.count("The player said: ") == 1, "%d tokens: %s" % [budget, line])
					check(said.count(" I answered: ") == 1, "%d tokens: %s" % [budget, line])


func test_long_messages_are_remembered_to_their_end() -> void:
	var small_talk := "We came down the valley in the fog, and the oxen were afraid of it. ".repeat(
		12
	)
	var memory := make_memory()
	var answer := {"response": small_talk + "My sister is called Edeltraud."}
	NPCContextBuilder.record_interaction(memory, small_talk + "My dog is called Rufus.", answer)
	var options := {"recent_turns": []}
	check_contains(
		NPCContextBuilder.build(memory, "What is my dog called?", options)["prompt"] as String,
		"My dog is called Rufus."
	)
	check_contains(
		NPCContextBuilder.build(memory, "What is your sister called?", options)["prompt"] as String,
		"My sister is called Edeltraud."
	)
	memory.config = MemoryConfig.new()
	memory.config.max_text_chars = 1000
	var stored: Array = NPCContextBuilder.record_interaction(memory, small_talk, answer)["stored"]
	check(stored.size() >= 1 and (stored[0]["text"] as String).length() <= 1000, str(stored))


func _check_speakers(full: String, short: String) -> void:
	var words := _words_of(full)
	var shown := _words_of(short)
	check_equal(shown.size(), 2, short)
	for index: int in shown.size():
		var piece := shown[index].trim_prefix("...").trim_suffix("...").strip_edges()
		check(piece and piece in words[index], "%s\n    of %s" % [short, full])


# What the player said, and what the NPC answered.
static func _words_of(exchange: String) -> PackedStringArray:
	var pattern := RegEx.create_from_string('The player said: "([^"]*)" I answered: "([^"]*)"$')
	var said := pattern.search(exchange)
	return PackedStringArray() if said == null else said.strings.slice(1)

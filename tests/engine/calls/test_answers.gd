# What an answer holds: equal texts are one String, everything else is the game's own.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const SACKS := "The player carried a sack to the mill."
const FORD := "The player crossed the ford at night."


func _fill(memory: RAGMemory) -> void:
	memory.store(SACKS, 7, {"participants": ["Mira"], "topics": ["harvest"], "weights": {"a": [1]}})
	memory.store(FORD, 7, {"participants": ["Mira"], "topics": ["harvest"], "weights": {"a": [1]}})


func test_what_the_game_changes_in_a_memory_changes_no_other() -> void:
	var memory := make_memory()
	_fill(memory)
	var answer := memory.retrieve_relevant_raw("Who was at the mill and the ford?", {"limit": 2})
	check_equal(answer.size(), 2)
	check(answer.is_typed(), "an Array[Dictionary]")
	answer[0]["metadata"]["participants"].append("Tom")
	answer[0]["metadata"]["weights"]["a"].append(2)
	answer[0]["metadata"]["location"] = "the mill"
	answer[0]["document_full"] += " Twice."
	check_equal(answer[1]["metadata"]["participants"], ["Mira"])
	check_equal(answer[1]["metadata"]["weights"], {"a": [1]})
	check_equal(answer[1]["metadata"]["location"], "")
	check(answer[0]["rendered_text"] in [SACKS, FORD], "another key of the same text stays")


func test_an_answer_stays_when_its_memories_are_gone() -> void:
	var memory := make_memory()
	_fill(memory)
	var answer := memory.retrieve_scored("Who carried the sack?")
	var copy := answer.duplicate(true)
	memory.clear_all_memories()
	for number: int in 3:
		memory.retrieve_scored("Who carried sack %d?" % number)
	check_equal(answer, copy)
	var texts := answer.map(func(entry: Dictionary) -> String: return entry["document_full"])
	check(SACKS in texts, "all of it can be read")
	for entry: Dictionary in answer:
		check(entry["metadata"]["timestamp"] is float, "a float")
		check(entry["metadata"]["importance"] is int, "an int")
		check(entry["breakdown"]["relevance"] is float, "a float, also when it is whole")


func test_blocking_and_async_answers_are_the_same() -> void:
	var memory := make_memory()
	_fill(memory)
	var now := memory.retrieve_relevant_raw("Who was at the ford?", {"limit": 2})
	var later: Array = await (
		memory.retrieve_relevant_raw_async("Who was at the ford?", {"limit": 2}).completed
	)
	for number: int in 2:
		for key: String in ["id", "document", "document_full", "similarity", "distance"]:
			check_equal(later[number][key], now[number][key])

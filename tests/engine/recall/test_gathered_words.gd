# Runs without the model.
# The words of an NPC with thousands of memories are gathered while nothing is asked, and no answer
# tells that they were.
extends "res://tests/engine/case.gd"

const COUNT := 2050
const NOW := 1_000_000.0
const NAMES: Array[String] = ["Greta", "Harlan", "Odo", "Мирослава", "田中"]
const GOODS: Array[String] = ["oats", "candles", "two mules", "старую мельницу", "水車小屋", "a rope"]
const QUESTIONS: Array[String] = [
	"Did Greta sell the candles on day 7?",
	"Что продала Мирослава?",
	"田中さんは水車小屋を売りましたか",
	"Who sold a zither?",
	"the",
	"",
]


func test_answers_are_the_same_before_and_after_words_are_gathered() -> void:
	MemoryServer.set_clock(func() -> float: return NOW)
	var memory: RAGMemory = make_memory("gathered")
	await memory.store_batch_async(_batch()).completed
	_answers(memory)  # from now on last_accessed is the same
	var before: Array = _answers(memory)
	var used: int = _used()
	await _until_gathered(used)
	_forget_what_was_looked_up(memory)
	check(_used() - used > COUNT * 8, "%d bytes are no words of all memories" % (_used() - used))
	check_equal(_answers(memory), before)
	MemoryServer.set_clock(Callable())


func test_what_changes_after_words_are_gathered_is_found() -> void:
	var memory: RAGMemory = make_memory("gathered and changed")
	var ids: PackedStringArray = await memory.store_batch_async(_batch()).completed
	memory.retrieve_scored(QUESTIONS[0])
	var used: int = _used()
	await _until_gathered(used)
	var id: String = memory.store("Odo lost a zither.", 5)
	check_equal(memory.update_memory(ids[3], {"text": "Odo hid a lute."}), true)
	check_equal(memory.update_memory(ids[COUNT - 1], {"text": "Odo hid a lyre."}), true)
	check_equal(memory.forget(ids[4]), true)
	check_equal(_best(memory, "zither?"), id)
	check_equal(_best(memory, "lute?"), ids[3])
	check_equal(_best(memory, "lyre?"), ids[COUNT - 1])
	var told: Dictionary = memory.explain("zither, lute, lyre, day")["keywords"]
	check_equal(told, {"zither": 1, "lute": 1, "lyre": 1, "dai": COUNT - 3})


func _batch() -> Array[Dictionary]:
	var batch: Array[Dictionary] = []
	for number: int in COUNT:
		var who: String = NAMES[number % NAMES.size()]
		var text: String = "%s sold %s on day %d." % [who, GOODS[number % GOODS.size()], number]
		batch.append({"text": text, "timestamp": number * 240, "speaker": who})
	return batch


func _answers(memory: RAGMemory) -> Array:
	var answers: Array = []
	for question: String in QUESTIONS:
		answers.append(memory.retrieve_scored(question))
		answers.append(memory.retrieve_relevant_raw(question, {"limit": 50}))
	answers.append(memory.explain(QUESTIONS[0]))
	return answers


# A memory that comes and goes changes no answer, but no place that was found before is used again.
func _forget_what_was_looked_up(memory: RAGMemory) -> void:
	check_equal(memory.forget(memory.store("It rained.")), true)


func _best(memory: RAGMemory, question: String) -> String:
	return memory.retrieve_relevant_raw(question, {"limit": 1})[0]["id"]


func _used() -> int:
	return MemoryServer.health()["save"]["vector_cache_bytes"]


# Until what is in memory is more than before by the words of all memories, and has not become more
# for a second, in which nothing else is asked.
func _until_gathered(before: int) -> void:
	var used: int = 0
	while _used() != used or used - before <= COUNT * 8:
		used = _used()
		await get_tree().create_timer(1.0).timeout

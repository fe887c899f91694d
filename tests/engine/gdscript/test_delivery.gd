# Runs typed and untyped.
# Runs without the model.
# How signals and answers reach the game: in order, some with each frame, and nothing is lost.
extends "res://tests/engine/gdscript/case.gd"


func test_the_signals_of_a_large_batch_come_over_several_frames_and_before_its_result() -> void:
	var memory: RAGMemory = make_memory("large batch")
	var batch: Array[Dictionary] = []
	for number: int in 600:
		batch.append({"text": "Sack number %d was carried to the mill." % number})
	var told := PackedStringArray()
	var in_frames: Dictionary = {}
	memory.memory_added.connect(
		func(id: String) -> void:
			told.append(id)
			OS.delay_usec(20)  # a game that does something with each
			in_frames[Engine.get_process_frames()] = true
	)
	var request: MemoryRequest = memory.store_batch_async(batch)
	var after: MemoryRequest = memory.get_memory_count_async()
	var told_with_the_result: Dictionary = {}
	request.completed.connect(
		func(_result: Variant) -> void: told_with_the_result["count"] = told.size()
	)
	var count: Variant = await after.completed
	check_equal(count, 600)
	check_equal(request.is_completed(), true, "asked first, answered first")
	check_equal(told_with_the_result.get("count", 0), 600)
	check_equal(told, request.get_result(), "each once, in the order of the batch")
	check(in_frames.size() > 1, "all within one frame")


func test_answers_come_in_order_however_long_the_game_takes_for_each() -> void:
	var memory: RAGMemory = make_memory("slow game")
	memory.store("The mill stands still.")
	var completed: Array[int] = []
	for number: int in 40:
		memory.get_memory_count_async().completed.connect(
			func(_count: Variant) -> void:
				completed.append(number)
				OS.delay_msec(2)
		)
	await until(func() -> bool: return completed.size() == 40)
	check_equal(completed.hash(), range(40).hash())


func test_answers_the_game_keeps_stay_as_they_were() -> void:
	var memory: RAGMemory = make_memory("kept answers")
	memory.store("The dog barked at the mill.")
	var kept: Array = []
	for number: int in 100:
		var answer: Variant = await memory.get_recent_async(1).completed
		if number % 3 == 0:
			kept.append(answer)
	kept[0][0]["document"] = "The game writes into its own answer."
	check_equal(kept.size(), 34)
	for number: int in range(1, 34):
		check_equal(kept[number][0]["document"], "The dog barked at the mill.", str(number))
		check_type(kept[number][0]["metadata"], TYPE_DICTIONARY)


func test_a_late_result_is_dropped_and_what_it_did_is_told() -> void:
	var memory: RAGMemory = make_memory("given up")
	var added: Array[Array] = watch(memory.memory_added)
	var failed: Array[Array] = watch(memory.failed)
	var requests: Array[MemoryRequest] = []
	var completions: Dictionary = {}
	for number: int in 30:
		var request: MemoryRequest = memory.store_async("Step %d of the mill wheel." % number)
		request.completed.connect(
			func(_id: Variant) -> void: completions[number] = 1 + int(completions.get(number, 0))
		)
		requests.append(request)
	await frames(1)
	for request: MemoryRequest in requests:
		request.cancel()
	await until(func() -> bool: return completions.size() == 30)
	var count: int = memory.get_memory_count()
	await frames(5)
	check_equal(completions.values().max(), 1, "each request once")
	check_equal(added.size(), count, "every memory that is stored was told of")
	check_equal(failed.size(), 0)

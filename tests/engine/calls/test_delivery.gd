# Runs typed and untyped.
# Runs without the model.
# How signals and answers reach the game: in order, some with each frame, and nothing is lost.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


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


func test_a_save_opened_by_a_blocking_call_stays_the_current_one() -> void:
	MemoryServer.close_save()
	var heard: PackedStringArray = hear_saves()
	var request: MemoryRequest = MemoryServer.open_save_async("early")
	check_equal(MemoryServer.open_save("late"), OK)
	check_equal(MemoryServer.current_save(), "late")
	check_equal(heard, PackedStringArray(["opened early", "closed early", "opened late"]))
	check_equal(request.is_completed(), false, "not within the frame it was made in")
	check_equal(await request.completed, OK)
	await frames(3)
	check_equal(heard.size(), 3, "each once")
	check_equal(MemoryServer.current_save(), "late")
	check_equal(MemoryServer.health()["current_save"], "late")


func test_a_save_that_is_opened_already_when_a_blocking_call_opens_it_is_the_current_one() -> void:
	MemoryServer.close_save()
	var heard: PackedStringArray = hear_saves()
	var request: MemoryRequest = MemoryServer.open_save_async("twice")
	check_equal(MemoryServer.open_save("twice"), OK)
	check_equal(MemoryServer.current_save(), "twice")
	check_equal(await request.completed, OK)
	check_equal(heard, PackedStringArray(["opened twice"]))


func test_save_signals_come_in_order_whoever_opens_and_closes_and_cancels() -> void:
	MemoryServer.close_save()
	var heard: PackedStringArray = hear_saves()
	var open_save: Callable = func(id: String) -> Error: return MemoryServer.open_save(id)
	var random := RandomNumberGenerator.new()
	random.seed = 7
	for number: int in 120:
		var id: String = "mixed %d" % (number % 3)
		match random.randi() % 7:
			0:
				MemoryServer.open_save(id)
				check_equal(MemoryServer.current_save(), id)
			1:
				MemoryServer.close_save()
				check_equal(MemoryServer.current_save(), "")
			2:
				MemoryServer.open_save_async(id)
			3:
				MemoryServer.close_save_async()
			4:
				MemoryServer.open_save_async(id).cancel()
			5:
				var thread := Thread.new()
				thread.start(open_save.bind(id))
				thread.wait_to_finish()
			6:
				await frames(1)
	check_equal(await MemoryServer.open_save_async("last").completed, OK)
	check_equal(MemoryServer.current_save(), "last")
	check_equal(MemoryServer.health()["current_save"], "last")
	var open: String = ""
	for each: String in heard:
		var id: String = each.substr(each.find(" ") + 1)
		var was_open: String = open
		open = id if each.begins_with("opened") else ""
		check_equal(was_open, "" if open else id, "among %s" % [heard])
	check_equal(open, "last")


func test_signals_of_two_nodes_come_in_the_order_of_their_calls() -> void:
	var nodes: Array[RAGMemory] = [make_memory("one mind"), make_memory("one mind")]
	var told := PackedStringArray()
	for node: RAGMemory in nodes:
		node.memory_added.connect(func(id: String) -> void: told.append(id))
	for round_number: int in 20:
		var requests: Array[MemoryRequest] = []
		told.clear()
		for number: int in 3:
			requests.append(nodes[0].store_async("Cart %d of %d." % [number, round_number]))
		var last: String = nodes[1].store("The gate of evening %d." % round_number)
		check_equal(told.size(), 4, "the blocking call has told of what came before it")
		await until(requests[2].is_completed)
		var expected := PackedStringArray()
		for request: MemoryRequest in requests:
			expected.append(request.get_result())
		expected.append(last)
		check_equal(told, expected)


func test_what_a_handler_does_is_told_after_what_was_done_before() -> void:
	var memory: RAGMemory = make_memory("interrupted")
	var batch: Array[Dictionary] = []
	for number: int in 6:
		batch.append({"text": "Barrel %d was rolled into the cellar." % number})
	var told := PackedStringArray()
	var own: Array[String] = []
	memory.memory_added.connect(
		func(id: String) -> void:
			told.append(id)
			if told.size() == 2:
				own.append(memory.store("Somebody counts the barrels."))
	)
	var ids: Variant = await memory.store_batch_async(batch).completed
	var expected: PackedStringArray = ids
	expected.append(own[0])
	check_equal(told, expected, "each once")


func test_no_handler_runs_inside_another_however_many_signals_wait() -> void:
	var memory: RAGMemory = make_memory("talk of the town")
	var journal: RAGMemory = make_memory("journal")
	var batch: Array[Dictionary] = []
	for number: int in 3000:
		batch.append({"text": "Stall number %d was put up." % number})
	var state: Dictionary = {"depth": 0, "deepest": 0}
	var told := PackedStringArray()
	var noted := PackedStringArray()
	var stored := PackedStringArray()
	memory.memory_added.connect(
		func(id: String) -> void:
			state.depth += 1
			state.deepest = maxi(state.deepest, state.depth)
			told.append(id)
			stored.append(journal.store("Entry %d." % told.size()))
			state.depth -= 1
	)
	journal.memory_added.connect(
		func(id: String) -> void:
			state.deepest = maxi(state.deepest, state.depth + 1)
			noted.append(id)
	)
	var request: MemoryRequest = memory.store_batch_async(batch)
	var last: String = memory.store("The market opens.")
	check_equal(state.deepest, 1)
	check_equal(told.size(), 3001)
	check_equal(
		noted, stored, "the calls of handlers are told of before the outermost call returns"
	)
	var expected: PackedStringArray = await request.completed
	expected.append(last)
	check_equal(told, expected, "each once, in order")


func test_what_handlers_have_done_is_told_when_no_answer_waits_any_more() -> void:
	var memory: RAGMemory = make_memory("crier")
	var journal: RAGMemory = make_memory("list")
	var noted: Array[Array] = watch(journal.memory_added)
	memory.memory_added.connect(
		func(id: String) -> void:
			journal.store("The crier calls %s." % id)
			OS.delay_msec(2)  # more than a frame has for signals
	)
	var last: MemoryRequest
	for number: int in 20:
		last = memory.store_async("Call number %d." % number)
	await last.completed
	await until(func() -> bool: return noted.size() == 20)
	check_equal(noted.size(), 20)


func test_a_save_opened_inside_a_handler_is_the_current_one() -> void:
	check_equal(MemoryServer.open_save("outer"), OK)
	var memory: RAGMemory = make_memory()
	var heard: PackedStringArray = hear_saves()
	var current := PackedStringArray()
	memory.memory_added.connect(
		func(_id: String) -> void:
			MemoryServer.open_save_async("passing")
			MemoryServer.open_save("inner")
			current.append(MemoryServer.current_save())
			check_equal(heard, PackedStringArray(), "not inside the handler")
	)
	memory.store("The door falls shut.")
	check_equal(current, PackedStringArray(["inner"]))
	check_equal(MemoryServer.current_save(), "inner")
	check_equal(
		heard,
		PackedStringArray(["closed outer", "opened passing", "closed passing", "opened inner"])
	)


func test_a_save_opened_inside_a_handler_stays_the_current_one_while_earlier_signals_come() -> void:
	MemoryServer.close_save()
	var current := PackedStringArray()
	var open_another: Callable = func(_id: String) -> void:
		MemoryServer.open_save("third")
		current.append(MemoryServer.current_save())
	MemoryServer.save_opened.connect(open_another, CONNECT_ONE_SHOT)
	MemoryServer.save_closed.connect(
		func(_id: String) -> void: current.append(MemoryServer.current_save())
	)
	MemoryServer.open_save_async("first")
	check_equal(MemoryServer.open_save("second"), OK)
	check_equal(current, PackedStringArray(["third", "third", "third"]))
	check_equal(MemoryServer.current_save(), "third")


func test_the_signals_of_a_thread_come_before_those_of_a_later_call() -> void:
	var memory: RAGMemory = make_memory("two threads")
	var told := PackedStringArray()
	memory.memory_added.connect(func(id: String) -> void: told.append(id))
	for number: int in 10:
		told.clear()
		var thread := Thread.new()
		thread.start(func() -> String: return memory.store("Heard at dawn %d." % number))
		var first: Variant = thread.wait_to_finish()
		var second: String = memory.store("Heard at noon %d." % number)
		await frames(2)
		check_equal(told, PackedStringArray([first, second]))


# What the signals of saves say from now on.
func hear_saves() -> PackedStringArray:
	var heard := PackedStringArray()
	MemoryServer.save_opened.connect(func(id: String) -> void: heard.append("opened " + id))
	MemoryServer.save_closed.connect(func(id: String) -> void: heard.append("closed " + id))
	return heard

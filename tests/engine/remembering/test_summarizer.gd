# Runs typed and untyped.
# MemoryServer.summarizer: the game writes the summaries of consolidated memories.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

signal answered(text: String)

var requests: Array[Dictionary] = []
var _memory: RAGMemory


func _exit_tree() -> void:
	MemoryServer.summarizer = Callable()


func _start(save_id: String) -> RAGMemory:
	requests.clear()
	check_equal(MemoryServer.open_save(save_id), OK)
	_memory = make_memory("elena of " + save_id)
	_store_talks(_memory, 60)
	return _memory


func _store_talks(memory: RAGMemory, count: int) -> void:
	var talks: Array[Dictionary] = []
	for number: int in count:
		var text: String = "Rowan asked for bread number %d." % number
		talks.append({"text": text, "importance": 3, "event_type": "conversation"})
	check_equal(memory.store_batch(talks).size(), count)


func _config(values: Dictionary) -> MemoryConfig:
	var config: MemoryConfig = MemoryConfig.new()
	for name: String in values:
		config.set(name, values[name])
	return config


func _texts(done: Dictionary) -> Array:
	return Array(done["summary_ids"]).map(
		func(id: String) -> String: return _memory.get_memory(id)["document_full"]
	)


func _note(request: Dictionary) -> void:
	requests.append(request)


func _write(request: Dictionary) -> String:
	_note(request)
	return "Summary %d of %d memories." % [requests.size(), request["sources"].size()]


func _write_later(request: Dictionary) -> String:
	_note(request)
	await get_tree().process_frame
	await get_tree().create_timer(0.05).timeout
	return "Late summary %d." % requests.size()


func _check_extracts(done: Dictionary) -> void:
	check((done["removed"] as int) > 30, "the memories were merged all the same")
	for text: String in _texts(done):
		check_contains(text, "Rowan asked for bread number")


func test_a_consolidation_that_blocks_calls_it_on_the_main_thread() -> void:
	_start("summarizer blocking")
	var threads: Array[bool] = []
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		threads.append(OS.get_thread_caller_id() == OS.get_main_thread_id())
		return _write(request)
	var done: Dictionary = _memory.consolidate()
	check_equal(_texts(done)[0], "Summary 1 of %d memories." % requests[0]["sources"].size())
	check_equal(requests.size(), done["summary_ids"].size())
	check(not false in threads, "on the main thread")
	var request: Dictionary = requests[0]
	check_equal(request["npc_id"], _memory.npc_id)
	check_contains(request["extract"] as String, "Rowan asked for bread number")
	check_equal(request["people"], ["Rowan"])
	check_equal(request["sources"][0]["metadata"]["event_type"], "conversation")
	for key: String in ["dates", "topics", "numbers", "source_ids", "max_chars"]:
		check(request.has(key), key)
	var metadata: Dictionary = _memory.get_memory(done["summary_ids"][0])["metadata"]
	check_equal(metadata["source_ids"], request["source_ids"])
	check_equal(metadata["is_extractive"], false)


func test_a_coroutine_is_awaited() -> void:
	_start("summarizer coroutine")
	MemoryServer.summarizer = _write_later
	var done: Dictionary = await _memory.consolidate_async().completed
	check_equal(requests.size(), done["summary_ids"].size())
	check_equal(_texts(done)[0], "Late summary 1.")


func test_the_npc_answers_while_the_summarizer_writes() -> void:
	_start("summarizer meanwhile")
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		_note(request)
		return await answered
	var request: MemoryRequest = _memory.consolidate_async()
	await until(func() -> bool: return requests.size() == 1)
	check_equal(_memory.get_memory_count(), 60)
	check(_memory.store("Rowan left.", 9) != "", "stored meanwhile")
	check_equal(
		_memory.retrieve_relevant_raw("Rowan left.", {"limit": 1})[0]["document"], "Rowan left."
	)
	check(not request.is_completed(), "still waiting")
	while not request.is_completed():
		answered.emit("At last.")
		await get_tree().process_frame
	check_equal(_texts(request.get_result() as Dictionary)[0], "At last.")


func test_it_may_use_the_memory_itself() -> void:
	_start("summarizer memory")
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		var recent: Array[Dictionary] = _memory.get_recent(1)
		return "%d, newest: %s" % [request["sources"].size(), recent[0]["document"]]
	check_contains(_texts(_memory.consolidate())[0] as String, "newest: Rowan asked")


func test_a_signal_and_an_object_with_one_are_awaited() -> void:
	_start("summarizer signals")
	MemoryServer.summarizer = func(request: Dictionary) -> Signal:
		_note(request)
		answered.emit.call_deferred("From a signal.")
		return answered
	var done: Dictionary = await _memory.consolidate_async().completed
	check_equal(_texts(done)[0], "From a signal.")
	_store_talks(_memory, 60)
	MemoryServer.summarizer = func(_request: Dictionary) -> MemoryRequest:
		return _memory.dump_all_memories_async()
	done = await _memory.consolidate_async().completed
	check_contains(_texts(done)[0] as String, "memories")


func test_a_request_that_is_complete_already_is_the_answer() -> void:
	_start("summarizer complete")
	MemoryServer.summarizer = func(_request: Dictionary) -> MemoryRequest:
		var done: MemoryRequest = MemoryRequest.new()
		done.complete("At once.")
		return done
	var done: Dictionary = await _memory.consolidate_async().completed
	check("At once." in _texts(done), "the answer was taken: %s" % [_texts(done)])


func test_auto_consolidate_asks_in_the_background() -> void:
	MemoryServer.summarizer = _write_later
	_start("summarizer background")
	requests.clear()
	_memory.config = _config({"auto_consolidate": true})
	_store_talks(_memory, 1)
	await until(func() -> bool: return _memory.get_memory_count() <= 20)
	check(not requests.is_empty(), "asked")
	var told: Array = _memory.get_recent(50).map(
		func(each: Dictionary) -> String: return each["document_full"]
	)
	check("Late summary 1." in told, "written by the game")


func test_what_is_no_text_is_replaced_by_the_extract() -> void:
	_start("summarizer wrong")
	var wrong: Array = [null, 42, " ", {}, self]
	MemoryServer.summarizer = func(request: Dictionary) -> Variant:
		_note(request)
		return wrong[requests.size() % wrong.size()]
	_check_extracts(_memory.consolidate())
	_store_talks(_memory, 60)
	_check_extracts(await _memory.consolidate_async().completed)
	check(requests.size() >= wrong.size(), "each of them")


func test_a_coroutine_cannot_be_awaited_by_a_game_that_stands_still() -> void:
	_start("summarizer standing still")
	MemoryServer.summarizer = _write_later
	_check_extracts(_memory.consolidate())
	await frames(3)


func test_what_takes_too_long_is_given_up() -> void:
	_start("summarizer too long")
	_memory.config = _config({"summarizer_timeout_seconds": 0.1})
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		_note(request)
		return await answered
	_check_extracts(await _memory.consolidate_async().completed)
	answered.emit("Too late.")
	await frames(2)
	check(not "Too late." in _memory.dump_all_memories(), "a late text changes nothing")


func test_a_function_that_cannot_be_called_is_said() -> void:
	var object := Node.new()
	var gone: Callable = object.get_name
	object.free()
	for wrong: Callable in [gone, func() -> String: return "takes nothing"]:
		_start("summarizer callable %d" % wrong.hash())
		MemoryServer.summarizer = wrong
		_check_extracts(_memory.consolidate())


func test_one_that_consolidates_itself_comes_to_an_end() -> void:
	_start("summarizer of itself")
	MemoryServer.summarizer = func(_request: Dictionary) -> String:
		_memory.consolidate()
		return "Written."
	check(_memory.consolidate().has("removed"), "returned")


func test_opening_a_save_does_not_wait_for_it() -> void:
	_start("summarizer left")
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		_note(request)
		return await answered
	_memory.config = _config({"summarizer_timeout_seconds": 3600.0})
	var request: MemoryRequest = _memory.consolidate_async()
	await until(func() -> bool: return requests.size() == 1)
	check_equal(MemoryServer.open_save("summarizer left for"), OK)
	await until(request.is_completed)
	check_equal(request.get_error(), "")
	check_equal(requests.size(), 1, "not asked again")


func test_a_background_consolidation_left_with_its_save_is_done_later() -> void:
	MemoryServer.summarizer = func(request: Dictionary) -> String:
		_note(request)
		return await answered
	_start("summarizer later")
	_memory.config = _config({"auto_consolidate": true})
	_memory.store("Rowan asked for salt.")
	await until(func() -> bool: return requests.size() == 1)
	check_equal(MemoryServer.close_save(), OK)
	MemoryServer.summarizer = _write
	check_equal(MemoryServer.open_save("summarizer later"), OK)
	check_equal(_memory.get_memory_count(), 61, "nothing was lost")
	_memory.store("One more.")
	await until(func() -> bool: return _memory.get_memory_count() <= 20)


func test_no_summarizer_no_question() -> void:
	_start("summarizer none")
	MemoryServer.summarizer = _write
	MemoryServer.summarizer = Callable()
	check_equal(MemoryServer.summarizer, Callable())
	_check_extracts(_memory.consolidate())
	check_equal(requests.size(), 0)

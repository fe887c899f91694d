# Runs typed and untyped.
# Runs without the model.
# Calls with an array so long that it is encoded over several frames: nobody notices but the frames.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const COUNT := 600


# In an entry, becomes an error on the way; tells that it was freed.
class Told:
	extends RefCounted
	var freed: Array[bool]

	func _init(told: Array[bool]) -> void:
		freed = told

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			freed.append(true)


func test_ten_thousand_entries_arrive_and_others_go_ahead() -> void:
	var memory: RAGMemory = make_memory("ten thousand")
	var other: RAGMemory = make_memory("other than ten thousand")
	var batch: Array[Dictionary] = _batch(10000)
	batch[9999]["text"] = ""
	var answered := PackedStringArray()
	expect_error("memory 9999")
	var request: MemoryRequest = memory.store_batch_async(batch)
	request.completed.connect(func(_ids: Variant) -> void: answered.append("batch"))
	var question: MemoryRequest = other.get_memory_count_async()
	question.completed.connect(func(_count: Variant) -> void: answered.append("question"))
	check_equal(request.is_completed(), false)
	await until(request.is_completed)
	check_equal(answered, PackedStringArray(["question", "batch"]))
	check_contains(request.get_error(), "memory 9999")
	check_equal(memory.get_memory_count(), 0)


func test_an_array_that_is_cleared_right_after_the_call() -> void:
	var memory: RAGMemory = make_memory("cleared")
	var batch: Array[Dictionary] = _batch(COUNT)
	var request: MemoryRequest = memory.store_batch_async(batch)
	batch.clear()
	batch.append({"text": "This belongs to the next batch."})
	await until(request.is_completed)
	_check_stored(memory, request)
	check_equal(batch.size(), 1)


func test_an_array_the_game_keeps_is_as_it_was() -> void:
	var memory: RAGMemory = make_memory("kept")
	var batch: Array[Dictionary] = _batch(COUNT)
	var request: MemoryRequest = memory.store_batch_async(batch)
	await until(request.is_completed)
	_check_stored(memory, request)
	check_equal(batch, _batch(COUNT))


func test_an_array_without_a_type_and_one_that_cannot_be_changed() -> void:
	var memory: RAGMemory = make_memory("untyped array")
	var batch: Array = []
	batch.assign(_batch(COUNT))
	batch.make_read_only()
	var request: Variant = memory.call("store_batch_async", batch)
	await until(request.is_completed)
	_check_stored(memory, request as MemoryRequest)


func test_calls_made_after_it_come_after_it() -> void:
	var memory: RAGMemory = make_memory("in order")
	var batch: Array[Dictionary] = _batch(COUNT)
	var request: MemoryRequest = memory.store_batch_async(batch)
	var later: MemoryRequest = memory.get_memory_count_async()
	check_equal(memory.get_memory_count(), COUNT, "a call that blocks")
	await until(later.is_completed)
	check_equal(later.get_result(), COUNT, "one that does not")
	check_equal(request.is_completed(), true)
	_check_stored(memory, request)


func test_another_node_of_the_npc_and_a_changed_config_come_after_it() -> void:
	var memory: RAGMemory = make_memory("two nodes")
	var second: RAGMemory = make_memory("two nodes")
	memory.store_batch_async(_batch(COUNT))
	second.config = MemoryConfig.new()
	check_equal(second.get_memory_count(), COUNT)


func test_a_name_changed_after_the_call_is_for_the_next_one() -> void:
	var memory: RAGMemory = make_memory("old name")
	memory.get_memory_count()
	memory.store_batch_async(_batch(COUNT))
	memory.npc_id = "new name"
	memory.store_batch_async(_batch(COUNT + 1))
	check_equal(await memory.get_memory_count_async().completed, COUNT + 1)
	check_equal(make_memory("old name").get_memory_count(), COUNT)


func test_several_at_once_come_in_order() -> void:
	var memory: RAGMemory = make_memory("several")
	var other: RAGMemory = make_memory("beside several")
	var first: MemoryRequest = memory.store_batch_async(_batch(COUNT))
	var second: MemoryRequest = memory.store_batch_async(_batch(COUNT, "later"))
	var third: MemoryRequest = other.store_batch_async(_batch(COUNT))
	await until(second.is_completed)
	check_equal(first.is_completed(), true)
	check_equal(memory.get_memory_count(), 2 * COUNT)
	_check_stored(memory, first)
	_check_stored(memory, second, "later")
	await until(third.is_completed)
	_check_stored(other, third)


func test_it_is_cancelled_before_it_is_sent() -> void:
	var memory: RAGMemory = make_memory("cancelled")
	var failed: Array[Array] = watch(memory.failed)
	var request: MemoryRequest = memory.store_batch_async(_batch(20000))
	var completed: Array[Array] = watch(request.completed)
	request.cancel()
	check_equal(request.is_completed(), false, "never before the next frame")
	var after: MemoryRequest = memory.store_batch_async(_batch(COUNT))
	await until(after.is_completed)
	request.cancel()
	await frames(3)
	check_equal(completed, [[PackedStringArray()]] as Array[Array])
	check_contains(request.get_error(), "cancelled")
	check_equal(memory.get_memory_count(), COUNT)
	check_equal(failed.size(), 0)


func test_an_entry_that_contains_itself() -> void:
	var memory: RAGMemory = make_memory("endless")
	var batch: Array[Dictionary] = _batch(COUNT)
	var endless: Dictionary = batch[COUNT - 2]
	endless["topics"] = [endless]
	expect_error("nested too deeply or contain themselves")
	var request: MemoryRequest = memory.store_batch_async(batch)
	await until(request.is_completed)
	endless.clear()
	check_contains(request.get_error(), "nested too deeply")
	check_equal(request.get_result(), PackedStringArray())
	check_equal(memory.get_memory_count(), 0)


func test_an_entry_with_an_object_is_refused_and_the_object_freed() -> void:
	var memory: RAGMemory = make_memory("object")
	var batch: Array[Dictionary] = _batch(COUNT)
	var freed: Array[bool] = []
	batch[COUNT - 1]["topics"] = Told.new(freed)
	expect_error("Object")
	var request: MemoryRequest = memory.store_batch_async(batch)
	batch.clear()
	check_equal(freed.size(), 0, "it is needed")
	await until(request.is_completed)
	check(not request.get_error().is_empty(), "an error")
	check_equal(freed.size(), 1)
	check_equal(memory.get_memory_count(), 0)


# An element is let go of when it is encoded. A frame has a millisecond, enough for some hundreds.
func test_ten_thousand_entries_are_encoded_over_several_frames() -> void:
	var memory: RAGMemory = make_memory("several frames")
	var batch: Array[Dictionary] = _batch(10000)
	var freed: Array[bool] = []
	batch[9999]["topics"] = Told.new(freed)
	expect_error("Object")
	var request: MemoryRequest = memory.store_batch_async(batch)
	batch.clear()
	var frames_before: int = Engine.get_process_frames()
	await until(func() -> bool: return not freed.is_empty())
	var passed: int = Engine.get_process_frames() - frames_before
	check(passed >= 3, "the last entry was encoded after %d frames" % passed)
	await until(request.is_completed)


# The last entry is still to be encoded when these calls have answered.
func test_what_needs_no_memories_does_not_wait_for_it() -> void:
	var memory: RAGMemory = make_memory("not waited for")
	var batch: Array[Dictionary] = _batch(COUNT)
	var freed: Array[bool] = []
	batch[COUNT - 1]["topics"] = Told.new(freed)
	expect_error("Object")
	var request: MemoryRequest = memory.store_batch_async(batch)
	batch.clear()
	check_equal(memory.estimate_tokens("abcd"), 2)
	check_equal(memory.is_protected({}), false)
	check_equal(memory.format_memories(["It rained."]), PackedStringArray(["It rained."]))
	check_equal(memory.calculate_importance("conversation"), 6)
	check_equal(memory.get_deterministic_deltas("rumor"), {})
	check_equal(freed.size(), 0)
	await until(request.is_completed)


func test_the_save_is_changed_right_after_the_call() -> void:
	MemoryServer.open_save("before the change")
	var memory: RAGMemory = make_memory("saved")
	var request: MemoryRequest = memory.store_batch_async(_batch(COUNT))
	check_equal(MemoryServer.open_save("after the change"), OK)
	check_equal(memory.get_memory_count(), 0)
	await until(request.is_completed)
	check_equal(MemoryServer.open_save("before the change"), OK)
	_check_stored(memory, request)


func test_the_node_is_freed_right_after_the_call() -> void:
	var memory: RAGMemory = make_memory("freed")
	var request: MemoryRequest = memory.store_batch_async(_batch(COUNT))
	memory.free()
	await until(request.is_completed)
	_check_stored(make_memory("freed"), request)


func test_a_call_from_a_thread_comes_after_it() -> void:
	var memory: RAGMemory = make_memory("thread after it")
	memory.store_batch_async(_batch(COUNT))
	var thread: Thread = Thread.new()
	thread.start(func() -> int: return memory.get_memory_count())
	await until(func() -> bool: return not thread.is_alive())
	check_equal(thread.wait_to_finish(), COUNT)


func test_the_main_thread_waits_for_a_thread_that_calls_after_it() -> void:
	var memory: RAGMemory = make_memory("thread that is waited for")
	var request: MemoryRequest = memory.store_batch_async(_batch(COUNT))
	var thread: Thread = Thread.new()
	thread.start(func() -> int: return memory.get_memory_count())
	check_equal(thread.wait_to_finish(), COUNT)
	await until(request.is_completed)
	_check_stored(memory, request)


func test_a_call_from_a_thread_is_made_at_once() -> void:
	var memory: RAGMemory = make_memory("thread with a batch")
	var batch: Array[Dictionary] = _batch(COUNT)
	var thread: Thread = Thread.new()
	thread.start(func() -> MemoryRequest: return memory.store_batch_async(batch))
	var request: MemoryRequest = thread.wait_to_finish()
	await until(request.is_completed)
	_check_stored(memory, request)


func _batch(count: int, what := "seen") -> Array[Dictionary]:
	var batch: Array[Dictionary] = []
	for number: int in count:
		batch.append(
			{"text": "Sack %d was %s at the mill." % [number, what], "topics": [str(number)]}
		)
	return batch


# Every entry is stored, and the ids are in the order of the batch.
func _check_stored(memory: RAGMemory, request: MemoryRequest, what := "seen") -> void:
	var ids: PackedStringArray = request.get_result()
	check_equal(request.get_error(), "")
	check_equal(ids.size(), COUNT)
	for number: int in [0, 1, 31, 32, 33, 63, 64, 500, COUNT - 1]:
		var stored: Dictionary = memory.get_memory(ids[number])
		check_equal(stored["document"], "Sack %d was %s at the mill." % [number, what])
		check_equal(stored["metadata"]["topics"], [str(number)])

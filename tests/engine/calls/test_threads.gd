# Calls from the game's own threads.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_blocking_calls_from_a_thread() -> void:
	var memory := make_memory("threaded")
	var result: Array = await _on_thread(
		func() -> Array:
			var id := memory.store("From a thread.")
			return [id, memory.get_memory_count(), memory.retrieve_scored("thread").size()]
	)
	check(result[0] != "", "an id")
	check_equal(result[1], 1)
	check_equal(result[2], 2)


func test_signals_of_a_call_from_a_thread_arrive_on_the_main_thread() -> void:
	var memory := make_memory("signals of a thread")
	var threads: Array[int] = []
	memory.memory_added.connect(
		func(_id: String) -> void: threads.append(OS.get_thread_caller_id())
	)
	await _on_thread(func() -> String: return memory.store("From a thread."))
	await until(func() -> bool: return not threads.is_empty())
	await frames(3)
	check_equal(threads, [OS.get_main_thread_id()] as Array[int])


func test_a_failure_on_a_thread_reaches_the_node() -> void:
	var memory := make_memory("failing thread")
	var failed := watch(memory.failed)
	expect_error("text is empty")
	var id: String = await _on_thread(func() -> String: return memory.store(""))
	check_equal(id, "")
	await until(func() -> bool: return not failed.is_empty())
	await frames(3)
	check_equal(failed.size(), 1)


func test_async_calls_from_a_thread_complete_on_the_main_thread() -> void:
	var memory := make_memory("async thread")
	var request: MemoryRequest = await _on_thread(
		func() -> MemoryRequest: return memory.store_async("Later.")
	)
	await until(request.is_completed)
	check(request.get_result() != "", "an id")


func test_several_threads_at_once() -> void:
	var threads: Array[Thread] = []
	for number in 4:
		var memory := make_memory("thread number %d" % number)
		var thread := Thread.new()
		thread.start(
			func() -> int:
				for event in 25:
					memory.store("Event %d." % event)
					memory.retrieve_scored("event")
				return memory.get_memory_count()
		)
		threads.append(thread)
	var main := make_memory("main thread meanwhile")
	for event in 10:
		main.store("Event %d." % event)
		await frames(1)
	for thread in threads:
		await until(func() -> bool: return not thread.is_alive())
		check_equal(thread.wait_to_finish(), 25)
	check_equal(main.get_memory_count(), 10)


func test_the_server_from_a_thread() -> void:
	var result: Array = await _on_thread(
		func() -> Array:
			return [
				MemoryServer.open_save("from a thread"),
				MemoryServer.health()["state"],
				MemoryServer.list_saves(),
				MemoryServer.close_save(),
			]
	)
	check_equal(result[0], OK)
	check_equal(result[1], "ready")
	check("from a thread" in result[2], str(result[2]))
	check_equal(result[3], OK)
	check_equal(MemoryServer.open_save("after the thread"), OK)


func test_the_worker_thread_pool() -> void:
	var memory := make_memory("pool")
	var group := WorkerThreadPool.add_group_task(
		func(number: int) -> void: memory.store("Task %d." % number), 20
	)
	await until(func() -> bool: return WorkerThreadPool.is_group_task_completed(group))
	WorkerThreadPool.wait_for_group_task_completion(group)
	check_equal(memory.get_memory_count(), 20)


func _on_thread(work: Callable) -> Variant:
	var thread := Thread.new()
	thread.start(work)
	await until(func() -> bool: return not thread.is_alive())
	return thread.wait_to_finish()

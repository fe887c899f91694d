# Runs typed and untyped.
# MemoryRequest: when it completes, with what, and whom it wakes.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_a_request_completes_with_a_later_frame() -> void:
	await MemoryServer.preload().completed
	var memory: RAGMemory = make_memory()
	memory.store("The worker is warm now.")
	for attempt: int in 5:
		var request: MemoryRequest = memory.get_memory_count_async()
		var asked: int = Engine.get_process_frames()
		OS.delay_msec(30)
		check_equal(request.is_completed(), false, "the answer is there, the frame is not over")
		check_equal(request.get_result(), null)
		check_equal(request.get_error(), "")
		var count: Variant = await request.completed
		check_equal(count, 1)
		check(Engine.get_process_frames() > asked, "the same frame %d" % asked)
		check_equal(request.is_completed(), true)
		check_equal(request.get_result(), 1)


func test_completed_is_emitted_exactly_once() -> void:
	var memory: RAGMemory = make_memory()
	var request: MemoryRequest = memory.store_async("Once.")
	var emissions: Array[Array] = watch(request.completed)
	await request.completed
	await frames(10)
	check_equal(emissions.size(), 1)


func test_two_awaits_in_flight_never_wake_each_other() -> void:
	var one: RAGMemory = make_memory("awaiting one")
	var other: RAGMemory = make_memory("awaiting other")
	one.store("I am one.")
	other.store("I am the other.")
	other.store("I have two memories.")
	var results: Dictionary = {}
	for round_number: int in 20:
		_await_count(one, results, "one %d" % round_number)
		_await_recent(other, results, "recent %d" % round_number)
		_await_count(other, results, "other %d" % round_number)
	await until(func() -> bool: return results.size() == 60)
	for round_number: int in 20:
		check_equal(results["one %d" % round_number], 1)
		check_equal(results["other %d" % round_number], 2)
		check_equal(results["recent %d" % round_number], "I have two memories.")


func test_two_coroutines_may_await_one_request() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("Shared.")
	var request: MemoryRequest = memory.get_memory_count_async()
	var results: Array = []
	for number: int in 2:
		_await_request(request, results)
	await until(func() -> bool: return results.size() == 2)
	check_equal(results, [1, 1])


func test_a_request_nobody_holds_completes() -> void:
	var memory: RAGMemory = make_memory()
	memory.store_async("Nobody waits for me.")
	check_equal(memory.get_memory_count(), 1, "asked later, answered later")


func test_calls_of_one_npc_run_in_the_order_made() -> void:
	var memory: RAGMemory = make_memory()
	var requests: Array[MemoryRequest] = []
	for number: int in 10:
		requests.append(memory.store_async("Event %d." % number, 5, {"timestamp": number}))
		requests.append(memory.get_memory_count_async())
	var count: int = memory.get_memory_count()
	check_equal(count, 10, "a blocking call comes after those made before")
	await requests.back().completed
	for number: int in 10:
		check_equal(requests[2 * number + 1].get_result(), number + 1)
	var memories: Array[Dictionary] = []
	for number: int in 200:
		memories.append(
			{"text": "Long work, part %d, takes its time." % number, "timestamp": 100 + number}
		)
	memory.store_batch_async(memories)
	memory.store_async("The last one.", 5, {"timestamp": 1000})
	check_equal(memory.get_recent(1)[0]["document"], "The last one.")
	check_equal(memory.get_memory_count(), 211)


func test_nodes_with_one_npc_id_run_in_one_order() -> void:
	var one: RAGMemory = make_memory("shared order")
	var other: RAGMemory = make_memory("shared order")
	var memories: Array[Dictionary] = []
	for number: int in 100:
		memories.append({"text": "Long work, part %d, takes its time." % number})
	one.store_batch_async(memories)
	check_equal(other.get_memory_count(), 100)


func test_a_blocking_call_overtakes_the_long_work_of_another_npc() -> void:
	await MemoryServer.preload().completed
	var busy: RAGMemory = make_memory("busy npc")
	var asked: RAGMemory = make_memory("asked npc")
	asked.store("I have time.")
	var memories: Array[Dictionary] = []
	for number: int in 1500:
		memories.append(
			{"text": "Sentence number %d about the long winter in the mountains." % number}
		)
	var request: MemoryRequest = busy.store_batch_async(memories)
	await frames(2)
	for attempt: int in 5:
		check_equal(asked.retrieve_scored("Do you have time?").size(), 2)
	check_equal(request.is_completed(), false)
	await frames(1)
	check_equal(
		request.is_completed(), false, "the batch was done before the question: overtaken nothing"
	)
	var ids: Variant = await request.completed
	check_equal(ids.size(), 1500)


func test_what_needs_no_memories_waits_for_no_batch() -> void:
	await MemoryServer.preload().completed
	var memory: RAGMemory = make_memory("busy with a batch")
	var done_before: int = _batches_done()
	var request: MemoryRequest = memory.store_batch_async(_sentences(500))
	var counted: MemoryRequest = memory.get_memory_count_async()
	var opened: MemoryRequest = MemoryServer.open_save_async("after a batch")
	await frames(2)
	check_equal(memory.estimate_tokens("abcd"), 2)
	var name: Dictionary = {"text": "Theron.", "metadata": {"slot_type": "player_name"}}
	check_equal(memory.is_protected(name), true)
	check_equal(memory.format_memories([name], "bullet"), PackedStringArray(["- Theron."]))
	check_equal(memory.calculate_importance("conversation"), 6)
	check_equal(memory.get_deterministic_deltas("betrayal")["trust_change"], -15)
	check_equal(_batches_done(), done_before, "the batch was done before these calls")
	check_equal(await memory.calculate_importance_async("conversation").completed, 6)
	var deltas: Variant = await memory.get_deterministic_deltas_async("betrayal").completed
	check_equal(deltas["trust_change"], -15)
	check_equal(_batches_done(), done_before, "the batch was done before these requests")
	await until(opened.is_completed)
	check_equal(request.get_result().size(), 500)
	check_equal(counted.get_result(), 500, "what needs memories comes after the batch")


func test_a_changed_config_overtakes_no_call_that_was_made_before() -> void:
	await MemoryServer.preload().completed
	var memory: RAGMemory = make_memory("busy with a config")
	memory.config = MemoryConfig.new()
	var mood: Dictionary = {"metadata": {"slot_type": "mood"}}
	check_equal(memory.is_protected(mood), false)
	var done_before: int = _batches_done()
	memory.store_batch_async(_sentences(500))
	var request: MemoryRequest = memory.store_async("I am gloomy.", 7, {"slot_type": "mood"})
	memory.config.importance_threshold_for_tier = 7
	memory.config.protected_slot_types.append("mood")
	check_equal(memory.is_protected(mood), true, "the config as it is now")
	check_equal(_batches_done(), done_before, "the batch was done before this call")
	await request.completed
	var stored: Dictionary = memory.get_memory(request.get_result())
	check_equal(stored["metadata"]["memory_tier"], 2, "the config as it was")
	check_equal(stored["protected"], true)
	var important: String = memory.store("I am glad.", 7)
	check_equal(memory.get_memory(important)["metadata"]["memory_tier"], 1)


func test_a_node_that_gets_another_npc_leaves_its_earlier_calls_to_the_first_one() -> void:
	await MemoryServer.preload().completed
	var node: RAGMemory = make_memory("first npc")
	for number: int in 50:
		node.store_async("Sentence number %d." % number)
	node.npc_id = "second npc"
	check_equal(node.get_memory_count(), 0)
	node.npc_id = "first npc"
	check_equal(node.get_memory_count(), 50)


func test_a_node_that_gets_another_npc_while_a_batch_is_stored_keeps_the_order() -> void:
	await MemoryServer.preload().completed
	var node: RAGMemory = make_memory("third npc")
	var memories: Array[Dictionary] = []
	for number: int in 300:
		memories.append({"text": "Sentence number %d about the long winter." % number})
	node.store_batch_async(memories)
	await frames(2)
	node.store_async("This was told to the first one.")
	node.npc_id = "fourth npc"
	await node.store_async("This was told to the second one.").completed
	check_equal(node.get_memory_count(), 1)
	node.npc_id = "third npc"
	check_equal(node.get_memory_count(), 301)


func test_cancel_completes_with_an_error_on_a_later_frame() -> void:
	var busy: RAGMemory = make_memory()
	var failed: Array[Array] = watch(busy.failed)
	var memories: Array[Dictionary] = []
	for number: int in 300:
		memories.append(
			{"text": "Sentence number %d about the long winter in the mountains." % number}
		)
	busy.store_batch_async(memories)
	var request: MemoryRequest = busy.store_async("Not this one.")
	var emissions: Array[Array] = watch(request.completed)
	request.cancel()
	check_equal(request.is_completed(), false)
	check_equal(emissions.size(), 0, "not within cancel() itself")
	await request.completed
	check_equal(emissions, [[""]] as Array[Array])
	check_contains(request.get_error(), "cancelled")
	request.cancel()
	await frames(5)
	check_equal(emissions.size(), 1, "cancelled again")
	check_equal(busy.get_memory_count(), 300, "what was cancelled before it began is not done")
	check_equal(failed.size(), 0, "a cancelled request is no failure")


func test_cancel_stops_long_work() -> void:
	var busy: RAGMemory = make_memory()
	var memories: Array[Dictionary] = []
	for number: int in 2000:
		memories.append(
			{"text": "Sentence number %d about the long winter in the mountains." % number}
		)
	var request: MemoryRequest = busy.store_batch_async(memories)
	await frames(3)
	request.cancel()
	await request.completed
	check_contains(request.get_error(), "cancelled")
	check(busy.get_memory_count() < 2000, "the rest was not done")


func test_cancel_of_a_completed_request_does_nothing() -> void:
	var memory: RAGMemory = make_memory()
	var request: MemoryRequest = memory.get_memory_count_async()
	var emissions: Array[Array] = watch(request.completed)
	await request.completed
	request.cancel()
	await frames(5)
	check_equal(emissions, [[0]] as Array[Array])
	check_equal(request.get_error(), "")


func test_a_request_of_a_node_freed_meanwhile_completes() -> void:
	var memory: RAGMemory = make_memory("freed meanwhile")
	memory.store("I was here.")
	var request: MemoryRequest = memory.get_memory_count_async()
	var stored: MemoryRequest = memory.store_async("My last words.")
	memory.free()
	var count: Variant = await request.completed
	check_equal(count, 1)
	await until(stored.is_completed)
	check(stored.get_result() != "", "stored all the same")
	check_equal(make_memory("freed meanwhile").get_memory_count(), 2)


func test_a_failing_request_of_a_node_freed_meanwhile_completes() -> void:
	var memory: RAGMemory = make_memory()
	expect_error("text is empty")
	var request: MemoryRequest = memory.store_async("")
	memory.free()
	var id: Variant = await request.completed
	check_equal(id, "")
	check_contains(request.get_error(), "text is empty")


func test_a_node_freed_while_it_awaits_wakes_nobody() -> void:
	var script: GDScript = GDScript.new()
	script.source_code = """extends RAGMemory
var woken: Array
func ask() -> void:
	await get_memory_count_async().completed
	woken.append(npc_id)
"""
	script.reload()
	var memory: Variant = script.new()
	memory.npc_id = "awaiting its own end"
	var woken: Array = []
	memory.woken = woken
	add_child(memory)
	memory.ask()
	memory.free()
	await frames(20)
	check_equal(woken, [])


func test_a_request_made_by_hand_is_harmless() -> void:
	var request: MemoryRequest = MemoryRequest.new()
	check_equal(request.is_completed(), false)
	check_equal(request.get_result(), null)
	check_equal(request.get_error(), "")
	request.cancel()
	await frames(3)
	check_equal(request.is_completed(), false)


func test_two_hundred_requests_in_flight() -> void:
	var memories: Array[RAGMemory] = []
	for number: int in 10:
		memories.append(make_memory("crowd %d" % number))
	var requests: Array[MemoryRequest] = []
	for number: int in 200:
		var memory: RAGMemory = memories[number % 10]
		match number / 10 % 4:
			0:
				requests.append(memory.store_async("Event %d." % number))
			1:
				requests.append(memory.retrieve_scored_async("Event"))
			2:
				requests.append(memory.get_memory_count_async())
			3:
				requests.append(memory.get_recent_async(1))
	check(MemoryServer.health()["pending_requests"] > 0, "health() counts them")
	await until(
		func() -> bool:
			return requests.all(func(each: MemoryRequest) -> bool: return each.is_completed())
	)
	for number: int in 200:
		var result: Variant = requests[number].get_result()
		check_equal(requests[number].get_error(), "")
		var stored: int = number / 40 + 1
		match number / 10 % 4:
			0:
				check(result.begins_with("crowd %d_" % (number % 10)), str(result))
			1:
				check_equal(result.size(), 1 + stored)
			2:
				check_equal(result, stored)
			3:
				check_equal(result[0]["metadata"]["npc_id"], "crowd %d" % (number % 10))
	check_equal(MemoryServer.health()["pending_requests"], 0)


func test_open_save_is_a_barrier() -> void:
	MemoryServer.open_save("before the barrier")
	var memory: RAGMemory = make_memory("behind a barrier")
	var memories: Array[Dictionary] = []
	for number: int in 100:
		memories.append(
			{"text": "Sentence number %d about the long winter in the mountains." % number}
		)
	var before: MemoryRequest = memory.store_batch_async(memories)
	var opened: MemoryRequest = MemoryServer.open_save_async("after the barrier")
	var after: MemoryRequest = memory.store_async("A new life.")
	check_equal(memory.get_memory_count(), 1, "a blocking call does not overtake a barrier")
	await until(func() -> bool: return after.is_completed())
	check_equal(before.is_completed() and opened.is_completed(), true)
	check_equal(before.get_result().size(), 100)
	check_equal(opened.get_result(), OK)
	MemoryServer.open_save("before the barrier")
	check_equal(memory.get_memory_count(), 100)


func test_a_handler_may_free_the_node_and_ask_again() -> void:
	var memory: RAGMemory = make_memory("freed by its handler")
	memory.memory_added.connect(func(_id: String) -> void: memory.queue_free())
	memory.store_async("Goodbye.")
	await memory.tree_exited
	var other: RAGMemory = make_memory("freed by its handler")
	var ids: Array[String] = []
	other.memory_added.connect(
		func(id: String) -> void:
			ids.append(id)
			if ids.size() < 4:
				other.store("Again, from within the handler, %d." % ids.size())
	)
	other.store("Hello.")
	check_equal(ids.size(), 4)
	check_equal(other.get_memory_count(), 5)


func _sentences(count: int) -> Array[Dictionary]:
	var memories: Array[Dictionary] = []
	for number: int in count:
		memories.append({"text": "Sentence number %d about the long winter." % number})
	return memories


# How many batches the worker has stored, delivered or not.
func _batches_done() -> int:
	var timings: Dictionary = MemoryServer.health()["timings"]
	return timings.get("RAGMemory.store_batch", {"calls": 0})["calls"]


func _await_count(memory: RAGMemory, results: Dictionary, key: String) -> void:
	results[key] = await memory.get_memory_count_async().completed


func _await_recent(memory: RAGMemory, results: Dictionary, key: String) -> void:
	var recent: Array = await memory.get_recent_async(1).completed
	results[key] = recent[0]["document"]


func _await_request(request: MemoryRequest, results: Array) -> void:
	results.append(await request.completed)


func test_a_request_of_the_game_is_completed_by_the_game_once() -> void:
	var request: MemoryRequest = MemoryRequest.new()
	var completed: Array[Array] = watch(request.completed)
	check_equal(request.is_cancelled(), false)
	request.cancel()
	check_equal(request.is_cancelled(), true)
	check_equal(request.is_completed(), false, "that is up to the game")
	request.complete({"a": null}, "It rained.")
	request.complete("again")
	check_equal(request.get_result(), {"a": null})
	check_equal(request.get_error(), "It rained.")
	check_equal(request.is_completed(), true)
	check_equal(completed, [[{"a": null}]] as Array[Array])


func test_a_request_of_a_call_is_not_completed_by_the_game() -> void:
	var request: MemoryRequest = make_memory().get_memory_count_async()
	request.complete(7)
	check_equal(request.is_completed(), false)
	check_equal(await request.completed, 0)


func test_an_await_of_a_completed_request_ends_with_the_next_frame() -> void:
	var memory: RAGMemory = make_memory()
	memory.store("The player came in.")
	var request: MemoryRequest = memory.get_memory_count_async()
	var emissions: Array[Array] = watch(request.completed)
	await until(request.is_completed)
	for attempt: int in 3:
		var begun: int = Engine.get_process_frames()
		var count: int = await request.completed
		check_equal(count, 1)
		check(Engine.get_process_frames() - begun <= 1, "a frame at most")
	check_equal(emissions, [[1]] as Array[Array], "the waiters of before hear it once")


func test_a_connection_to_a_completed_request_is_called_once() -> void:
	var request: MemoryRequest = MemoryRequest.new()
	request.complete(7, "It rained.")
	var emissions: Array[Array] = watch(request.completed)
	check_equal(emissions.size(), 0, "not within connect()")
	await frames(5)
	check_equal(emissions, [[7]] as Array[Array])


func test_many_coroutines_may_await_a_completed_request() -> void:
	var request: MemoryRequest = MemoryRequest.new()
	request.complete("done")
	var results: Array = []
	for number: int in 100:
		_await_request(request, results)
	await frames(3)
	check_equal(results.size(), 100)
	check_equal(results.back(), "done")


func test_a_failed_and_a_cancelled_request_may_be_awaited_late() -> void:
	var memory: RAGMemory = make_memory()
	expect_error("text is empty")
	var failed: MemoryRequest = memory.store_async("")
	var cancelled: MemoryRequest = memory.store_async("Not this one.")
	cancelled.cancel()
	await until(func() -> bool: return failed.is_completed() and cancelled.is_completed())
	check_equal(await failed.completed, "")
	check_equal(await cancelled.completed, "")
	check_contains(failed.get_error(), "text is empty")
	check_contains(cancelled.get_error(), "cancelled")


func test_a_handler_of_completed_may_await_it_again() -> void:
	var request: MemoryRequest = make_memory().get_memory_count_async()
	var results: Array = []
	request.completed.connect(func(_count: Variant) -> void: _await_request(request, results))
	await request.completed
	await frames(3)
	check_equal(results, [0])


func test_another_thread_may_await_a_completed_request() -> void:
	var request: MemoryRequest = MemoryRequest.new()
	request.complete("done")
	var results: Array = []
	var thread: Thread = Thread.new()
	thread.start(_await_request.bind(request, results))
	thread.wait_to_finish()
	await until(func() -> bool: return not results.is_empty())
	check_equal(results, ["done"])

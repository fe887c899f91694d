# Nodes that are freed, and results that are written into, while another thread is inside a call.
# Runs without the model.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const FREED := "The object was freed while another thread called it"

var _inside := Semaphore.new()
var _go_on := Semaphore.new()


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


func test_a_node_freed_before_its_call_is_sent() -> void:
	expect_error(FREED)
	for number in 20:
		var memory := make_memory("freed in a call %d" % number)
		memory.config = MemoryConfig.new()
		memory.store("The dog barked.")
		MemoryServer.set_clock(_wait_inside)
		var thread := Thread.new()
		thread.start(func() -> String: return memory.store("The cat slept."))
		_inside.wait()
		MemoryServer.set_clock(Callable())
		memory.queue_free()
		await frames(2)
		check(not is_instance_valid(memory), "freed while the thread is inside")
		_go_on.post()
		await until(func() -> bool: return not thread.is_alive())
		check_equal(thread.wait_to_finish(), "")


func test_a_node_freed_while_its_call_is_carried_out() -> void:
	allow_error(FREED)
	for number in 20:
		var memory := make_memory("freed while it waits %d" % number)
		var thread := Thread.new()
		var talks: Array[Dictionary] = []
		for talk in 50:
			talks.append({"text": "Rowan asked for bread number %d." % talk})
		MemoryServer.set_clock(_tell_inside)
		thread.start(func() -> int: return memory.store_batch(talks).size())
		_inside.wait()
		await get_tree().create_timer(0.001 * number).timeout
		memory.queue_free()
		await until(func() -> bool: return not thread.is_alive())
		check(thread.wait_to_finish() in [0, 50], "refused, or carried out")
	MemoryServer.set_clock(Callable())
	check_equal(make_memory("afterwards").get_memory_count(), 0, "the runtime goes on")


func test_what_a_thread_gets_is_its_own() -> void:
	var told: Array[Dictionary] = []
	var listener := func(call: Dictionary) -> void: told.append(call)
	MemoryServer.call_finished.connect(listener)
	var thread := Thread.new()
	thread.start(
		func() -> void:
			for number in 200:
				var health := MemoryServer.health()
				health["written"] = number
	)
	while thread.is_alive():
		for call in told:
			check(not (call["result"] as Dictionary).has("written"), "a copy is told")
		await frames(1)
	thread.wait_to_finish()
	await frames(2)
	MemoryServer.call_finished.disconnect(listener)
	var answers := told.filter(
		func(call: Dictionary) -> bool: return call["method"] == "MemoryServer.health"
	)
	check_equal(answers.size(), 200)
	for call: Dictionary in answers:
		check(not (call["result"] as Dictionary).has("written"), "a copy is told")


func test_a_request_is_completed_with_its_result() -> void:
	var memory := make_memory("polled")
	for number in 50:
		var request := memory.store_async("Event %d." % number)
		var thread := Thread.new()
		thread.start(
			func() -> Variant:
				while not request.is_completed():
					pass
				return request.get_result()
		)
		await until(func() -> bool: return not thread.is_alive())
		check(thread.wait_to_finish() != "", "never completed without its result")


func _wait_inside() -> float:
	if _tell_inside() > 0.0 and OS.get_thread_caller_id() != OS.get_main_thread_id():
		_go_on.wait()
	return 1000.0


func _tell_inside() -> float:
	if OS.get_thread_caller_id() != OS.get_main_thread_id():
		_inside.post()
	return 1000.0

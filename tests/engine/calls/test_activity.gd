# MemoryServer.get_activity(), call_finished and the monitors of Performance.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.


func test_get_activity_does_not_start_python() -> void:
	var activity: Dictionary = MemoryServer.get_activity()
	check_equal(activity["state"], "idle")
	check_equal(activity["queue_length"], 0)
	check_equal(activity["finished_calls"], 0)
	await frames(3)
	check_equal(MemoryServer.get_activity()["state"], "idle")


func test_get_activity_counts_calls_and_memories() -> void:
	var memory: RAGMemory = make_memory("busy")
	memory.store("The mill burned down.")
	memory.store("The miller left.")
	var before: Dictionary = MemoryServer.get_activity()
	memory.get_memory_count()
	expect_error("text is empty")
	memory.store("")
	var after: Dictionary = MemoryServer.get_activity()
	check_equal(after["finished_calls"], before["finished_calls"] + 2)
	check_equal(after["failed_calls"], before["failed_calls"] + 1)
	check(after["last_latency_ms"] > 0.0, "a latency")
	check_contains(after["last_error"], "text is empty")
	check(memory in after["nodes"], "the node")
	memory.retrieve_scored("Who left?")
	await until(func() -> bool: return MemoryServer.get_activity()["loaded_memories"] >= 2)
	var counts: Dictionary = MemoryServer.get_activity()
	check_equal(counts["memories"], 2)
	check_equal(counts["npcs"], 1)
	check_equal(counts["current_save"], "default")


func test_get_activity_tells_of_the_minds_that_felt_something() -> void:
	check_equal(MemoryServer.get_activity()["minds"], {})
	var memory: RAGMemory = make_memory("mira")
	var mind := NPCMind.new()
	memory.add_child(mind)
	var reports: Array[Array] = watch(MemoryServer.call_finished)
	mind.perceive({"action": "gifted", "source_id": "rowan", "source_name": "Rowan"})
	await until(func() -> bool: return MemoryServer.get_activity()["minds"].has("mira"))
	var felt: Dictionary = MemoryServer.get_activity()["minds"]["mira"]
	check_equal(felt["emotion"]["mood"], "grateful")
	check_equal(felt["dispositions"].size(), 1)
	check_equal(felt["dispositions"][0], mind.get_disposition("rowan"))
	check_equal(reports[0][0]["method"], "NPCMind.perceive")
	check_equal(reports[0][0]["npc_id"], "mira")


func test_get_activity_sees_the_queue_and_the_cost_of_waiting() -> void:
	var memory: RAGMemory = make_memory("waited for")
	memory.get_memory_count()
	var requests: Array[MemoryRequest] = []
	for number: int in 20:
		requests.append(memory.retrieve_scored_async("question %d" % number))
	check(MemoryServer.get_activity()["queue_length"] > 0, "they wait")
	await until(
		func() -> bool: return requests.all(func(r: MemoryRequest) -> bool: return r.is_completed())
	)
	memory.retrieve_scored("one that blocks")
	await frames(1)
	var activity: Dictionary = MemoryServer.get_activity()
	check(
		activity["longest_frame_ms"] > activity["last_latency_ms"] * 0.9,
		"a blocking call costs the frame"
	)


func test_call_finished_tells_of_every_call() -> void:
	var memory: RAGMemory = make_memory("told of")
	var reports: Array[Array] = watch(MemoryServer.call_finished)
	var id: String = memory.store("The mill burned down.")
	await memory.retrieve_scored_async("mill").completed
	expect_error("text is empty")
	memory.store("")
	check_equal(reports.size(), 3)
	var stored: Dictionary = reports[0][0]
	check_equal(stored["npc_id"], "told of")
	check_equal(stored["method"], "RAGMemory.store")
	check_equal(stored["is_blocking"], true)
	check_equal(stored["result"], id)
	check_equal(stored["error"], "")
	var asked: Dictionary = reports[1][0]
	check_equal(asked["method"], "RAGMemory.retrieve_scored_async")
	check_equal(asked["is_blocking"], false)
	check_equal((asked["result"] as Array).size(), 2, "the header and the memory")
	for report: Dictionary in [stored, asked]:
		check(report["worked_ms"] > 0.0, "work")
		check(report["waited_ms"] >= 0.0, "waiting")
		check(
			report["latency_ms"] >= report["waited_ms"] + report["worked_ms"],
			"the whole is more than its parts"
		)
	check_contains(reports[2][0]["error"], "text is empty")


func test_call_finished_arrives_on_the_main_thread() -> void:
	var memory: RAGMemory = make_memory("on a thread")
	var threads: Array[int] = []
	MemoryServer.call_finished.connect(
		func(_report: Dictionary) -> void: threads.append(OS.get_thread_caller_id())
	)
	var thread: Thread = Thread.new()
	thread.start(func() -> int: return memory.get_memory_count())
	while thread.is_alive():
		await frames(1)
	thread.wait_to_finish()
	await until(func() -> bool: return not threads.is_empty())
	await frames(2)
	check_equal(threads, [OS.get_main_thread_id()] as Array[int])


func test_monitors() -> void:
	var memory: RAGMemory = make_memory("monitored")
	memory.store("The mill burned down.")
	memory.retrieve_scored("mill")
	# Without a debugger the addon makes none.
	check(not Performance.has_custom_monitor("rag_memory/memories"), "there is one already")
	var script: GDScript = load("res://addons/rag_memory/debug/live_report.gd")
	var report: RefCounted = script.new()
	for monitor: String in [
		"queue_length",
		"requests_per_second",
		"failed_requests",
		"last_latency_ms",
		"frame_cost_ms",
		"memories",
		"loaded_memories",
	]:
		check_type(Performance.get_custom_monitor("rag_memory/" + monitor), TYPE_FLOAT, monitor)
	check(Performance.get_custom_monitor("rag_memory/last_latency_ms") > 0.0, "a latency")
	await until(func() -> bool: return Performance.get_custom_monitor("rag_memory/memories") >= 1.0)
	for number: int in 50:
		memory.get_memory_count()
	await until(
		func() -> bool:
			return Performance.get_custom_monitor("rag_memory/requests_per_second") > 1.0
	)
	report = null
	check(not Performance.has_custom_monitor("rag_memory/memories"), "they stay")

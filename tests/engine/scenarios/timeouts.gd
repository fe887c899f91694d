# The test holds get_recent() up in the core; the limit is three seconds.
extends "scenario.gd"


func play() -> void:
	if "--set" in arguments:
		ProjectSettings.set_setting("rag_memory/request_timeout_seconds", 3.0)
	await MemoryServer.preload().completed
	var memory := make_memory("elena")
	var failed: Array[String] = []
	memory.failed.connect(func(error: String) -> void: failed.append(error))
	say("quick", memory.get_memory_count())
	var request := memory.get_recent_async(1)
	var behind := make_memory("mira").get_memory_count_async()
	var result: Variant = await request.completed
	say("async", [result, request.get_error()])
	if not behind.is_completed():
		await behind.completed
	say("behind", [behind.get_result(), behind.get_error()])
	release(1)
	say("blocking", memory.get_recent(2))
	say("failed", failed)
	release(2)
	while memory.get_memory_count() != 0 or not failed.is_empty():
		failed.clear()
		await process_frame
	say("works_again", memory.store("That took a while."))

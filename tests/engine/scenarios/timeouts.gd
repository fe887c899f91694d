# get_recent() sleeps that many seconds in one piece (put into the core by the test); the limit is
# a second.
extends "scenario.gd"


func play() -> void:
	if "--set" in arguments:
		ProjectSettings.set_setting("rag_memory/request_timeout_seconds", 1.0)
	await MemoryServer.preload().completed
	var memory := make_memory("elena")
	var failed: Array[String] = []
	memory.failed.connect(func(error: String) -> void: failed.append(error))
	say("quick", memory.get_memory_count())
	var started := Time.get_ticks_msec()
	var request := memory.get_recent_async(4)
	var behind := make_memory("mira").get_memory_count_async()
	var result: Variant = await request.completed
	say("async", [result, request.get_error(), Time.get_ticks_msec() - started])
	if not behind.is_completed():
		await behind.completed
	say("behind", [behind.get_result(), behind.get_error()])
	started = Time.get_ticks_msec()
	result = memory.get_recent(4)
	say("blocking", [result, Time.get_ticks_msec() - started])
	say("failed", failed)
	while memory.get_memory_count() != 0 or not failed.is_empty():
		failed.clear()
		await create_timer(0.5).timeout
	say("works_again", memory.store("That took a while."))

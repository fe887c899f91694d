# Opening a save sleeps longer than the limit of a second (put into the core by the test).
extends "scenario.gd"


func play() -> void:
	await MemoryServer.preload().completed
	var heard: Array[String] = []
	MemoryServer.save_opened.connect(func(id: String) -> void: heard.append(id))
	if "--thread" in arguments:
		var thread := Thread.new()
		thread.start(func() -> Error: return MemoryServer.open_save("slow"))
		while thread.is_alive():
			await process_frame
		say("result", thread.wait_to_finish())
	else:
		say("result", MemoryServer.open_save("slow"))
	say("current_at_once", MemoryServer.current_save())
	while heard.is_empty():
		await process_frame
	await frames(3)
	say("heard", heard)
	say("current", MemoryServer.current_save())

# The test holds the opening of a save up in the core, until the call has failed.
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
	release(1)
	while heard.is_empty():
		await process_frame
	await frames(3)
	say("heard", heard)
	say("current", MemoryServer.current_save())

# A batch that takes much longer than the time limit, in slices (put into the core by the test).
extends "scenario.gd"


func play() -> void:
	await MemoryServer.preload().completed
	var memory := make_memory("elena")
	var request := memory.store_batch_async(sentences(7))
	var ids: PackedStringArray = await request.completed
	say("stored", ids.size())
	say("error", request.get_error())

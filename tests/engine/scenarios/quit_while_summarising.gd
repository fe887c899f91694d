# Consolidates with a summarizer that never answers, and quits meanwhile.
extends "scenario.gd"

signal never


func play() -> void:
	var memory := make_memory("elena")
	memory.config = MemoryConfig.new()
	memory.config.lasting_kinds = []
	memory.store_batch(sentences(60))
	var asked: Array[int] = []
	MemoryServer.summarizer = func(_request: Dictionary) -> String:
		asked.append(memory.get_memory_count())
		return await never
	memory.consolidate_async().completed.connect(listener.say.bind("completed"))
	while asked.is_empty():
		await process_frame
	say("asked", asked[0])

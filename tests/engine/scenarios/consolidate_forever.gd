# Stores and consolidates until it is killed; says the ids of what is stored.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	memory.config = MemoryConfig.new()
	memory.config.lasting_kinds = []
	var winter := 0
	while true:
		winter += 1
		for id: String in memory.store_batch(sentences(60, winter)):
			say("stored", id)
		await memory.consolidate_async().completed
		say("consolidated", memory.get_memory_count())

# Takes snapshots until it is killed; says how many memories each one holds once it is taken.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	memory.store_batch(sentences(int(arguments[0])))
	var count := memory.get_memory_count()
	while true:
		memory.store("Event %d of a long night." % count)
		count += 1
		if count % 2 == 0:
			await MemoryServer.snapshot_async("slot").completed
		else:
			MemoryServer.snapshot("slot")
		say("taken", count)

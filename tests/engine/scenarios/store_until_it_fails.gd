# Stores until the disk is full: what was acknowledged, what is there, and what is said.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	var failed: Array[String] = []
	memory.failed.connect(func(error: String) -> void: failed.append(error))
	var acknowledged := 0
	var long_text := "This text is long, and takes its place on the disk. ".repeat(100)
	for number in 500:
		var id := memory.store(long_text, 5, {"number": number})
		if id == "":
			break
		acknowledged += 1
	say("acknowledged", acknowledged)
	say("failed", failed)
	say("count", memory.get_memory_count())
	say("recalled", memory.retrieve_scored("the disk").size())

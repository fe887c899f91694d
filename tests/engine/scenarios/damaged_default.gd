# Uses a node whose save cannot be opened, without ever calling open_save.
extends "scenario.gd"

var _failed: Array[String] = []


func play() -> void:
	var memory := make_memory("elena")
	memory.failed.connect(func(error: String) -> void: _failed.append(error))
	say("first", memory.store("Is anybody there?"))
	say("failed", _failed)
	say("second", memory.store("Is anybody there?"))
	say("count", memory.get_memory_count())

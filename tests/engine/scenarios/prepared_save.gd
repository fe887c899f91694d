# Opens the save named by the first argument with the prepared save named by the second, says the
# error code and what elena remembers, and stores one more.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	say("open", MemoryServer.open_save(arguments[0], {"prepared": arguments[1]}))
	if MemoryServer.current_save() == arguments[0]:
		say("count", memory.get_memory_count())
		memory.store("One more.")

# Opens each save named by an argument, says the error code, and how much elena remembers after she
# has stored something. Then where the last save is, and whether it is in a file.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	for save_id in arguments:
		say("open", MemoryServer.open_save(save_id))
		memory.store("The bridge at the mill is out.")
		say("count", memory.get_memory_count())
	say("path", MemoryServer.health()["save"]["path"])
	say("has_save", MemoryServer.has_save(MemoryServer.current_save()))

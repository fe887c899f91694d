# Opens each save named by an argument, says the error code, which save is open then, and what
# elena remembers. "--embedded" waits until every memory has a vector.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	for save_id in arguments:
		if save_id == "--embedded":
			while MemoryServer.health()["save"]["missing_vectors"] > 0:
				await process_frame
			continue
		say("open", MemoryServer.open_save(save_id))
		say("current", MemoryServer.current_save())
		if MemoryServer.current_save() == save_id:
			say("count", memory.get_memory_count())
	say("last_error", MemoryServer.health()["last_error"])

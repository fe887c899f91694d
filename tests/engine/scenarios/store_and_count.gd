# Stores one memory of "elena" in the save named by the first argument (none: the default save),
# says how many there are, what is recalled and the health.
extends "scenario.gd"


func play() -> void:
	MemoryServer.runtime_ready.connect(func() -> void: say("ready", true))
	MemoryServer.runtime_failed.connect(func(error: String) -> void: say("runtime_failed", error))
	if not arguments.is_empty():
		say("open", MemoryServer.open_save(arguments[0]))
	var memory := make_memory("elena")
	say("id", memory.store("Visit %d: the player gave me a red rose." % memory.get_memory_count()))
	say("count", memory.get_memory_count())
	say("recalled", memory.retrieve_scored("What did I give you?").size())
	say("saves", MemoryServer.list_saves())
	say("health", MemoryServer.health())
	await MemoryServer.preload().completed
	MemoryServer.get_activity()
	await frames(60)
	say("activity_state", MemoryServer.get_activity()["state"])
	say("user_folder", OS.get_user_data_dir())

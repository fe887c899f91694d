# Answers a title menu from the files alone, then says what the worker answers. Arguments: ids to
# look for.
extends "scenario.gd"


func play() -> void:
	say("close", MemoryServer.close_save())
	say("list", MemoryServer.list_saves())
	for id in arguments:
		say("has", MemoryServer.has_save(id))
	say("state", MemoryServer.health()["state"])
	# What starts Python and changes no save holds nothing up, and is still under way here.
	var preloading := MemoryServer.preload()
	MemoryServer.register_names(["Millbrook"])
	say("list_again", MemoryServer.list_saves())
	say("preloading", not preloading.is_completed())
	say("worker_list", await MemoryServer.list_saves_async().completed)
	for id in arguments:
		say("worker_has", await MemoryServer.has_save_async(id).completed)
	# What was asked before is waited for.
	for number in 200:
		MemoryServer.npc("elena").store_async("Visit %d." % number)
	say("has_default", MemoryServer.has_save("default"))
	say("closed", MemoryServer.close_save())
	MemoryServer.delete_save_async("default")
	say("has_default", MemoryServer.has_save("default"))
	MemoryServer.open_save_async("late")
	say("late", "late" in MemoryServer.list_saves())

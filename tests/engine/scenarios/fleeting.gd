# A node that is not persistent beside one that is.
extends "scenario.gd"


func play() -> void:
	var lasting := make_memory("elena")
	lasting.store("The lasting word is marmalade.")
	var fleeting := make_memory("elena")
	fleeting.persistent = false
	fleeting.store("The fleeting word is chandelier.")
	say("fleeting", fleeting.get_memory_count())
	say("lasting", lasting.get_memory_count())
	MemoryServer.close_save()

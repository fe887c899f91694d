# Two nodes with one npc_id, and ids that look alike.
extends "scenario.gd"


func play() -> void:
	say("open", MemoryServer.open_save("village"))
	var guards: Array[RAGMemory] = []
	for place: String in ["Gate", "Tower", "Cellar"]:
		var guard := _add(place, "")
		guard.npc_id = "guard"  # as a scene's script does in _ready()
		guards.append(guard)
	say("before", guards[0].get_memory_count())
	guards[0].store("The player bribed me.")
	say("shared", guards[1].get_memory_count() + guards[2].get_memory_count())
	# A node that leaves with its scene, or that got another id, has no twin.
	var leaving := _add("Inn", "innkeeper")
	leaving.store("The roof leaks.")
	leaving.free()
	say("successor", _add("NewInn", "innkeeper").get_memory_count())
	var copy := _add("Copy", "soldier")
	copy.store("The drill was long.")
	copy.npc_id = "soldier_2"
	say("soldier", _add("Soldier", "soldier").get_memory_count())
	# Neither has one of a level that goes, or of the game that was played before this one.
	_level("Old", "miller").get_parent().queue_free()
	say("miller", _level("New", "miller").get_memory_count())
	_level("OldGame", "baker")
	say("loaded", MemoryServer.open_save("village_2"))
	_level("NewGame", "baker")
	say("opened", MemoryServer.open_save("village"))
	# A node of MemoryServer.npc() is in no scene.
	say("by_id", MemoryServer.npc("soldier_2") == copy)
	_add("Mira", "Mira").store("The player gave me a rose.")
	say("alike", _add("Mila", "mira").get_memory_count())


func _level(name: String, npc_id: String) -> RAGMemory:
	var level := Node.new()
	level.name = name
	root.add_child(level)
	var memory := RAGMemory.new()
	memory.npc_id = npc_id
	level.add_child(memory)
	memory.store("The player came to %s." % name)
	return memory


func _add(name: String, npc_id: String) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.name = name
	memory.npc_id = npc_id
	root.add_child(memory)
	return memory

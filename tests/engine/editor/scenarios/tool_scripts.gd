@tool
# Scripts with @tool that store something: in the scene that is edited, and in none.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"


func play() -> void:
	EditorInterface.open_scene_from_path("res://village.tscn")
	await frames(5)
	var root := EditorInterface.get_edited_scene_root()
	var elena: RAGMemory = root.get_node("Inn/Elena")
	var mind: NPCMind = root.get_node("Inn/Elena/Mind")
	say("none_open", MemoryServer.npc("tom").store("Nobody opened a save."))
	say("counted", MemoryServer.npc("elena").get_memory_count())
	say("default", MemoryServer.has_save("default"))
	# As a panel of the addon does.
	say("opened", MemoryServer.open_save("slot_1"))
	for number in 3:
		say("stored", elena.store("Stored by a tool, number %d." % number))
	var request := elena.store_async("Stored by a tool.")
	await request.completed
	say("async", [request.get_result(), request.get_error()])
	say("perceived", mind.perceive({"action": "waved", "actor": "player", "target": "elena"}))
	var made := RAGMemory.new()
	made.npc_id = "elena"
	root.get_node("Inn").add_child(made)
	say("made", made.store("Stored by a node that a tool has made."))
	var thread := Thread.new()
	thread.start(elena.store.bind("Stored on a thread."))
	while thread.is_alive():
		await frames(1)
	say("thread", thread.wait_to_finish())
	say("read", elena.get_memory_count())
	made.persistent = false
	say("fleeting", made.store("Nothing of this is in a save.") != "")
	# A tool that fills a save says so.
	var filling := RAGMemory.new()
	filling.npc_id = "elena"
	say("filled", filling.store("The mill burned down.") != "")
	filling.free()
	say("count", elena.get_memory_count())
	MemoryServer.close_save()

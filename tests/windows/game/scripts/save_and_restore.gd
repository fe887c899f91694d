extends Node
# Stores, takes a snapshot, restores it, closes and opens the save: while somebody else holds files
# of it. Goes on when the file that its second argument names is there.


func _ready() -> void:
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	add_child(memory)
	say("open", MemoryServer.open_save("slot_1"))
	for number in 3:
		say("stored", memory.store("Elena heard rumour %d." % number))
	say("snapshot", MemoryServer.snapshot("before"))
	say("ready", true)
	while not FileAccess.file_exists(OS.get_cmdline_user_args()[1]):
		await get_tree().create_timer(0.05).timeout
	say("stored", memory.store("The dragon woke up."))
	say("snapshot", MemoryServer.snapshot("before"))
	say("restored", MemoryServer.restore("before"))
	say("closed", MemoryServer.close_save())
	say("open", MemoryServer.open_save("slot_1"))
	say("found", memory.get_recent(100).map(_id_of))
	get_tree().quit()


func _id_of(found: Dictionary) -> String:
	return found["id"]


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))

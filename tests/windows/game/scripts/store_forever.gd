extends Node
# Opens a save, says what is in it, and stores until it is killed; each memory is said when
# store() has returned.


func _ready() -> void:
	say("open", MemoryServer.open_save("slot_1"))
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	add_child(memory)
	say("found", memory.get_recent(100000).map(_id_of))
	while true:
		say("stored", memory.store("The player brought %d apples." % (randi() % 100000)))
		await get_tree().process_frame


func _id_of(found: Dictionary) -> String:
	return found["id"]


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))

# A game that opens the save that the editor shows, and stays.
extends Node


func _ready() -> void:
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	add_child(memory)
	if MemoryServer.open_save("slot_1") == OK:
		memory.store("The game was played.")
		FileAccess.open("user://was_played", FileAccess.WRITE).close()

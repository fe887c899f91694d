# Makes a save with a search index and deletes it.
extends "scenario.gd"


func play() -> void:
	MemoryServer.open_save("doomed")
	var memory := make_memory("elena")
	memory.config = MemoryConfig.new()
	memory.config.relevance_mode = MemoryConfig.DENSE
	memory.config.exact_search_limit = 10
	memory.store_batch(sentences(30))
	memory.retrieve_scored("winter")
	memory.store_batch(sentences(30))  # completes the index
	MemoryServer.close_save()
	say("before", _content())
	say("delete", MemoryServer.delete_save("doomed"))
	say("after", _content())


func _content() -> PackedStringArray:
	var folder := "user://rag_memory"
	return DirAccess.get_files_at(folder) + DirAccess.get_directories_at(folder)

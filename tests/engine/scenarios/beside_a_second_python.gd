# Stores and recalls while another Python works in the same process. "first" or "second": when ours
# starts. "ends_first": the other one ends before the game does.
extends "scenario.gd"

const FOLDER := "user://second/"


func play() -> void:
	if "second" in arguments:
		write("begin")
		await exists("said")
	var memory := make_memory("elena")
	memory.store("The player saved my son from the river.", 9)
	say("alone", memory.retrieve_scored("Who saved your boy?").map(_text_of))
	write("begin")
	await exists("said")
	for number in 20:
		memory.store("Visit %d: the player told me a tale." % number)
		await memory.retrieve_scored_async("Who saved your boy?").completed
	say("beside", memory.retrieve_scored("Who saved your boy?").map(_text_of))
	write("finish")
	if "ends_first" in arguments:
		await exists("ended")
		memory.store("The other one has gone.")
		say("after", memory.retrieve_scored("Who saved your boy?").map(_text_of))
	say("count", memory.get_memory_count())
	say("said", JSON.parse_string(FileAccess.get_file_as_string(FOLDER + "said")))


func write(name: String) -> void:
	FileAccess.open(FOLDER + name, FileAccess.WRITE).close()


func exists(name: String) -> void:
	while not FileAccess.file_exists(FOLDER + name):
		await process_frame


func _text_of(entry: Dictionary) -> String:
	return entry.document_full

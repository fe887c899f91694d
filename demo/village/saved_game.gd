extends RefCounted
## Saving and loading: the memories are in a snapshot of the save, the rest in a file of the game.

const JsonFile := preload("../json_file.gd")

const Language := preload("language.gd")

const SNAPSHOT := "saved_by_player"

## Each language has a game of its own: memories stay in the language they were made in.
var _id := "village_" + Language.chosen if Language.chosen else "village"
var _path := "user://%s.json" % _id


## Opens the save of the village. Returns what went wrong, or an empty string.
func open() -> String:
	var opening := MemoryServer.open_save_async(_id)
	await opening.completed
	return opening.get_error()


## Opens an empty save, without the snapshot of an earlier game.
func open_new() -> String:
	var saves: PackedStringArray = await MemoryServer.list_saves_async().completed
	if _id in saves:
		var deleting := MemoryServer.delete_save_async(_id)
		await deleting.completed
		if deleting.get_error():
			return deleting.get_error()
	DirAccess.remove_absolute(_path)
	return await open()


func exists() -> bool:
	return FileAccess.file_exists(_path)


## [param state]: what the game keeps besides the memories, such as its clock.
func save(state: Dictionary) -> String:
	var copying := MemoryServer.snapshot_async(SNAPSHOT)
	await copying.completed
	if copying.get_error():
		return copying.get_error()
	var file := FileAccess.open(_path, FileAccess.WRITE)
	if file == null:
		var reason := error_string(FileAccess.get_open_error())
		return (
			"The game is not saved: %s cannot be written (%s). Is the disk full?" % [_path, reason]
		)
	file.store_string(JSON.stringify(state, "\t", false, true))
	return ""


## The state that was saved. Empty, with the reason in [member JsonFile.problem], without one.
func read() -> JsonFile:
	var file := JsonFile.new(_path)
	if file.problem.is_empty() and not file.content is Dictionary:
		file.problem = "%s is no saved game of the village: delete it and begin anew." % _path
	return file


## Makes the memories those of the saved game: what came later is forgotten. Set the clock of the
## game back before.
func restore() -> String:
	var restoring := MemoryServer.restore_async(SNAPSHOT)
	await restoring.completed
	return restoring.get_error()

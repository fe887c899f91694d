@tool
extends RefCounted
## The game's saves as the file system has them: nobody is asked, and Python does not start.

const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")
const SUFFIX := ".sqlite3"
## The save of a game that opens none by itself.
const DEFAULT_SAVE := "default"
const _OPEN := "Open"
const _NEW := "New Save"
const _USER_FOLDER := "user://"


## The folder of the saves. The game takes the default, too, for a setting that leads elsewhere.
static func path() -> String:
	var folder: String = ProjectSettings.get_setting(
		RAGSettings.SAVES_FOLDER, RAGSettings.DEFAULT_SAVES_FOLDER
	)
	var is_below_user := folder.begins_with(_USER_FOLDER) and not ".." in folder
	# Of slashes and dots alone there is no folder of its own, as for the game.
	if not is_below_user or folder.trim_prefix(_USER_FOLDER).lstrip("/.").is_empty():
		return RAGSettings.DEFAULT_SAVES_FOLDER
	return folder.rstrip("/")


## The ids of the saves there are, in alphabetical order.
static func list_saves() -> PackedStringArray:
	var ids := PackedStringArray()
	if DirAccess.dir_exists_absolute(path()):
		for file in DirAccess.get_files_at(path()):
			if file.ends_with(SUFFIX):
				ids.append(file.trim_suffix(SUFFIX))
	ids.sort()
	return ids


## Returns the path of the file with which a game asks for a save that is open in the editor.
static func wanted_of(save_id: String) -> String:
	return "%s/%s%s.wanted" % [path(), save_id, SUFFIX]


## The save that was written last, or "" when there is none.
static func newest_save() -> String:
	var newest := ""
	var newest_time := -1
	for id in list_saves():
		var time := _written_at(id)
		if time > newest_time:
			newest = id
			newest_time = time
	return newest


## Lists the saves in a button. Chosen is [param wanted], or the newest one when it is not there.
static func list_in(button: OptionButton, wanted: String) -> void:
	var ids := list_saves()
	var chosen := wanted if wanted in ids else newest_save()
	button.clear()
	for id in ids:
		button.add_item(id)
		if id == chosen:
			button.select(button.item_count - 1)


## The save that is chosen in a button, or "".
static func chosen_in(button: OptionButton) -> String:
	return button.get_item_text(button.selected) if button.selected >= 0 else ""


## The save to open: the chosen one, or where there is none, the one that a game would make.
static func to_open(button: OptionButton) -> String:
	return DEFAULT_SAVE if button.item_count == 0 else chosen_in(button)


## Says on a button that it opens the chosen save, or makes the first one.
static func name_button(button: Button, saves: OptionButton) -> void:
	var is_first := saves.item_count == 0
	button.text = _NEW if is_first else _OPEN
	button.tooltip_text = 'Makes the empty save "%s"' % DEFAULT_SAVE if is_first else ""


## The search indexes of a save.
static func indexes_of(save_id: String) -> String:
	return "%s/%s.index" % [path(), save_id]


## The snapshots of a save: a whole copy of it in each file.
static func snapshots_of(save_id: String) -> String:
	return "%s/%s.snapshots" % [path(), save_id]


# The last changes of a game may still be in the file beside the save.
static func _written_at(save_id: String) -> int:
	var time := 0
	for ending: String in ["", "-wal"]:
		var file := "%s/%s%s%s" % [path(), save_id, SUFFIX, ending]
		if FileAccess.file_exists(file):
			time = maxi(time, FileAccess.get_modified_time(file))
	return time

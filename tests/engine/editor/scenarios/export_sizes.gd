@tool
# Measures files and folders that change while the editor runs.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const ExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const SAVE := "user://lore.sqlite3-wal"
const FOLDER := "user://runtime"


func play() -> void:
	var extension := ExtensionFile.new()
	var file: Array[int] = [extension.size_of(SAVE)]
	for text: String in ["open", ""]:
		_write(SAVE, text)
		file.append(extension.size_of(SAVE))
	say("file", file)
	var folder: Array[int] = [extension.size_of(FOLDER)]
	DirAccess.make_dir_recursive_absolute(FOLDER.path_join("deeper"))
	folder.append(extension.size_of(FOLDER))
	_write(FOLDER.path_join("deeper/library"), "12345")
	_write(FOLDER.path_join(".hidden"), "1")
	folder.append(extension.size_of(FOLDER))
	_write(FOLDER.path_join("more"), "1234")
	extension.forget_sizes()
	folder.append(extension.size_of(FOLDER))
	say("folder", folder)


func _write(path: String, text: String) -> void:
	FileAccess.open(path, FileAccess.WRITE).store_string(text)

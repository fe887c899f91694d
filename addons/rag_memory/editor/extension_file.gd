@tool
extends RefCounted
## What rag_memory.gdextension says: the platforms there are, and what each needs beside the game.

const PATH := "res://addons/rag_memory/rag_memory.gdextension"

var _file := ConfigFile.new()
var _sizes: Dictionary[String, int] = {}


func _init() -> void:
	_file.load(PATH)


## The platforms with a library: feature tags with dots between, such as "linux.x86_64".
func libraries() -> PackedStringArray:
	return _file.get_section_keys("libraries")


## The platform of [method libraries] for a game with these feature tags; empty when there is none.
func library_for(features: PackedStringArray) -> String:
	for library in libraries():
		var fits := true
		for tag in library.split("."):
			fits = fits and tag in features
		if fits:
			return library
	return ""


func library_file(library: String) -> String:
	return _file.get_value("libraries", library)


## Files and folders that are copied beside the game.
func dependencies(library: String) -> PackedStringArray:
	return PackedStringArray(_targets(library).keys())


## The folder beside the game that holds them.
func data_target(library: String) -> String:
	var target: String = _targets(library).values()[0]
	return target.get_base_dir()


## Bytes in a file, or in all files below a folder; 0 when there is none. Asked once.
func size_of(path: String) -> int:
	if path not in _sizes:
		_sizes[path] = _measure(path)
	return _sizes[path]


func _targets(library: String) -> Dictionary:
	return _file.get_value("dependencies", library, {})


func _measure(path: String) -> int:
	if not DirAccess.dir_exists_absolute(path):
		var file := FileAccess.open(path, FileAccess.READ) if FileAccess.file_exists(path) else null
		return file.get_length() if file else 0
	var folder := DirAccess.open(path)
	folder.include_hidden = true
	var bytes := 0
	for name in folder.get_files():
		bytes += _measure(path.path_join(name))
	for name in folder.get_directories():
		bytes += _measure(path.path_join(name))
	return bytes

@tool
extends RefCounted
## What rag_memory.gdextension says: the classes and platforms there are, and what each platform
## needs beside the game.

const PATH := "res://addons/rag_memory/rag_memory.gdextension"
const RUNTIMES := "res://addons/rag_memory/runtime/"

var _file := ConfigFile.new()
var _folder_sizes: Dictionary[String, int] = {}


func _init() -> void:
	_file.load(PATH)


## The native classes of the addon: each has an icon.
func class_names() -> PackedStringArray:
	return _file.get_section_keys("icons")


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


## The one of them that was made for this platform alone.
func runtime(library: String) -> String:
	for path in dependencies(library):
		if path.begins_with(RUNTIMES):
			return path
	return ""


## The folder beside the game that holds them.
func data_target(library: String) -> String:
	var target: String = _targets(library).values()[0]
	return target.get_base_dir()


## Bytes in a file, or in all files below a folder; 0 when there is none. A folder with something in
## it is measured once: it may have thousands of files.
func size_of(path: String) -> int:
	if not DirAccess.dir_exists_absolute(path):
		return _size_of_file(path)
	if not _folder_sizes.get(path, 0):
		_folder_sizes[path] = _size_of_folder(path)
	return _folder_sizes[path]


## Has every folder measured anew.
func forget_sizes() -> void:
	_folder_sizes.clear()


func _targets(library: String) -> Dictionary:
	return _file.get_value("dependencies", library, {})


func _size_of_file(path: String) -> int:
	var file := FileAccess.open(path, FileAccess.READ) if FileAccess.file_exists(path) else null
	return file.get_length() if file else 0


func _size_of_folder(path: String) -> int:
	var folder := DirAccess.open(path)
	folder.include_hidden = true
	var bytes := 0
	for name in folder.get_files():
		bytes += _size_of_file(path.path_join(name))
	for name in folder.get_directories():
		bytes += _size_of_folder(path.path_join(name))
	return bytes

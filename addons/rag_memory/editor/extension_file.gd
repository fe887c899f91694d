@tool
extends RefCounted
## The content of rag_memory.gdextension: the classes and platforms there are, and what each
## platform needs beside the game.

const PATH := "res://addons/rag_memory/rag_memory.gdextension"
const RUNTIMES := "res://addons/rag_memory/runtime/"
const SERVER_PARTS := "res://addons/rag_memory/server/"
const MANIFEST := "manifest.txt"
## In a folder, beside what its manifest names.
const UNLISTED: Array[String] = [MANIFEST, ".gdignore"]
## Faults that are told one by one.
const MOST_TOLD := 3

var _file := ConfigFile.new()
var _folder_sizes: Dictionary[String, int] = {}
# By folder: the files that its manifest names, with their sizes, and those there are.
var _listed: Dictionary[String, Dictionary] = {}
var _sizes: Dictionary[String, Dictionary] = {}


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


## The folder with what only a dedicated server needs; it may not be there.
func server_part(library: String) -> String:
	return SERVER_PARTS + runtime(library).get_file()


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


## Returns which files of a folder with a manifest are missing or cut off; empty when all are whole.
func faults(folder: String) -> String:
	_look_into(folder)
	var problems := PackedStringArray()
	for name: String in _listed[folder]:
		var size: int = _listed[folder][name]
		if not _sizes[folder].has(name):
			problems.append("%s is missing" % name)
		# A signed library is longer; for macOS the manifest gives no size.
		elif _sizes[folder][name] < maxi(size, 1 if name.get_extension() == "so" else 0):
			problems.append("%s has %d bytes instead of %d" % [name, _sizes[folder][name], size])
	var more := problems.size() - MOST_TOLD
	return ", ".join(problems.slice(0, MOST_TOLD)) + (" and %d more" % more if more > 0 else "")


## The files in a folder with a manifest that do not belong to it.
func left_over(folder: String) -> PackedStringArray:
	_look_into(folder)
	var files := PackedStringArray()
	for name: String in _sizes[folder]:
		if not _listed[folder].has(name) and name not in UNLISTED and "__pycache__" not in name:
			files.append(name)
	return files


## Has every folder looked into anew.
func forget_sizes() -> void:
	_folder_sizes.clear()
	_listed.clear()
	_sizes.clear()


func _look_into(folder: String) -> void:
	if _listed.has(folder):
		return
	_listed[folder] = {}
	_sizes[folder] = {}
	var lines := FileAccess.get_file_as_string(folder.path_join(MANIFEST)).split("\n", false)
	# Without a manifest the game says so; with one, the first line is how many files it names.
	for line in lines.slice(1):
		var words := line.split(" ", false, 2)
		if words.size() == 3:
			_listed[folder][words[2]] = words[1].to_int()
	if _listed[folder] and DirAccess.dir_exists_absolute(folder):
		_find_files(folder, "", _sizes[folder])


func _find_files(folder: String, inside: String, files: Dictionary) -> void:
	var place := DirAccess.open(folder.path_join(inside))
	place.include_hidden = true
	for name in place.get_files():
		var file := inside.path_join(name)
		files[file] = _size_of_file(folder.path_join(file))
	for name in place.get_directories():
		_find_files(folder, inside.path_join(name), files)


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

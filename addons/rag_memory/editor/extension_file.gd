@tool
extends RefCounted
## The content of rag_memory.gdextension: the classes and platforms there are, and what each
## platform needs beside the game.

const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")

const PATH := "res://addons/rag_memory/rag_memory.gdextension"
const RUNTIMES := "res://addons/rag_memory/runtime/"
const ADDON := "res://addons/rag_memory/"
const DEFAULT_MODEL := ADDON + "models/default"
const LANGUAGE_PACK := ADDON + "models/multilingual"
const MANIFEST := "manifest.txt"
## In the language pack: its files and their sizes.
const PACK_LIST := "files.json"
## In a folder, beside what its manifest names.
const UNLISTED: Array[String] = [MANIFEST, ".gdignore"]
## Faults that are told one by one.
const MOST_TOLD := 3

var _file := ConfigFile.new()
# By folder: the files in it and below, with their sizes.
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


## The folder beside the game that gets one of them.
func target_of(library: String, dependency: String) -> String:
	return _targets(library)[dependency]


## True if the project wants the language pack instead of the model for English.
static func is_multilingual() -> bool:
	return ProjectSettings.get_setting(RAGSettings.LANGUAGE, "") == RAGSettings.MULTILINGUAL


## The one of them that was made for this platform alone.
func runtime(library: String) -> String:
	for path in dependencies(library):
		if path.begins_with(RUNTIMES):
			return path
	return ""


## The folder of a part of the addon with a zip file of its own; it may not be there.
func part(kind: String, library: String) -> String:
	return ADDON.path_join(kind).path_join(runtime(library).get_file())


## The folder beside the game that holds them.
func data_target(library: String) -> String:
	var target: String = _targets(library).values()[0]
	return target.get_base_dir()


## Bytes in a file, or in all files below a folder; 0 when there is none. A folder with something in
## it is measured once: it may have thousands of files.
func size_of(path: String) -> int:
	if not DirAccess.dir_exists_absolute(path):
		return _size_of_file(path)
	var bytes := 0
	for size: int in _files_in(path).values():
		bytes += size
	return bytes


## Returns which files of a folder with a manifest are missing or cut off; empty when all are whole.
func faults(folder: String) -> String:
	var listed := _listed_in(folder)
	var files := _files_in(folder)
	var problems := PackedStringArray()
	for name: String in listed:
		var size: int = listed[name]
		if not files.has(name):
			problems.append("%s is missing" % name)
		# A signed library is longer; for macOS the manifest gives no size.
		elif files[name] < maxi(size, 1 if name.get_extension() == "so" else 0):
			problems.append("%s has %d bytes instead of %d" % [name, files[name], size])
	var more := problems.size() - MOST_TOLD
	return ", ".join(problems.slice(0, MOST_TOLD)) + (" and %d more" % more if more > 0 else "")


## Returns which files of the language pack are missing or cut off; empty when all are whole.
func faults_of_language_pack() -> String:
	var list := FileAccess.get_file_as_string(LANGUAGE_PACK.path_join(PACK_LIST))
	return faults_of_pack(list, _files_in(LANGUAGE_PACK))


## The same of files with these sizes and the text of their list, wherever they are.
static func faults_of_pack(list: String, sizes: Dictionary) -> String:
	var json := JSON.new()
	if json.parse(list) != OK or not json.data is Dictionary or json.data.is_empty():
		return "%s is missing or damaged" % PACK_LIST
	var listed: Dictionary = json.data
	for name: String in listed:
		if sizes.get(name, 0) != listed[name]:
			return "%s has %d bytes instead of %d" % [name, sizes.get(name, 0), listed[name]]
	return ""


## The files in a folder with a manifest that do not belong to it.
func left_over(folder: String) -> PackedStringArray:
	var listed := _listed_in(folder)
	var others := PackedStringArray()
	for name: String in _files_in(folder) if listed else {}:
		if not listed.has(name) and name not in UNLISTED and "__pycache__" not in name:
			others.append(name)
	return others


## Has every folder looked into anew.
func forget_sizes() -> void:
	_sizes.clear()


# The files that a manifest names, with their sizes. Without one the game says so.
func _listed_in(folder: String) -> Dictionary[String, int]:
	var listed: Dictionary[String, int] = {}
	var lines := FileAccess.get_file_as_string(folder.path_join(MANIFEST)).split("\n", false)
	# The first line is how many files it names.
	for line in lines.slice(1):
		var words := line.split(" ", false, 2)
		if words.size() == 3:
			listed[words[2]] = words[1].to_int()
	return listed


func _files_in(folder: String) -> Dictionary:
	if not _sizes.get(folder, {}):
		_sizes[folder] = {}
		if DirAccess.dir_exists_absolute(folder):
			_find_files(folder, "", _sizes[folder])
	return _sizes[folder]


func _find_files(folder: String, inside: String, files: Dictionary) -> void:
	var place := DirAccess.open(folder.path_join(inside))
	place.include_hidden = true
	for name in place.get_files():
		var file := inside.path_join(name)
		files[file] = _size_of_file(folder.path_join(file))
	for name in place.get_directories():
		_find_files(folder, inside.path_join(name), files)


func _targets(library: String) -> Dictionary:
	var targets: Dictionary = _file.get_value("dependencies", library, {})
	if not targets or not is_multilingual():
		return targets
	targets = targets.duplicate()
	targets[LANGUAGE_PACK] = targets[DEFAULT_MODEL]
	targets.erase(DEFAULT_MODEL)
	return targets


func _size_of_file(path: String) -> int:
	var file := FileAccess.open(path, FileAccess.READ) if FileAccess.file_exists(path) else null
	return file.get_length() if file else 0

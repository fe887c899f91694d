@tool
extends EditorExportPlugin
## Adds the files that RAG Memory needs to an exported game.
##
## The native library, the Python runtime and the model are named in rag_memory.gdextension: the
## engine copies them beside the game even where this plugin is off. With the language pack the
## plugin adds them, and leaves the model for English out. It adds prepared saves and lore, and to
## dedicated servers what only they need. It leaves out what no game needs, refuses platforms
## without a runtime and projects with a clash of names, and tells what is added.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const RAGNameClashes := preload("res://addons/rag_memory/editor/name_clashes.gd")
const RAGPlatforms := preload("res://addons/rag_memory/editor/platforms.gd")
const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")

const ADDON := "res://addons/rag_memory/"
const CATEGORY := "RAG Memory"
const SAVE_ENDING := "sqlite3"
const BYTES_PER_MEGABYTE := 1e6

const ADDS_OPTION := "rag_memory/adds"
const PREPARED_OPTION := "rag_memory/prepared_saves"
const VECTOR_INDEX := "rag_memory/vector_index"
const LORE_OPTION := "rag_memory/lore"
const CONSOLE_OPTION := "rag_memory/debug_console"
const LIBRARY_OPTION := "rag_memory/python_library"
const ARCHITECTURE_OPTION := "binary_format/architecture"

const OPEN_SAVE := (
	"The prepared save %s is open or was not closed: what was stored last would be missing. "
	+ "Close it where it is open, or open and close it once."
)

const NO_LORE := (
	"The lore file %s is missing: the game cannot import it. Correct the project setting "
	+ "rag_memory/lore/sources."
)
const NO_RULES := (
	"The file of rules %s is not in the project: the game does without it. Correct the project "
	+ "setting rag_memory/python/rules."
)
const NO_LIST := (
	"The project setting rag_memory/python/rules is no Array of paths: the game has no rules of "
	+ 'its own. Write it as ["res://rules/village.py"].'
)
const NOT_PREPARED := (
	"The lore file %s is not prepared, and the game embeds it when it is started first. The error "
	+ "above says why. Correct that and export again."
)

## Below the addon's folder; in a game they are dead weight.
const EDITOR_PARTS: Array[String] = ["editor/", "plugin.gd"]
const CONSOLE := "debug/"
const LANGUAGES := "languages/"
const EXTENSION_LIST := "res://.godot/extension_list.cfg"

const NAMES_LEFT := (
	"These scripts name classes of RAG Memory, so they do not load in this game: %s. That is right "
	+ "where only scenes with memories load them."
)

## The name of a file that is never there.
const STOP := "RAG Memory stopped this export, see its message above"

var _extension := RAGExtensionFile.new()
var _platforms := RAGPlatforms.new(_extension)
var _is_refused := false
var _is_left_out := false
# What the engine's list has outside of such an export.
var _extension_list := ""
var _scripts_with_names := PackedStringArray()
# Finds a class of the addon in a script; in strings and comments, a name does no harm.
var _names := RegEx.new()
var _texts := RegEx.create_from_string("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|#.*")


# Plugins handle a file in the order of their names, and the engine's own for GDScript takes every
# script: this name comes before it.
func _get_name() -> String:
	return "Export of RAG Memory"


func _supports_platform(_platform: EditorExportPlatform) -> bool:
	return true


func _get_export_options(platform: EditorExportPlatform) -> Array[Dictionary]:
	# A list with one entry is a line of text that the preset does not store.
	var adds := {
		"name": ADDS_OPTION,
		"type": TYPE_INT,
		"hint": PROPERTY_HINT_ENUM,
		"hint_string":
		_platforms.summary(platform.get_os_name()).replace(",", ";").replace(":", ""),
	}
	return [
		{"option": adds, "default_value": 0},
		{"option": {"name": PREPARED_OPTION, "type": TYPE_BOOL}, "default_value": true},
		{"option": {"name": LORE_OPTION, "type": TYPE_BOOL}, "default_value": true},
		{"option": {"name": CONSOLE_OPTION, "type": TYPE_BOOL}, "default_value": true},
		{"option": {"name": LIBRARY_OPTION, "type": TYPE_BOOL}, "default_value": true},
	]


func _get_export_option_warning(platform: EditorExportPlatform, option: String) -> String:
	if option == ADDS_OPTION:
		var tags := _tags_of_preset(platform)
		var refusal := _platforms.refusal(tags, _title_of_preset(platform), _parts(tags))
		return refusal if refusal else _platforms.caution(tags, _title_of_preset(platform))
	if option == PREPARED_OPTION and get_option(PREPARED_OPTION):
		return "\n".join(_open_saves())
	if option == LORE_OPTION and get_option(LORE_OPTION):
		return "\n".join(_missing_lore())
	return ""


func _export_begin(
	features: PackedStringArray, _is_debug: bool, _path: String, _flags: int
) -> void:
	_extension.forget_sizes()
	var platform := get_export_platform()
	var tags := _with_server_tag(features)
	var refusal := _platforms.refusal(tags, _title_of_preset(platform), _parts(tags))
	if not refusal:
		var project := EditorInterface.get_resource_filesystem().get_filesystem()
		refusal = RAGNameClashes.new().describe(project)
	_is_refused = not refusal.is_empty()
	if _is_refused:
		platform.add_message(EditorExportPlatform.EXPORT_MESSAGE_ERROR, CATEGORY, refusal)
		# A message alone does not stop an export; a file that cannot be copied does. The engine
		# names the file in an error of its own.
		add_shared_object(ADDON + STOP, [], "")
		return
	var caution := _platforms.caution(tags, _title_of_preset(platform))
	if caution:
		_warn([caution])
	_is_left_out = _platforms.is_left_out(tags)
	if _is_left_out:
		_leave_out_library()
		return
	var library := _extension.library_for(tags)
	_tell(library, _extension.library_file(library))
	for dependency in _extension.dependencies(library):
		_tell(library, dependency)
	for part in _parts(tags):
		_add_part(part, library)
	if get_option(PREPARED_OPTION):
		_add_prepared_saves(library)
	if get_option(LORE_OPTION):
		_add_lore(library)
	_add_rules(library)


func _export_file(path: String, _type: String, features: PackedStringArray) -> void:
	var parts := EDITOR_PARTS.duplicate()
	if _is_left_out:
		parts.append("")
		_note_names(path)
	if not get_option(CONSOLE_OPTION):
		parts.append(CONSOLE)
	if _is_refused:
		# The engine would warn of a library that is missing, too.
		parts.append(RAGExtensionFile.PATH.trim_prefix(ADDON))
	elif path == RAGExtensionFile.PATH and RAGExtensionFile.is_multilingual():
		_add_library(_extension.library_for(features))
		skip()
	if path.begins_with(ADDON + LANGUAGES) and path not in _translations():
		skip()
	for part in parts:
		if path.begins_with(ADDON + part):
			skip()
			return


func _export_end() -> void:
	if _scripts_with_names:
		_warn([NAMES_LEFT % ", ".join(_scripts_with_names)])
	_scripts_with_names.clear()
	if _is_left_out:
		_write_extension_list(_extension_list)


func _write_extension_list(text: String) -> void:
	var file := FileAccess.open(EXTENSION_LIST, FileAccess.WRITE)
	if file:
		file.store_string(text)


# The engine exports its list of extensions as it is, and a game looks for each of them.
func _leave_out_library() -> void:
	_extension_list = FileAccess.get_file_as_string(EXTENSION_LIST)
	_write_extension_list(_extension_list.replace(RAGExtensionFile.PATH, ""))
	var names := _extension.class_names()
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if (entry["path"] as String).begins_with(ADDON):
			names.append(entry["class"] as String)
	_names.compile("\\b(%s)\\b" % "|".join(names))


func _note_names(path: String) -> void:
	if path.get_extension() == "gd" and not path.begins_with(ADDON):
		if _names.search(_texts.sub(FileAccess.get_file_as_string(path), "", true)):
			_scripts_with_names.append(path)


func _translations() -> PackedStringArray:
	return ProjectSettings.get_setting("internationalization/locale/translations", [])


# What the engine does for a GDExtension, with the language pack in place of the model for English.
func _add_library(library: String) -> void:
	var tags := library.split(".")
	add_shared_object(_extension.library_file(library), tags, "")
	for dependency in _extension.dependencies(library):
		add_shared_object(dependency, tags, _extension.target_of(library, dependency))
	add_file(RAGExtensionFile.PATH, FileAccess.get_file_as_bytes(RAGExtensionFile.PATH), false)


func _add_part(kind: String, library: String) -> void:
	var part := _extension.part(kind, library)
	if _extension.size_of(part) > 0:
		_tell(library, part)
		add_shared_object(part, [], _extension.data_target(library).path_join(kind))
	elif kind == "server":
		_say(_platforms.no_server_part(library))


func _parts(tags: PackedStringArray) -> PackedStringArray:
	var server := PackedStringArray(["server"] if RAGPlatforms.DEDICATED_SERVER in tags else [])
	return server + PackedStringArray(["python_library"] if get_option(LIBRARY_OPTION) else [])


func _add_prepared_saves(library: String) -> void:
	_warn(_open_saves())
	for save in _prepared_saves():
		_tell(library, save)
		add_shared_object(save, [], _extension.data_target(library) + "/prepared_saves")


# The files themselves, which are no resources, and beside the game their vectors, made now where
# they are not made yet.
func _add_lore(library: String) -> void:
	_warn(_missing_lore())
	for path in _lore_sources():
		if not FileAccess.file_exists(path):
			continue
		_tell(library, path)
		add_file(path, FileAccess.get_file_as_bytes(path), false)
		if ProjectSettings.get_setting(VECTOR_INDEX) == "disabled":
			continue
		# By its name: this script is loaded where the library is missing, too.
		var server := Engine.get_singleton(&"MemoryServer")
		var prepared: Dictionary = server.call(&"prepare_lore", path)
		if prepared.is_empty():
			_warn([NOT_PREPARED % path])
			continue
		var file: String = prepared["file"]
		_tell(library, file)
		add_shared_object(file, [], _extension.data_target(library) + "/prepared_saves/lore")


# The game reads them from its pack.
func _add_rules(library: String) -> void:
	var paths: Variant = ProjectSettings.get_setting(RAGSettings.RULES, [])
	if not (paths is Array or paths is PackedStringArray):
		_warn([NO_LIST])
		return
	for path: String in paths:
		if path.begins_with("res://") and FileAccess.file_exists(path):
			_tell(library, path)
			add_file(path, FileAccess.get_file_as_bytes(path), false)
		else:
			_warn([NO_RULES % path])


func _lore_sources() -> PackedStringArray:
	var sources := PackedStringArray()
	for path: String in ProjectSettings.get_setting(RAGSettings.LORE_SOURCES, []):
		sources.append(path)
	return sources


func _missing_lore() -> PackedStringArray:
	var warnings := PackedStringArray()
	for path in _lore_sources():
		if not FileAccess.file_exists(path):
			warnings.append(NO_LORE % path)
	return warnings


func _warn(warnings: PackedStringArray) -> void:
	for warning in warnings:
		_say(warning, EditorExportPlatform.EXPORT_MESSAGE_WARNING)


func _prepared_saves() -> PackedStringArray:
	var folder: String = ProjectSettings.get_setting(
		RAGSettings.PREPARED_SAVES_FOLDER, RAGSettings.DEFAULT_PREPARED_SAVES_FOLDER
	)
	var saves := PackedStringArray()
	if DirAccess.dir_exists_absolute(folder):
		for name in DirAccess.get_files_at(folder):
			if name.get_extension() == SAVE_ENDING:
				saves.append(folder.path_join(name))
	return saves


# A save that is open, or was when its game crashed, has its newest memories in a file beside it.
func _open_saves() -> PackedStringArray:
	var warnings := PackedStringArray()
	for save in _prepared_saves():
		if _extension.size_of(save + "-wal") > 0:
			warnings.append(OPEN_SAVE % save)
	return warnings


func _tell(library: String, path: String) -> void:
	var megabytes := _extension.size_of(path) / BYTES_PER_MEGABYTE
	_say("adds %s (%.1f MB) for %s" % [path, megabytes, library])


func _say(text: String, kind := EditorExportPlatform.EXPORT_MESSAGE_INFO) -> void:
	get_export_platform().add_message(kind, CATEGORY, text)


# Such as "Windows x86_64".
func _title_of_preset(platform: EditorExportPlatform) -> String:
	var architecture: Variant = get_option(ARCHITECTURE_OPTION)
	return platform.get_os_name() + (" " + architecture if architecture is String else "")


func _tags_of_preset(platform: EditorExportPlatform) -> PackedStringArray:
	var words := _title_of_preset(platform).split(" ")
	words[0] = words[0].to_lower()
	return _with_server_tag(words)


# The engine gives a preset for a dedicated server this tag in the game, and not here.
func _with_server_tag(tags: PackedStringArray) -> PackedStringArray:
	var preset := get_export_preset()
	if preset and preset.is_dedicated_server() and RAGPlatforms.DEDICATED_SERVER not in tags:
		return tags + PackedStringArray([RAGPlatforms.DEDICATED_SERVER])
	return tags

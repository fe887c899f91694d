@tool
extends RefCounted
## Finds classes and autoloads of the project that have the name of a class of this addon.
##
## Godot itself reports nothing before a script runs. It uses the one of the two that it found
## first, and what needs the other breaks. This script names none of the addon's classes, because
## it has to run when they are hidden.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const _ADDON := "res://addons/rag_memory/"
const _MESSAGE := "RAG Memory: these names are used twice, which breaks scripts."
const _CLASS := "%s: the class in %s, and %s."
const _AUTOLOAD := "%s: the autoload %s, and %s."
const _NATIVE := "a native class of RAG Memory"
const _SCRIPT := "the addon's class in %s"
const _ADVICE := "Rename yours, or delete it when the addon takes its place."
const _ADVICE_FOR_SCRIPTS := (
	"Or rename the addon's: in its file, change the line with class_name, for example to"
	+ " class_name Other%s. Of the addon, only lines with extends %s use that name, too."
)
const _GUIDE := "How a game with such classes moves over: docs/porting_from_land.md."
const _AUTOLOADS := "autoload/"

var _native_names := RAGExtensionFile.new().class_names()


## Returns whether a script of the game hides one of the addon's native classes. The addon's own
## scripts that name it then do not compile.
func is_native_class_hidden() -> bool:
	for entry: Dictionary in ProjectSettings.get_global_class_list():
		if String(entry["class"] as StringName) in _native_names:
			return true
	return false


## Describes all clashes below [param root], with advice: several lines, or empty when there are
## none.
func describe(root: EditorFileSystemDirectory) -> String:
	# By name: the addon's file; empty for a native class.
	var addon_files: Dictionary[String, String] = {}
	for name in _native_names:
		addon_files[name] = ""
	var project_classes: Array[PackedStringArray] = []
	_collect(root, addon_files, project_classes)
	var lines := PackedStringArray()
	var advice := PackedStringArray([_ADVICE])
	for project_class in project_classes:
		var name := project_class[0]
		if addon_files.has(name):
			lines.append(_CLASS % [name, project_class[1], _owner(addon_files[name])])
			_advise(advice, name, addon_files[name])
	for setting: Dictionary in ProjectSettings.get_property_list():
		var key: String = setting["name"]
		var name := key.trim_prefix(_AUTOLOADS)
		if key.begins_with(_AUTOLOADS) and addon_files.has(name):
			lines.append(_AUTOLOAD % [name, _autoload_file(key), _owner(addon_files[name])])
			_advise(advice, name, addon_files[name])
	if lines.is_empty():
		return ""
	advice.append(_GUIDE)
	return "\n".join(PackedStringArray([_MESSAGE]) + lines + advice)


## Adds the classes of the addon's files to [param addon_files], and name and file of all others to
## [param project_classes].
func _collect(
	folder: EditorFileSystemDirectory,
	addon_files: Dictionary[String, String],
	project_classes: Array[PackedStringArray]
) -> void:
	for index in folder.get_file_count():
		var name := folder.get_file_script_class_name(index)
		var path := folder.get_file_path(index)
		if name and path.begins_with(_ADDON):
			addon_files[name] = path
		elif name:
			project_classes.append(PackedStringArray([name, path]))
	for index in folder.get_subdir_count():
		_collect(folder.get_subdir(index), addon_files, project_classes)


static func _owner(addon_file: String) -> String:
	return _SCRIPT % addon_file if addon_file else _NATIVE


## Adds how to rename a script class of the addon, for the first of them only.
static func _advise(advice: PackedStringArray, name: String, addon_file: String) -> void:
	if addon_file and advice.size() == 1:
		advice.append(_ADVICE_FOR_SCRIPTS % [name, name])


static func _autoload_file(key: String) -> String:
	var file := str(ProjectSettings.get_setting(key)).trim_prefix("*")
	return ResourceUID.uid_to_path(file) if file.begins_with("uid://") else file

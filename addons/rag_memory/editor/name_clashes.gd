@tool
extends Node
## Says when a class or an autoload of the game has the name of a class of this addon.
##
## Godot itself says nothing before a script runs. It uses the one of the two that it found first,
## and what needs the other breaks. This script names none of the addon's classes, because it has to
## run when they are hidden.

## Emitted when other names clash than before.
signal changed

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const _ADDON := "res://addons/rag_memory/"
const _MESSAGE := "RAG Memory: these names are used twice, which breaks scripts."
const _TOAST := "RAG Memory: names used twice break scripts. Output says which, and what to do."
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
# By the name: the addon's file; empty for a native class.
var _own: Dictionary[String, String] = {}
var _told := PackedStringArray()
var _is_looking := false


func _enter_tree() -> void:
	var files := EditorInterface.get_resource_filesystem()
	files.filesystem_changed.connect(_look_later)
	files.script_classes_updated.connect(_look_later)
	ProjectSettings.settings_changed.connect(_look_later)
	_look_later()


func _exit_tree() -> void:
	var files := EditorInterface.get_resource_filesystem()
	files.filesystem_changed.disconnect(_look_later)
	files.script_classes_updated.disconnect(_look_later)
	ProjectSettings.settings_changed.disconnect(_look_later)


## Whether a script of the game hides one of the addon's native classes. The addon's own scripts
## that name it then do not compile.
func is_native_class_hidden() -> bool:
	for each: Dictionary in ProjectSettings.get_global_class_list():
		if String(each["class"] as StringName) in _native_names:
			return true
	return false


func _look_later() -> void:
	if not _is_looking:
		_is_looking = true
		_look.call_deferred()


func _look() -> void:
	_is_looking = false
	var files := EditorInterface.get_resource_filesystem()
	if not is_inside_tree() or files.is_scanning() or files.get_filesystem() == null:
		return
	var clashes := _find(files.get_filesystem())
	if clashes == _told:
		return
	_told = clashes
	changed.emit()
	if not clashes.is_empty():
		var message := "\n".join(PackedStringArray([_MESSAGE]) + clashes + _advice(clashes))
		push_error(message)
		EditorInterface.get_editor_toaster().push_toast(
			_TOAST, EditorToaster.SEVERITY_ERROR, message
		)


## One sentence for each thing of the game that has a name of the addon's.
func _find(root: EditorFileSystemDirectory) -> PackedStringArray:
	_own.clear()
	for name in _native_names:
		_own[name] = ""
	var theirs: Array[PackedStringArray] = []
	_collect(root, theirs)
	var clashes := PackedStringArray()
	for each in theirs:
		if _own.has(each[0]):
			clashes.append(_CLASS % [each[0], each[1], _owner_of(each[0])])
	for setting: Dictionary in ProjectSettings.get_property_list():
		var key: String = setting["name"]
		if key.begins_with(_AUTOLOADS) and _own.has(key.trim_prefix(_AUTOLOADS)):
			var name := key.trim_prefix(_AUTOLOADS)
			clashes.append(_AUTOLOAD % [name, _autoload_file(key), _owner_of(name)])
	return clashes


## Puts the classes of the addon's files into `_own`, and name and file of all others into `theirs`.
func _collect(folder: EditorFileSystemDirectory, theirs: Array[PackedStringArray]) -> void:
	for index in folder.get_file_count():
		var name := folder.get_file_script_class_name(index)
		var path := folder.get_file_path(index)
		if name and path.begins_with(_ADDON):
			_own[name] = path
		elif name:
			theirs.append(PackedStringArray([name, path]))
	for index in folder.get_subdir_count():
		_collect(folder.get_subdir(index), theirs)


func _owner_of(name: String) -> String:
	return _SCRIPT % _own[name] if _own[name] else _NATIVE


func _advice(clashes: PackedStringArray) -> PackedStringArray:
	var advice := PackedStringArray([_ADVICE])
	for name: String in _own:
		if _own[name] and Array(clashes).any(_is_about.bind(name)):
			advice.append(_ADVICE_FOR_SCRIPTS % [name, name])
			break
	advice.append(_GUIDE)
	return advice


static func _is_about(clash: String, name: String) -> bool:
	return clash.begins_with(name + ":")


static func _autoload_file(key: String) -> String:
	var file := str(ProjectSettings.get_setting(key)).trim_prefix("*")
	return ResourceUID.uid_to_path(file) if file.begins_with("uid://") else file

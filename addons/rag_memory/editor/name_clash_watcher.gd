@tool
extends Node
## Reports in the editor when a class or an autoload of the project has the name of a class of this
## addon: when the plugin is enabled, and whenever a class or an autoload is added.

## Emitted when other names clash than before.
signal changed

const RAGNameClashes := preload("res://addons/rag_memory/editor/name_clashes.gd")
const _TOAST := "RAG Memory: names used twice break scripts. Output says which, and what to do."

var _clashes := RAGNameClashes.new()
var _reported := ""
var _is_check_due := false


func _enter_tree() -> void:
	var files := EditorInterface.get_resource_filesystem()
	files.filesystem_changed.connect(_check_later)
	files.script_classes_updated.connect(_check_later)
	ProjectSettings.settings_changed.connect(_check_later)
	_check_later()


## See NameClashes.
func is_native_class_hidden() -> bool:
	return _clashes.is_native_class_hidden()


func _check_later() -> void:
	if not _is_check_due:
		_is_check_due = true
		_check.call_deferred()


func _check() -> void:
	_is_check_due = false
	var files := EditorInterface.get_resource_filesystem()
	if not is_inside_tree() or files.is_scanning() or files.get_filesystem() == null:
		return
	var message := _clashes.describe(files.get_filesystem())
	if message == _reported:
		return
	_reported = message
	changed.emit()
	if message:
		push_error(message)
		EditorInterface.get_editor_toaster().push_toast(
			_TOAST, EditorToaster.SEVERITY_ERROR, message
		)

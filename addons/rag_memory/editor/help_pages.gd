@tool
extends Node
## Brings the help pages of the native classes back when the editor has made its own help anew.
##
## An editor that starts without a help cache (its first start, or the first one of a new version)
## builds the help of its own classes and loses that of extensions, until the next start. It is told
## to read its new cache, which adds the extensions' help again.

const _SECONDS_BETWEEN_LOOKS := 1.0
const _MOST_LOOKS := 120

var _looks := 0


func _ready() -> void:
	if not DisplayServer.get_name() == "headless":
		_look()


func _look() -> void:
	_looks += 1
	if _is_made_in_this_session(_cache_file()):
		GDExtensionManager.extensions_reloaded.emit()
	elif _looks < _MOST_LOOKS:
		get_tree().create_timer(_SECONDS_BETWEEN_LOOKS).timeout.connect(_look)


static func _cache_file() -> String:
	var version := Engine.get_version_info()
	var name := "editor_doc_cache-%d.%d.res" % [version["major"], version["minor"]]
	return EditorInterface.get_editor_paths().get_cache_dir().path_join(name)


static func _is_made_in_this_session(file: String) -> bool:
	var started := Time.get_unix_time_from_system() - Time.get_ticks_msec() / 1000.0
	return FileAccess.file_exists(file) and FileAccess.get_modified_time(file) >= floori(started)

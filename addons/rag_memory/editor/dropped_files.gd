@tool
extends Node
## Files that are dropped on a panel: from the FileSystem dock, or from outside the editor.

signal dropped(paths: PackedStringArray)

const _ENDINGS: Array[String] = [
	"json", "png", "jsonl", "ndjson", "csv", "tsv", "txt", "log", "ink", "dialogue"
]
# A game reads files of res:// and user:// only.
const _COPIES := "user://rag_memory/dropped"

var _panel: Control


func _enter_tree() -> void:
	get_window().files_dropped.connect(_on_files_dropped)


func _exit_tree() -> void:
	get_window().files_dropped.disconnect(_on_files_dropped)


# Until then a redo may read the copies.
func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE and DirAccess.dir_exists_absolute(_COPIES):
		for file in DirAccess.get_files_at(_COPIES):
			DirAccess.remove_absolute(_COPIES.path_join(file))


## Takes what is dropped on a panel, or on one of these controls in it.
func watch(panel: Control, controls: Array[Control]) -> void:
	_panel = panel
	for control: Control in [panel] + controls:
		control.set_drag_forwarding(Callable(), can_take, take)


## Returns whether this is dragged from the FileSystem dock, with a file that may be imported.
func can_take(_at: Vector2, data: Variant) -> bool:
	return not _paths_in(data).is_empty()


## Takes what was dragged from the FileSystem dock.
func take(_at: Vector2, data: Variant) -> void:
	dropped.emit(_paths_in(data))


## Takes files from outside the editor if they were dropped on the panel; `at` is where, in its
## window.
func take_from_outside(paths: PackedStringArray, at: Vector2) -> void:
	if not _panel.is_visible_in_tree() or not _panel.get_global_rect().has_point(at):
		return
	var taken := PackedStringArray()
	for path in paths:
		if path.get_extension().to_lower() in _ENDINGS:
			taken.append(readable(path))
	if not taken.is_empty():
		dropped.emit(taken)


## The path under which a game can read a file: its own in the project, else that of a copy.
static func readable(path: String) -> String:
	var local := ProjectSettings.localize_path(path)
	if local.begins_with("res://") or local.begins_with("user://"):
		return local
	var copy := _COPIES.path_join(path.get_file())
	DirAccess.make_dir_recursive_absolute(_COPIES)
	DirAccess.copy_absolute(path, copy)
	return copy


func _on_files_dropped(paths: PackedStringArray) -> void:
	take_from_outside(paths, DisplayServer.mouse_get_position() - _panel.get_window().position)


func _paths_in(data: Variant) -> PackedStringArray:
	var paths := PackedStringArray()
	if data is Dictionary and (data as Dictionary).get("type") == "files":
		for path: String in (data as Dictionary).get("files", []):
			if path.get_extension().to_lower() in _ENDINGS:
				paths.append(path)
	return paths

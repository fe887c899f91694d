@tool
extends MenuButton
## Writes an NPC's memories to a JSON or CSV file, and reads them from one.

signal imported(npc_id: String)
signal done(message: String)
## It is no file that was exported here.
signal other_file_chosen(path: String)

enum RAGItem { EXPORT, IMPORT }

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const RAGDroppedFiles := preload("res://addons/rag_memory/editor/dropped_files.gd")
const BEFORE_IMPORT := "before_import"
const _FILTERS: Array[String] = ["*.json ; JSON, everything", "*.csv ; CSV, for a spreadsheet"]
const _OTHERS := "*.json,*.csv,*.tsv,*.jsonl,*.txt,*.log,*.ink,*.dialogue ; Memories, tables, chats"

## Whose memories are written, and who gets those that are read.
var npc_id := ""

var _session: RAGSaveSession
var _file_dialog: EditorFileDialog


func _ready() -> void:
	var popup := get_popup()
	popup.clear()
	popup.add_item("Export memories …", RAGItem.EXPORT)
	popup.add_item("Import memories …", RAGItem.IMPORT)
	popup.id_pressed.connect(_on_item)
	about_to_popup.connect(
		func() -> void: popup.set_item_disabled(popup.get_item_index(RAGItem.EXPORT), not npc_id)
	)


func set_up(session: RAGSaveSession) -> void:
	_session = session


## Writes the memories to a file; the ending of its name says how. Await it.
func export_to(path: String) -> void:
	var is_csv := path.get_extension().to_lower() == "csv"
	var text: Variant = await _session.ask(npc_id, &"export_csv" if is_csv else &"export_json")
	if text == null:
		return
	var error := _write(path, text as String)
	if error != OK:
		var words := "%s could not be written: %s. Choose a place that has room and can be written to."
		_session.failed.emit(words % [path, error_string(error)])
		return
	done.emit("The memories of %s are in %s." % [npc_id, path])


## Adds the memories of a file that was exported here, and keeps the save before it as a snapshot;
## of another file it only tells. Await it.
func import_from(path: String) -> void:
	if path.get_extension().to_lower() not in ["json", "csv"]:
		other_file_chosen.emit(RAGDroppedFiles.readable(path))
		return
	var text := FileAccess.get_file_as_string(path)
	if not text:
		var error := FileAccess.get_open_error()
		var reason := error_string(error) if error != OK else "it is empty"
		_session.failed.emit("%s could not be read: %s. Choose another file." % [path, reason])
		return
	var is_csv := path.get_extension().to_lower() == "csv"
	if not _is_own(text, is_csv):
		other_file_chosen.emit(RAGDroppedFiles.readable(path))
		return
	var target := npc_id if npc_id else _npc_of(path, text)
	var backup := await _session.keep(BEFORE_IMPORT)
	if not backup:
		return
	var method := &"import_csv" if is_csv else &"import_json"
	var count: Variant = await _session.ask(target, method, [text])
	if count != null:
		var words := '%d new memories for %s. The save before is the snapshot "%s".'
		done.emit(words % [count, target, backup])
		imported.emit(target)


func _on_item(item: int) -> void:
	if _file_dialog == null:
		_file_dialog = EditorFileDialog.new()
		_file_dialog.access = EditorFileDialog.ACCESS_FILESYSTEM
		_file_dialog.file_selected.connect(_on_file_selected)
		add_child(_file_dialog)
	var is_export := item == RAGItem.EXPORT
	_file_dialog.file_mode = (
		EditorFileDialog.FILE_MODE_SAVE_FILE if is_export else EditorFileDialog.FILE_MODE_OPEN_FILE
	)
	_file_dialog.filters = PackedStringArray(_FILTERS if is_export else [_OTHERS] as Array[String])
	_file_dialog.title = "Export memories of %s" % npc_id if is_export else "Import memories"
	if is_export:
		_file_dialog.current_file = npc_id.validate_filename() + ".json"
	_file_dialog.popup_file_dialog()


func _on_file_selected(path: String) -> void:
	if _file_dialog.file_mode == EditorFileDialog.FILE_MODE_SAVE_FILE:
		export_to(path)
	else:
		import_from(path)


# A short text is written when the file is closed, and that says nothing of a full disk.
static func _write(path: String, text: String) -> Error:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	file.store_string(text)
	var error := file.get_error()
	file.close()
	if error == OK and FileAccess.get_file_as_bytes(path) != text.to_utf8_buffer():
		error = ERR_FILE_CANT_WRITE
	return error


static func _is_own(text: String, is_csv: bool) -> bool:
	if is_csv:
		return "text" in text.get_slice("\n", 0).strip_edges().replace(";", ",").split(",")
	var content: Variant = JSON.parse_string(text)
	return content is Dictionary and (content as Dictionary).get("format") == "rag_memory"


# An empty save has nobody to choose: the file says whose memories they were.
static func _npc_of(path: String, text: String) -> String:
	var content: Variant = JSON.parse_string(text) if path.get_extension() == "json" else null
	if content is Dictionary and (content as Dictionary).get("npc_id", "") is String:
		var named: String = (content as Dictionary).get("npc_id", "")
		if named:
			return named
	return path.get_file().get_basename()

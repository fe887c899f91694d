@tool
extends Button
## A button that is there while the project wants the language pack and has none: it unpacks the
## addon's zip file that ends in -multilingual.zip. It asks no network.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")

const _INSIDE := "addons/rag_memory/models/multilingual/"
const _UNPACKED := "RAG Memory: the language pack is unpacked. Restart the editor to use it here."
const _UNREADABLE := "RAG Memory: %s cannot be opened (%s). Download the zip file again."
const _ANOTHER := (
	"RAG Memory: %s holds no language pack. Choose the zip file of the addon whose name ends in "
	+ "-multilingual.zip."
)
const _UNWRITABLE := "RAG Memory: %s cannot be written (%s). Make room or allow writing there."

var _dialog: EditorFileDialog


func _ready() -> void:
	text = "Unpack Language Pack…"
	tooltip_text = (
		"The project setting rag_memory/embedding/language is multilingual, and the pack is not in "
		+ "this project."
	)
	pressed.connect(_ask_for_file)
	ProjectSettings.settings_changed.connect(refresh)
	refresh()


func refresh() -> void:
	visible = RAGExtensionFile.is_multilingual() and not _is_installed()


## Unpacks the pack out of a zip file, all of it or nothing, and says how it went.
func unpack(zip_file: String) -> void:
	var zip := ZIPReader.new()
	var opened := zip.open(zip_file)
	if opened != OK:
		push_error(_UNREADABLE % [zip_file, error_string(opened)])
		return
	var files := Array(zip.get_files()).filter(_is_of_the_pack)
	if files.is_empty():
		push_error(_ANOTHER % zip_file)
		return
	DirAccess.make_dir_recursive_absolute(RAGExtensionFile.LANGUAGE_PACK)
	# The file by which a model is recognised comes last.
	files.sort_custom(func(file: String, _other: String) -> bool: return "model.json" not in file)
	for file: String in files:
		var place := "res://" + file
		var written := FileAccess.open(place, FileAccess.WRITE)
		if written == null or not written.store_buffer(zip.read_file(file)):
			push_error(_UNWRITABLE % [place, error_string(FileAccess.get_open_error())])
			return
	print(_UNPACKED)
	refresh()


func _ask_for_file() -> void:
	if _dialog == null:
		_dialog = EditorFileDialog.new()
		_dialog.access = EditorFileDialog.ACCESS_FILESYSTEM
		_dialog.file_mode = EditorFileDialog.FILE_MODE_OPEN_FILE
		_dialog.add_filter("*-multilingual.zip", "Language pack")
		_dialog.file_selected.connect(unpack)
		add_child(_dialog)
	_dialog.popup_file_dialog()


func _is_installed() -> bool:
	return FileAccess.file_exists(RAGExtensionFile.LANGUAGE_PACK.path_join("model.json"))


func _is_of_the_pack(file: String) -> bool:
	return file.begins_with(_INSIDE) and not file.ends_with("/") and ".." not in file

@tool
extends Button
## A button that is there while the project wants the language pack and has no whole one: it
## unpacks the addon's zip file that ends in -multilingual.zip. It asks no network.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")

const _INSIDE := "addons/rag_memory/models/multilingual/"
const _UNPACKED := "RAG Memory: the language pack is unpacked. Restart the editor to use it here."
const _UNREADABLE := "RAG Memory: %s cannot be opened (%s). Download the zip file again."
const _ANOTHER := (
	"RAG Memory: %s holds no language pack. Choose the zip file of the addon whose name ends in "
	+ "-multilingual.zip."
)
const _DAMAGED := (
	"RAG Memory: the language pack is not unpacked, because %s is damaged (%s). Download the zip "
	+ "file again."
)
const _UNWRITABLE := (
	"RAG Memory: the language pack cannot be written into %s (%s). Make room or allow writing "
	+ "there, and unpack it again."
)

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
	var contents: Dictionary[String, PackedByteArray] = {}
	var sizes: Dictionary[String, int] = {}
	for file: String in files:
		var name := file.trim_prefix(_INSIDE)
		# Empty where the zip file is damaged.
		contents[name] = zip.read_file(file)
		sizes[name] = contents[name].size()
	var list: PackedByteArray = contents.get(RAGExtensionFile.PACK_LIST, PackedByteArray())
	var faults := RAGExtensionFile.faults_of_pack(list.get_string_from_utf8(), sizes)
	if faults:
		push_error(_DAMAGED % [zip_file, faults])
		return
	faults = _write(contents)
	if faults:
		push_error(_UNWRITABLE % [RAGExtensionFile.LANGUAGE_PACK, faults])
	else:
		print(_UNPACKED)
	refresh()


# Returns what is wrong with the pack then; what is not whole is removed.
func _write(contents: Dictionary[String, PackedByteArray]) -> String:
	var folder := RAGExtensionFile.LANGUAGE_PACK
	DirAccess.make_dir_recursive_absolute(folder)
	for name in contents:
		var written := FileAccess.open(folder.path_join(name), FileAccess.WRITE)
		if written:
			written.store_buffer(contents[name])
	# The last file that was written is closed by now.
	var faults := RAGExtensionFile.new().faults_of_language_pack()
	if faults:
		for name in contents:
			DirAccess.remove_absolute(folder.path_join(name))
		DirAccess.remove_absolute(folder)
	return faults


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
	return RAGExtensionFile.new().faults_of_language_pack().is_empty()


func _is_of_the_pack(file: String) -> bool:
	return file.begins_with(_INSIDE) and not file.ends_with("/") and ".." not in file

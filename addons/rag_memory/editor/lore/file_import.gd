@tool
extends ConfirmationDialog
## Lorebooks and character cards that are dropped here become files of the project: Markdown that
## joins the lore sources, and an NPCPersonality. Shows what comes in before, and has one undo.

signal failed(error: String)
## After files were written, or taken back.
signal changed
## The file has memories or turns: they go into a save.
signal memories_found(path: String)

const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")
# Loaded when it is needed: a game that has a class of the same name still has this panel.
const _PERSONALITY := "res://addons/rag_memory/prompt/npc_personality.gd"
const _SCRATCH := "user://rag_memory_import.tres"

var undo_redo: EditorUndoRedoManager
## Lets the user choose text files of the project as lore sources.
var chooser := EditorFileDialog.new()

var _text := RichTextLabel.new()
# By path: the bytes that OK writes.
var _files: Dictionary[String, PackedByteArray] = {}


func _init() -> void:
	title = "Import into the Project"
	ok_button_text = "Import"
	add_child(_text)
	confirmed.connect(_bring_in)
	chooser.file_mode = EditorFileDialog.FILE_MODE_OPEN_FILES
	chooser.add_filter("*.md, *.txt", "Lore")
	chooser.files_selected.connect(add_sources)
	add_child(chooser)


## Reads dropped files and shows what they would bring in. Await it.
func take(paths: PackedStringArray) -> void:
	var lines := PackedStringArray()
	_files.clear()
	for path in paths:
		var request := MemoryServer.preview_import_async(path)
		var plan: Dictionary = await request.completed
		if request.get_error():
			failed.emit(request.get_error())
			return
		if plan.table or plan.turns:
			memories_found.emit(path)
			return
		lines.append("%s: %s, %s" % [path.get_file(), plan.name, plan.format])
		var is_of_project := path.begins_with("res://")
		var folder := (
			path.get_base_dir() if is_of_project else EditorInterface.get_current_directory()
		)
		_plan_files(folder, plan, lines)
		for line: String in plan.not_kept:
			lines.append("  –  %s" % line)
	_text.text = "\n".join(lines)
	popup_centered(Vector2i(Vector2(560.0, 320.0) * EditorInterface.get_editor_scale()))


## Adds files to the lore sources.
func add_sources(paths: PackedStringArray) -> void:
	_files.clear()
	_commit("Add Lore", paths)


## Returns the text that is shown before the import.
func preview_text() -> String:
	return _text.text


## Writes files, an empty one removes it, and sets the lore sources; undo and redo call it.
func put(files: Dictionary[String, PackedByteArray], sources: Array) -> void:
	for path in files:
		if files[path].is_empty():
			DirAccess.remove_absolute(path)
			EditorInterface.get_resource_filesystem().update_file(path)
			continue
		var file := FileAccess.open(path, FileAccess.WRITE)
		if file == null or not file.store_buffer(files[path]):
			failed.emit("%s could not be written. Choose a folder with room." % path)
			return
		file.close()
		EditorInterface.get_resource_filesystem().update_file(path)
	ProjectSettings.set_setting(RAGSettings.LORE_SOURCES, sources)
	ProjectSettings.save()
	changed.emit()


func _plan_files(folder: String, plan: Dictionary, lines: PackedStringArray) -> void:
	var path := folder.path_join(plan.id as String)
	if plan.lore:
		var text: String = plan.lore
		_files[path + ".md"] = text.to_utf8_buffer()
		lines.append("  →  %s.md, lore; entries: %d" % [path, plan.entries])
	if plan.personality:
		var personality: Resource = load(_PERSONALITY).from_data(plan.personality)
		ResourceSaver.save(personality, _SCRATCH)
		_files[path + ".tres"] = FileAccess.get_file_as_bytes(_SCRATCH)
		DirAccess.remove_absolute(_SCRATCH)
		lines.append("  →  %s.tres, an NPCPersonality" % path)
		for problem: String in personality.call("get_problems"):
			lines.append("  –  %s" % problem)


func _bring_in() -> void:
	var is_lore := func(path: String) -> bool: return path.get_extension() == "md"
	_commit("Import Lore and Characters", PackedStringArray(_files.keys().filter(is_lore)))


# Writes the files, and lets these join the lore sources.
func _commit(title: String, lore: PackedStringArray) -> void:
	var before: Dictionary[String, PackedByteArray] = {}
	var sources: Array = Array(ProjectSettings.get_setting(RAGSettings.LORE_SOURCES, []))
	var new_sources := sources.duplicate()
	for path in _files:
		before[path] = FileAccess.get_file_as_bytes(path)
	for path in lore:
		if path not in new_sources:
			new_sources.append(path)
	undo_redo.create_action(title)
	undo_redo.add_do_method(self, &"put", _files.duplicate(), new_sources)
	undo_redo.add_undo_method(self, &"put", before, sources)
	undo_redo.commit_action()

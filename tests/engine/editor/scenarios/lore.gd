@tool
# Uses the Lore dock as a designer does, and says what it shows.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const LorePanel := preload("res://addons/rag_memory/editor/lore/lore_panel.gd")
const SETTING := "rag_memory/lore/sources"

var _panel: LorePanel


func play() -> void:
	var base := EditorInterface.get_base_control()
	_panel = base.find_children("LorePanel", "", true, false)[0]
	_show_dock()
	await frames(5)
	say("states", _rows("%Sources"))
	(_panel.get_node("%Ask") as Button).pressed.emit()
	say("not_imported", _message())
	say("state_before", MemoryServer.health().state)
	await _panel.import_all()
	say("imported", _rows("%Sources"))
	say("message", _message())
	say("disabled", _panel.get_node("%Import").disabled)
	_panel.get_node("%Question").text = "Who burned the mill of Elm?"
	await _panel.ask()
	say("hits", _rows("%Hits"))
	say_unexplained(_panel)
	say("chunk", _panel.get_node("%Chunk").text)
	var file := FileAccess.open("res://lore/town.md", FileAccess.READ_WRITE)
	file.seek_end()
	file.store_string("\n# Inn\n\nThe inn has a green door.\n")
	file.close()
	_panel.refresh()
	say("changed", _rows("%Sources"))
	_panel.import_all()
	(_panel.get_node("%Cancel") as Button).pressed.emit()
	while _panel.get_node("%Cancel").visible:
		await frames(1)
	say("cancelled", [_rows("%Sources"), _message()])
	await _panel.import_all()
	say("again", _rows("%Sources"))
	ProjectSettings.set_setting(SETTING, [])
	await frames(3)
	say("none", [_rows("%Sources"), _message()])
	_panel.file_import.add_sources(["res://lore/town.md"])
	await frames(3)
	say("added", _rows("%Sources"))
	ProjectSettings.set_setting(SETTING, [])
	await frames(3)
	say("save", MemoryServer.current_save())
	await _drop_a_card()
	await frames(3)


func _drop_a_card() -> void:
	var importer: ConfirmationDialog = _panel.file_import
	var card := {"type": "files", "files": ["res://lore/sera.json"]}
	say(
		"takes",
		[
			_panel.dropped.can_take(Vector2(), card),
			_panel.dropped.can_take(Vector2(), {"type": "nodes"})
		]
	)
	_panel.dropped.take(Vector2(), {"type": "files", "files": ["res://lore/broken.json"]})
	while not "cut off" in _message():
		await frames(1)
	_panel.dropped.take(Vector2(), card)
	while not importer.visible:
		await frames(1)
	say("preview", importer.preview_text())
	say("before_ok", _imported())
	importer.get_ok_button().pressed.emit()
	await frames(2)
	say("dropped", _imported())
	var sera: NPCPersonality = load("res://lore/sera.tres")
	say("background", sera.background)
	var manager := EditorInterface.get_editor_undo_redo()
	var history := manager.get_history_undo_redo(EditorUndoRedoManager.GLOBAL_HISTORY)
	history.undo()
	await frames(2)
	say("undone", _imported())
	history.redo()
	await frames(2)
	say("redone", _imported())


# The files that the card became, and the lore sources.
func _imported() -> Array:
	var files := Array(DirAccess.get_files_at("res://lore")).filter(
		func(file: String) -> bool: return file in ["sera.md", "sera.tres"]
	)
	return [files, ProjectSettings.get_setting(SETTING)]


func _show_dock() -> void:
	var parent: Node = _panel
	while parent != null and not parent.is_class("EditorDock"):
		parent = parent.get_parent()
	parent.call(&"make_visible")


func _message() -> String:
	var label: Label = _panel.get_node("%Message")
	return label.text if label.visible else ""


func _rows(tree_name: String) -> Array:
	var tree: Tree = _panel.get_node(tree_name)
	var rows := []
	for item in tree.get_root().get_children() if tree.get_root() else []:
		var row := []
		for column in tree.columns:
			row.append(item.get_text(column))
		rows.append(row)
	return rows

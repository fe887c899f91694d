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
	say("save", MemoryServer.current_save())
	await frames(3)


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

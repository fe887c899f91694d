@tool
extends RefCounted
## Puts the memory browser into the editor and takes it away again: as a dock where the editor has
## docks for plugins (4.6), else as a bottom panel.

const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const SaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const SCENE := "res://addons/rag_memory/editor/browser/memory_browser.tscn"
const TITLE := "Memories"

var _plugin: EditorPlugin
var _browser: MemoryBrowser
var _dock: Control


func add(plugin: EditorPlugin, clock: SaveClock) -> void:
	_plugin = plugin
	_browser = (load(SCENE) as PackedScene).instantiate()
	_browser.undo_redo = plugin.get_undo_redo()
	_browser.session.clock = clock
	if ClassDB.class_exists(&"EditorDock") and plugin.has_method(&"add_dock"):
		_add_dock()
	else:
		plugin.call(&"add_control_to_bottom_panel", _browser, TITLE)


func remove() -> void:
	_browser.release()
	if _dock != null:
		_plugin.call(&"remove_dock", _dock)
		_dock.queue_free()
	else:
		_plugin.call(&"remove_control_from_bottom_panel", _browser)
		_browser.queue_free()
	_browser = null
	_dock = null
	_plugin = null


## Closes the save that the browser has open, so that a game can open it.
func release() -> void:
	_browser.release()


## Opens a save again that was closed for a game.
func take_back(save_id: String) -> void:
	_browser.take_back(save_id)


## Shows the browser, with the memories of an NPC when one is named and its save is open.
func open(npc_id := "") -> void:
	if _dock != null:
		_dock.call(&"make_visible")
	else:
		_plugin.call(&"make_bottom_panel_item_visible", _browser)
	_browser.show_npc(npc_id)


# Names of 4.6 are looked up: with older editors this script has to be parsed, too.
func _add_dock() -> void:
	_dock = ClassDB.instantiate(&"EditorDock")
	_dock.name = TITLE
	_dock.set(&"title", TITLE)
	_dock.set(&"layout_key", "rag_memory_browser")
	var bottom := ClassDB.class_get_integer_constant(&"EditorDock", &"DOCK_SLOT_BOTTOM")
	_dock.set(&"default_slot", bottom)
	var layouts := 0
	for layout: StringName in [&"DOCK_LAYOUT_HORIZONTAL", &"DOCK_LAYOUT_FLOATING"]:
		layouts |= ClassDB.class_get_integer_constant(&"EditorDock", layout)
	_dock.set(&"available_layouts", layouts)
	_dock.add_child(_browser)
	_plugin.call(&"add_dock", _dock)

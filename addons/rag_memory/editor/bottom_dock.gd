@tool
extends RefCounted
## Puts a control into the bottom of the editor and takes it away again: as a dock where the editor
## has docks for plugins (4.6), else as a bottom panel.

var _plugin: EditorPlugin
var _content: Control
var _dock: Control


func add(plugin: EditorPlugin, content: Control, title: String, layout_key: String) -> void:
	_plugin = plugin
	_content = content
	if ClassDB.class_exists(&"EditorDock") and plugin.has_method(&"add_dock"):
		_add_dock(title, layout_key)
	else:
		plugin.call(&"add_control_to_bottom_panel", content, title)


## Frees the control, too.
func remove() -> void:
	if _dock != null:
		_plugin.call(&"remove_dock", _dock)
		_dock.queue_free()
	else:
		_plugin.call(&"remove_control_from_bottom_panel", _content)
		_content.queue_free()


func show() -> void:
	if _dock != null:
		_dock.call(&"make_visible")
	else:
		_plugin.call(&"make_bottom_panel_item_visible", _content)


# Names of 4.6 are looked up: with older editors this script has to be parsed, too.
func _add_dock(title: String, layout_key: String) -> void:
	_dock = ClassDB.instantiate(&"EditorDock")
	_dock.name = title
	_dock.set(&"title", title)
	_dock.set(&"layout_key", layout_key)
	var bottom := ClassDB.class_get_integer_constant(&"EditorDock", &"DOCK_SLOT_BOTTOM")
	_dock.set(&"default_slot", bottom)
	var layouts := 0
	for layout: StringName in [&"DOCK_LAYOUT_HORIZONTAL", &"DOCK_LAYOUT_FLOATING"]:
		layouts |= ClassDB.class_get_integer_constant(&"EditorDock", layout)
	_dock.set(&"available_layouts", layouts)
	_dock.add_child(_content)
	_plugin.call(&"add_dock", _dock)

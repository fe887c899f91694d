@tool
extends Node
## Keys that work wherever the focus is in the memory browser: Ctrl+F goes to the search, and from
## there Escape clears it and the arrow down goes to the list.

var _panel: Control
var _search: LineEdit
var _list: Control


## Listens while the focus is in this panel.
func set_up(panel: Control) -> void:
	_panel = panel


## Sets the search that is on the screen, and the list that it narrows.
func use(search: LineEdit, list: Control) -> void:
	_search = search
	_list = list


# Before the fields and the editor, which have other uses for these keys.
func _input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed or not _panel.is_visible_in_tree() or not _has_focus():
		return
	if _use(key):
		_panel.get_viewport().set_input_as_handled()


func _use(key: InputEventKey) -> bool:
	if key.keycode == KEY_F and key.is_command_or_control_pressed() and not key.shift_pressed:
		_search.grab_focus()
		_search.select_all()
		return true
	if not _search.has_focus() or key.keycode not in [KEY_ESCAPE, KEY_DOWN]:
		return false
	if key.keycode == KEY_ESCAPE:
		_search.clear()
		_search.text_submitted.emit("")
	_list.grab_focus()
	return true


func _has_focus() -> bool:
	var focus := _panel.get_viewport().gui_get_focus_owner()
	return focus != null and _panel.is_ancestor_of(focus)

@tool
# Plays a game from the editor and says what the debugger's RAG Memory tab shows of it.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const LiveTab := preload("res://addons/rag_memory/editor/live/live_tab.gd")


func play() -> void:
	var tab: LiveTab = _find_tab()
	say("before", _message(tab))
	EditorInterface.play_custom_scene("res://played.tscn")
	await _until(func() -> bool: return EditorInterface.is_playing_scene())
	await frames(5)
	say("save_while_playing", MemoryServer.current_save())
	bring_to_front(tab)
	var calls: Tree = tab.get_node("%Calls")
	await _until(func() -> bool: return calls.get_root().get_child_count() > 12)
	await _until(func() -> bool: return "Failed: 1" in _texts(tab.get_node("%States")))
	await _until(func() -> bool: return "expired" in "".join(_texts(tab.get_node("%States"))))
	say("states", _texts(tab.get_node("%States")))
	var npcs: Tree = tab.get_node("%Npcs")
	await _until(func() -> bool: return npcs.get_root().get_child(0).get_child_count() == 3)
	say("npcs", _rows(npcs))
	say("mind", _lines_below(npcs.get_root().get_child(0)))
	say("no_mind", _lines_below(npcs.get_root().get_child(1)))
	say("calls", _rows(calls))
	var recalled := _first(calls, "retrieve_scored")
	recalled.select(0)
	await _until(func() -> bool: return _texts(tab.get_node("%Recalled/Rows")) != [])
	say("details", _texts(tab.get_node("%Recalled/Rows")))
	say_unexplained(tab)
	tab.get_node("%FailedOnly").button_pressed = true
	await _until(func() -> bool: return calls.get_root().get_child_count() == 1)
	say("failed", _rows(calls))
	say("last_error", _message(tab))
	EditorInterface.stop_playing_scene()
	await _until(func() -> bool: return not EditorInterface.is_playing_scene())
	await _until(func() -> bool: return "not running" in _message(tab))
	say("after", _message(tab))


# Shows a tab, wherever it is.
static func bring_to_front(control: Control) -> void:
	var child: Node = control
	while child.get_parent() != null:
		var parent := child.get_parent()
		if parent is TabContainer:
			parent.current_tab = parent.get_tab_idx_from_control(child)
		if child.is_class("EditorDock"):
			child.call("make_visible")
		child = parent


func _find_tab() -> Control:
	return EditorInterface.get_base_control().find_children("RAG Memory", "", true, false)[0]


func _first(calls: Tree, part: String) -> TreeItem:
	for item in calls.get_root().get_children():
		if part in item.get_text(1):
			return item
	return null


func _rows(tree: Tree) -> Array:
	var rows := []
	for item in tree.get_root().get_children():
		rows.append(
			range(tree.columns).map(func(column: int) -> String: return item.get_text(column))
		)
	return rows


func _lines_below(item: TreeItem) -> Array:
	return item.get_children().map(func(child: TreeItem) -> String: return child.get_text(0))


func _until(condition: Callable) -> void:
	while not condition.call():
		await get_tree().process_frame


func _message(tab: Control) -> String:
	var label: Label = tab.get_node("%Message")
	return label.text if label.visible else ""


func _texts(container: Control) -> Array:
	var labels := container.get_children().filter(func(child: Node) -> bool: return child is Label)
	return labels.map(func(label: Label) -> String: return label.text)

@tool
# The base of the scripts that use the memory browser.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")

const FilterBar := preload("res://addons/rag_memory/editor/browser/filter_bar.gd")

var browser: MemoryBrowser


# The browser as the plugin has put it into the editor.
func find_browser() -> void:
	for node in EditorInterface.get_base_control().find_children("*", "", true, false):
		if node is MemoryBrowser:
			browser = node
	browser.session.failed.connect(func(error: String) -> void: say("failed", error))


func make_visible() -> void:
	var dock := browser.get_parent()
	if dock.has_method(&"make_visible"):
		dock.call(&"make_visible")


func until(condition: Callable) -> void:
	while not condition.call():
		await get_tree().process_frame


# Opens a save as a person does, and waits for its NPCs.
func open_save(id: String) -> void:
	press_open(id)
	await until(func() -> bool: return browser.session.save_id == id)
	await settled()


func press_open(id: String) -> void:
	browser.save_bar.refresh()
	for index in browser.save_bar.saves.item_count:
		if browser.save_bar.saves.get_item_text(index) == id:
			browser.save_bar.saves.select(index)
	browser.save_bar.open_button.pressed.emit()


func choose_npc(id: String) -> void:
	browser.npc_list.choose(id)
	await settled()


# Until no call is on its way, and what the last answer caused has happened, too.
func settled() -> void:
	var quiet := 0
	while quiet < 5:
		await get_tree().process_frame
		quiet = 0 if browser.session.is_busy() else quiet + 1


func press(key: Key, with_control := false, with_shift := false) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.ctrl_pressed = with_control
	event.shift_pressed = with_shift
	for is_pressed: bool in [true, false]:
		event = event.duplicate()
		event.pressed = is_pressed
		browser.get_viewport().push_input(event)


func shown_texts() -> Array:
	var texts := []
	for index in browser.pages.total:
		texts.append(browser.pages.row(index).get("document_full", ""))
	return texts

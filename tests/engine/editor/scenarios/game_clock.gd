@tool
# Looks at a save whose times are seconds since the game began, in the inspector and the browser.
extends "res://tests/engine/editor/scenarios/inspector.gd"

const GameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const TableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")

var browser: MemoryBrowser


func play() -> void:
	EditorInterface.open_scene_from_path(SCENE)
	await frames(5)
	var elena: RAGMemory = EditorInterface.get_edited_scene_root().get_node("Elena")
	var panel: MemoryPanel = await _inspect(elena, "MemoryPanel")
	say("hidden_while_closed", panel.get_node("%Now").is_visible_in_tree())
	_press(panel, "Open")
	await _until(func() -> bool: return panel.get_node("%Content").visible)
	say("now", [_now(panel.get_node("%Now")), MemoryServer.current_save()])
	await _recall(panel)
	panel.get_node("%Now").later.value = 7.0
	say("later", _now(panel.get_node("%Now")))
	await _until(func() -> bool: return not panel.get_node("%Ask").disabled)
	_say_recencies(panel)
	await _look_into_browser()
	await MemoryServer.close_save_async().completed
	await frames(3)
	say("closed", MemoryServer.current_save())


func _recall(panel: MemoryPanel) -> void:
	panel.get_node("%Question").text = "Who mends the roof?"
	_press(panel, "Ask")
	await _until(func() -> bool: return panel.get_node("%Summary").visible)
	say("captions", _texts(panel.get_node("%Recalled/Rows")))
	_say_recencies(panel)


func _say_recencies(panel: MemoryPanel) -> void:
	var rows := panel.get_node("%Recalled/Rows").get_children()
	var bars := rows.filter(func(row: Node) -> bool: return row is ScoreBars)
	say(
		"recencies",
		bars.map(func(bar: ScoreBars) -> String: return bar.tooltip_text.get_slice("\n", 3))
	)


func _look_into_browser() -> void:
	for node in EditorInterface.get_base_control().find_children("*", "", true, false):
		if node is MemoryBrowser:
			browser = node
	(browser.get_parent() as Node).call(&"make_visible")
	browser.show_npc("elena")
	await _until(func() -> bool: return browser.pages.total == 3)
	say("browser_now", _now(browser.save_bar.get_node("%Now")))
	say("when", range(3).map(_when))
	var newest: Dictionary = browser.pages.row(0)
	await browser.edits.update("elena", newest.id as String, {"text": "Three chickens hatched."})
	await browser.session.ask("elena", &"get_memory_count")
	var archive: Variant = await browser.session.ask("elena", &"get_archived")
	say("archived_at", archive[0].archived.at)
	say("moved", _now(browser.save_bar.get_node("%Now")))
	ProjectSettings.set_setting(GameTime.SETTING, arguments[0])
	browser.refresh()
	await frames(5)
	say("formatted", _when(0))


func _now(field: Control) -> Array:
	return [field.moment.text, field.later.value, field.is_visible_in_tree()]


func _when(row: int) -> String:
	return TableColumns.text_of(browser.pages.row(row), "timestamp")

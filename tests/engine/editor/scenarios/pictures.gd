@tool
# Takes pictures of what the plugin adds to the editor: each function picture_* is one.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const Live := preload("res://tests/engine/editor/scenarios/live.gd")
const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const LiveTab := preload("res://addons/rag_memory/editor/live/live_tab.gd")
const LorePanel := preload("res://addons/rag_memory/editor/lore/lore_panel.gd")
const RulesProperty := preload("res://addons/rag_memory/editor/inspector/rules_property.gd")
const SAVE := "slot_1"
const QUESTION := "Do you remember what I promised you about the roof?"


func play() -> void:
	var wanted := arguments.slice(1)
	await frames(30)
	EditorInterface.set_main_screen_editor("2D")
	_widen_inspector(true)
	say("step", "fill")
	await _fill_save()
	say("step", "filled")
	for method in get_method_list():
		var name: String = method.name
		if name.begins_with("picture_"):
			name = name.trim_prefix("picture_")
			if wanted.is_empty() or name in wanted:
				say("step", name)
				await call("picture_" + name)


func picture_inspector() -> void:
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	await _recall(panel)
	await _shoot("inspector", _dock_of(panel))
	EditorInterface.get_inspector().ensure_control_visible(
		panel.get_node("%Recalled/Rows").get_child(12)
	)
	await _shoot("inspector_recall", _dock_of(panel))


func picture_inspector_talk() -> void:
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	var view: Control = panel.get_node("%Talk")
	for line: String in ["Good evening. I am Theron.", QUESTION]:
		(view.get_node("%Line") as LineEdit).text = line
		(view.get_node("%Say") as Button).pressed.emit()
		while (view.get_node("%Say") as Button).disabled:
			await frames(1)
	EditorInterface.get_inspector().ensure_control_visible(view.get_node("%Restart") as Control)
	await _shoot("inspector_talk", _dock_of(panel))


func picture_inspector_dossier() -> void:
	await _fill_world()
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	(panel.get_node("%Question") as LineEdit).text = QUESTION
	(panel.get_node("%Build") as Button).pressed.emit()
	while not (panel.get_node("%Dossier") as Control).visible:
		await frames(1)
	EditorInterface.get_inspector().ensure_control_visible(panel.get_node("%Tools") as Control)
	await _shoot("inspector_dossier_end", _dock_of(panel))
	EditorInterface.get_inspector().scroll_vertical = 0
	await frames(2)
	EditorInterface.get_inspector().ensure_control_visible(
		panel.get_node("%Dossier").get_child(15) as Control
	)
	await _shoot("inspector_dossier", _dock_of(panel))


func picture_inspector_empty() -> void:
	await MemoryServer.close_save_async().completed
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Elena"), "MemoryPanel"
	)
	await _shoot("inspector_empty", _dock_of(panel))
	await MemoryServer.open_save_async(SAVE).completed


func picture_config() -> void:
	var config: MemoryConfig = load("res://tavern_keeper.tres").duplicate()
	config.consolidate_target = 50
	var panel := await _inspect(config, "ConfigPanel")
	await _shoot("config", _dock_of(panel))


func picture_mind() -> void:
	await _fill_mind()
	var mind := EditorInterface.get_edited_scene_root().get_node("Mira/Mind")
	var panel := await _inspect(mind, "MindPanel")
	(panel.get_node("%Reflect") as Button).pressed.emit()
	await get_tree().create_timer(3.0).timeout
	await _shoot("mind", _dock_of(panel))
	EditorInterface.get_inspector().ensure_control_visible(panel.get_node("%Browse"))
	await _shoot("mind_reflection", _dock_of(panel))


func picture_mind_rules() -> void:
	var config := NPCMindConfig.new()
	var rules := config.encoding_rules.duplicate(true)
	rules[1].condition = "health_lots > 0"
	config.encoding_rules = rules
	var panel := await _inspect(config, "NPCMindConfigPanel")
	for table in EditorInterface.get_inspector().find_children("*", "EditorProperty", true, false):
		if table is RulesProperty:
			(table as RulesProperty)._fold.button_pressed = true
	for group in EditorInterface.get_inspector().find_children(
		"*", "EditorInspectorSection", true, false
	):
		group.call(&"unfold")
	await _shoot("mind_rules", _dock_of(panel))


func picture_browser_mind() -> void:
	await _fill_mind()
	var mind := EditorInterface.get_edited_scene_root().get_node("Mira/Mind")
	var panel := await _inspect(mind, "MindPanel")
	(panel.get_node("%Reflect") as Button).pressed.emit()
	await get_tree().create_timer(3.0).timeout
	var browser := await _open_browser(panel)
	browser.custom_minimum_size.y = 320.0 * EditorInterface.get_editor_scale()
	browser.filter_bar.kind.select(3)
	browser.filter_bar.kind.item_selected.emit(3)
	await get_tree().create_timer(1.0).timeout
	browser.table.choose(0)
	await _shoot("browser_mind", browser)
	browser.filter_bar.clear()
	browser.custom_minimum_size.y = 0.0


func picture_editor() -> void:
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	await _recall(panel)
	var browser := await _open_browser(panel)
	browser.custom_minimum_size.y = 320.0 * EditorInterface.get_editor_scale()
	EditorInterface.get_inspector().ensure_control_visible(
		panel.get_node("%Recalled/Rows").get_child(12)
	)
	await _shoot("editor", EditorInterface.get_base_control())
	browser.custom_minimum_size.y = 0.0


func picture_debugger() -> void:
	await MemoryServer.close_save_async().completed
	var found := EditorInterface.get_base_control().find_children("RAG Memory", "", true, false)
	var tab: LiveTab = found[0]
	EditorInterface.play_custom_scene("res://played.tscn")
	await get_tree().create_timer(3.0).timeout
	_widen_inspector(false)
	Live.bring_to_front(tab)
	tab.custom_minimum_size.y = 380.0 * EditorInterface.get_editor_scale()
	var calls: Tree = tab.get_node("%Calls")
	while calls.get_root().get_child_count() < 30:
		await frames(1)
	for item in calls.get_root().get_children():
		if "retrieve_scored" in item.get_text(1):
			item.select(0)
			break
	await _shoot("debugger", tab, 0.2)  # before newer calls have moved this one out of sight
	EditorInterface.stop_playing_scene()
	await get_tree().create_timer(2.0).timeout
	_widen_inspector(true)
	await MemoryServer.open_save_async(SAVE).completed


func picture_browser() -> void:
	_widen_inspector(false)
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	var browser := await _open_browser(panel)
	browser.custom_minimum_size.y = 420.0 * EditorInterface.get_editor_scale()
	await get_tree().create_timer(2.0).timeout
	await _shoot("browser", browser)
	browser.custom_minimum_size.y = 0.0
	_widen_inspector(true)


func picture_browser_world() -> void:
	await _fill_world()
	MemoryWorld.add_task({"assignee": "mira", "summary": "Bring straw for the roof."})
	_widen_inspector(false)
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	var browser := await _open_browser(panel)
	browser.custom_minimum_size.y = 300.0 * EditorInterface.get_editor_scale()
	browser.show_world.button_pressed = true
	await get_tree().create_timer(1.0).timeout
	browser.world.list.get_root().get_child(0).select(0)
	await _shoot("browser_world", browser)
	browser.show_table.button_pressed = true
	browser.custom_minimum_size.y = 0.0
	_widen_inspector(true)


# Two hundred NPCs in the editor as a whole.
func picture_many() -> void:
	for number in 200:
		var npc := RAGMemory.new()
		npc.npc_id = "villager_%03d_of_thornhaven" % number
		await npc.store_async("Sold %d loaves of bread at the market." % number).completed
		npc.free()
	_widen_inspector(false)
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	var browser := await _open_browser(panel)
	browser.refresh()
	await _shoot("many", EditorInterface.get_base_control())
	browser.show_world.button_pressed = true
	await _shoot("many_world", EditorInterface.get_base_control())
	_widen_inspector(true)


# A table as another program writes it, before it is imported.
func picture_import() -> void:
	var lines := PackedStringArray(["Wer,Wann,Was geschah,Ort,Wichtig,Stimmung,Zeugen,Notiz"])
	for number in 12:
		lines.append(
			"mira,%d,Sold %d loaves of bread at the market.,market,4,calm,ulf,-" % [number, number]
		)
	FileAccess.open("res://notes.csv", FileAccess.WRITE).store_string("\n".join(lines))
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Mira"), "MemoryPanel"
	)
	var browser := await _open_browser(panel)
	await browser.import_window.open("res://notes.csv", "mira")
	await get_tree().create_timer(1.0).timeout
	browser.import_window.npc.queue_redraw()
	await RenderingServer.frame_post_draw
	var image := browser.import_window.get_texture().get_image()
	image.save_png(arguments[0].path_join("import.png"))
	browser.import_window.hide()


# What the browser says before a save is open.
func picture_browser_empty() -> void:
	await MemoryServer.close_save_async().completed
	_widen_inspector(false)
	var panel := await _inspect(
		EditorInterface.get_edited_scene_root().get_node("Elena"), "MemoryPanel"
	)
	(panel.get_node("%Browse") as Button).pressed.emit()
	await get_tree().create_timer(2.0).timeout
	var found := EditorInterface.get_base_control().find_children("MemoryBrowser", "", true, false)
	await _shoot("browser_empty", found[0] as Control)
	await MemoryServer.open_save_async(SAVE).completed
	_widen_inspector(true)


func picture_lore() -> void:
	ProjectSettings.set_setting(
		"rag_memory/lore/sources", ["res://lore/thornhaven.md", "res://lore/kings.md"]
	)
	var base := EditorInterface.get_base_control()
	var panel: LorePanel = base.find_children("LorePanel", "", true, false)[0]
	panel.get_node("%Sources").custom_minimum_size.y = (180.0 * EditorInterface.get_editor_scale())
	var dock: Node = panel
	while not dock.is_class("EditorDock"):
		dock = dock.get_parent()
	dock.call(&"make_visible")
	await panel.import_all()
	panel.get_node("%Question").text = "Who burned the mill?"
	await panel.ask()
	await _shoot("lore", panel)


func picture_help() -> void:
	EditorInterface.set_main_screen_editor("Script")
	EditorInterface.get_script_editor().goto_help("class_name:RAGMemory")
	await get_tree().create_timer(2.0).timeout
	await _shoot("help", EditorInterface.get_editor_main_screen())
	EditorInterface.set_main_screen_editor("2D")


func _widen_inspector(is_wide: bool) -> void:
	var width := 380.0 * EditorInterface.get_editor_scale() if is_wide else 0.0
	_dock_of(EditorInterface.get_inspector()).custom_minimum_size.x = width


func _recall(panel: Control) -> void:
	(panel.get_node("%Question") as LineEdit).text = QUESTION
	(panel.get_node("%Ask") as Button).pressed.emit()
	while not (panel.get_node("%Summary") as Label).visible:
		await frames(1)


# The memory browser with the first memory chosen.
func _open_browser(panel: Control) -> MemoryBrowser:
	(panel.get_node("%Browse") as Button).pressed.emit()
	await get_tree().create_timer(3.0).timeout
	var found := EditorInterface.get_base_control().find_children("MemoryBrowser", "", true, false)
	var browser: MemoryBrowser = found[0]
	browser.table.choose(0)
	return browser


func _fill_save() -> void:
	await MemoryServer.open_save_async(SAVE).completed
	var text := FileAccess.get_file_as_string("res://demo/memories/mira.json")
	var memories: Array[Dictionary] = []
	memories.assign(JSON.parse_string(text))
	var last_day: int = memories.back().day
	for memory in memories:
		memory.importance = int(memory.importance)
		var days_ago: int = last_day - memory.day
		memory.timestamp = Time.get_unix_time_from_system() - days_ago * 86400.0
	var mira := RAGMemory.new()
	mira.npc_id = "mira"
	await mira.store_batch_async(memories).completed
	mira.free()


func _fill_world() -> void:
	var mira := RAGMemory.new()
	mira.npc_id = "mira"
	mira.store_turn("Good evening, Mira.", "You are late. The soup is cold.")
	mira.free()
	MemoryWorld.register_character("mira", {"name": "Mira", "location": "the inn at the ford"})
	MemoryWorld.record_event(
		{"summary": "A storm took half of the roof of the inn.", "visibility": "global"}
	)
	MemoryWorld.record_event(
		{
			"id": "rotten_roof",
			"summary": "Ulf sold rotten beams for the roof.",
			"visibility": "private",
			"actor": "ulf"
		}
	)
	MemoryWorld.import_lore("res://lore/thornhaven.md")


func _fill_mind() -> void:
	var mira := RAGMemory.new()
	mira.npc_id = "mira"
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new()
	mind.config.auto_reflect = false
	mind.config.emotion_seconds = 3600.0
	mira.add_child(mind)
	for told: Array in [
		["gifted", "Rowan", "Rowan gave me a warm cloak."],
		["helped", "Rowan", "Rowan mended the roof of the tavern."],
		["traded", "Bjorn", "Bjorn sold me six horseshoes."],
		["robbed", "Kael", "Kael stole the silver from the tavern."],
		["attacked", "Kael", "Kael attacked me at the old mill."],
		["waved", "Tobias", ""],
		["helped", "Rowan", "Rowan bound my wounds."],
	]:
		var who: String = told[1]
		var event := {"action": told[0], "source_id": who.to_lower(), "source_name": who}
		event["description"] = told[2]
		await mind.perceive_async(event).completed
	mira.free()


func _inspect(object: Object, panel_name: String) -> Control:
	EditorInterface.edit_node(null)
	await frames(3)
	if object is Node:
		EditorInterface.edit_node(object)
	else:
		EditorInterface.edit_resource(object)
	await get_tree().create_timer(1.5).timeout
	var inspector := EditorInterface.get_inspector()
	return inspector.find_children(panel_name + "*", "", true, false)[0]


func _dock_of(panel: Control) -> Control:
	var control := panel
	while not control is TabContainer:
		control = control.get_parent()
	return control


# Saves what is drawn where a control is.
func _shoot(name: String, control: Control, settled_after := 0.7) -> void:
	await get_tree().create_timer(settled_after).timeout
	control.queue_redraw()  # the editor draws only when something changes
	await RenderingServer.frame_post_draw
	var image := control.get_viewport().get_texture().get_image()
	image = image.get_region(Rect2i(control.get_global_rect()))
	image.save_png(arguments[0].path_join(name + ".png"))

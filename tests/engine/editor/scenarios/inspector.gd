@tool
# Uses the panels of the inspector as a user does, and says what they show.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const ConfigPanel := preload("res://addons/rag_memory/editor/inspector/config_panel.gd")
const Diagnostics := preload("res://addons/rag_memory/editor/inspector/diagnostics.gd")
const MemoryPanel := preload("res://addons/rag_memory/editor/inspector/memory_panel.gd")
const ScriptedServer := preload("res://tests/engine/language/scripted_server.gd")
const ScoreBars := preload("res://addons/rag_memory/editor/inspector/score_bars.gd")
const SCENE := "res://npc.tscn"


func play() -> void:
	EditorInterface.open_scene_from_path(SCENE)
	await frames(5)
	var elena: RAGMemory = EditorInterface.get_edited_scene_root().get_node("Elena")
	var panel: MemoryPanel = await _inspect(elena, "MemoryPanel")
	say("no_saves", _message(panel))
	say("makes", panel.get_node("%Open").text)
	say("state_before", MemoryServer.health().state)
	await _store()
	panel = await _inspect(elena, "MemoryPanel")
	say("opens", panel.get_node("%Open").text)
	say("not_open", _message(panel))
	say("saves", _items(panel.get_node("%Saves")))
	_press(panel, "Open")
	await _until(func() -> bool: return panel.get_node("%Content").visible)
	say("counts", panel.get_node("%Counts").text)
	say("recent", _texts(panel.get_node("%Recent")))
	await _ask(panel)
	say_unexplained(panel)
	if elena.has_node("Dialogue"):
		await _talk(panel)
	await _build_dossier(panel)
	var metadata: Array = elena.get_recent(40).map(
		func(memory: Dictionary) -> Dictionary: return memory.metadata
	)
	var is_accessed := func(each: Dictionary) -> bool: return each.last_accessed != each.timestamp
	say("accessed", metadata.filter(is_accessed).size())
	_press(panel, "Rebuild")
	await _until(func() -> bool: return "indexes" in _message(panel))
	say("after_rebuild", MemoryServer.current_save())
	elena.npc_id = ""
	panel.refresh()
	say("no_npc", _message(panel))
	elena.npc_id = "nobody"
	panel.refresh()
	await _until(func() -> bool: return "nobody" in _message(panel))
	say("nobody", _message(panel))
	say("diagnostics", JSON.parse_string(Diagnostics.text()))
	await _inspect_config()
	await _compare_curve()
	await MemoryServer.close_save_async().completed
	await frames(3)


func _store() -> void:
	await MemoryServer.open_save_async("slot_1").completed
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	memory.store("Rowan promised to mend the roof before the first frost.", 8)
	memory.store("Rowan promised to mend the roof before the first frost!", 8)
	memory.store_milestone("first_meeting", "A stranger came in out of the storm.")
	for number in 30:
		memory.store("Sold %d loaves of bread at the market." % number, 4)
	memory.free()
	var today := Time.get_unix_time_from_system() / 86400.0
	MemoryWorld.record_event({"summary": "Bjorn saw that the roof leaks.", "visibility": "global"})
	MemoryWorld.record_event(
		{
			"id": "plot",
			"summary": "Ulf sold a rotten roof.",
			"visibility": "private",
			"actor": "ulf"
		}
	)
	(
		MemoryWorld
		. add_task(
			{
				"assignee": "elena",
				"summary": "Bring straw for the roof.",
				"status": "active",
				"due_day": today + 2.0,
			}
		)
	)
	await MemoryServer.close_save_async().completed


func _ask(panel: MemoryPanel) -> void:
	panel.get_node("%Question").text = "Who mends the roof?"
	_press(panel, "Ask")
	await _until(func() -> bool: return panel.get_node("%Summary").visible)
	say("summary", panel.get_node("%Summary").text)
	var rows := panel.get_node("%Recalled/Rows")
	say("recalled", _texts(rows))
	var bars := rows.get_children().filter(func(row: Node) -> bool: return row is ScoreBars)
	say("bars", bars.map(func(bar: ScoreBars) -> String: return bar.tooltip_text))


func _texts_of(labels: Array) -> Array:
	return labels.map(func(label: Label) -> String: return label.text)


func _talk(panel: MemoryPanel) -> void:
	var view: Control = panel.get_node("%Talk")
	var model: Resource = panel.node.get_node("Dialogue").get(&"model")
	(view.get_node("%AsksModel") as CheckBox).button_pressed = false
	for line: String in ["Who mends the roof?", "My name is Theron.", "What is my name?"]:
		say("talk", await _said(view, line))
	var server := ScriptedServer.new(
		[ScriptedServer.OK_HEAD + ScriptedServer.events(["The smith does."])]
	)
	model.set(&"base_url", "http://127.0.0.1:%d/v1" % server.port)
	(view.get_node("%AsksModel") as CheckBox).button_pressed = true
	_press(view, "Restart")
	say_unexplained(panel)
	say("talk_restarted", _texts(view.get_node("%Said")))
	say("model_talk", await _said(view, "Who mends the roof?"))
	say("model_asked", "a_small_model" in server.requests[0])
	server.close()
	await _said(view, "Are you sure?")
	say("model_away", view.get_node("%Said").get_child(-1).get_child(1).text)
	say("kept", (panel.node as RAGMemory).get_memory_count())
	panel.node.get_node("Dialogue").set(&"model", null)
	_press(view, "Restart")
	say("talk_hint", view.get_node("%Hint").text)


func _said(view: Control, line: String) -> Array:
	view.get_node("%Line").text = line
	_press(view, "Say")
	await _until(func() -> bool: return not view.get_node("%Say").disabled)
	return _texts(view.get_node("%Said"))


func _build_dossier(panel: MemoryPanel) -> void:
	panel.get_node("%Question").text = "Who mends the roof?"
	var presets: OptionButton = panel.get_node("%Presets")
	say("presets", _items(presets) + [presets.text])
	presets.select(0)
	presets.item_selected.emit(0)
	await _press_build(panel)
	say("dossier_summary", panel.get_node("%Summary").text)
	say("recalled_hidden", not panel.get_node("%Recalled").visible)
	var rows := panel.get_node("%Dossier")
	say("dossier", _texts(rows))
	say_unexplained(panel)
	var bars := rows.get_children().filter(func(row: Node) -> bool: return row is ProgressBar)
	say(
		"dossier_bars", bars.map(func(bar: ProgressBar) -> Array: return [bar.value, bar.max_value])
	)
	panel.get_node("%Now").later.value = 7.0
	await _until(func() -> bool: return not panel.get_node("%Build").disabled)
	say("dossier_later", _texts(rows))
	panel.get_node("%Now").later.value = 0.0
	await _until(func() -> bool: return not panel.get_node("%Build").disabled)
	say("tasks_after", MemoryWorld.get_tasks({"status": "active"}).size())
	presets.select(3)
	presets.item_selected.emit(3)
	var own := NPCDossierConfig.new()
	own.section_tokens = {"memories": 40}
	var picker: EditorResourcePicker = panel.get_node("%OwnConfig")
	say("picker", picker.is_visible_in_tree())
	picker.edited_resource = own
	picker.resource_changed.emit(own)
	await _press_build(panel)
	say("dossier_own", _texts(rows))


func _press_build(panel: MemoryPanel) -> void:
	_press(panel, "Build")
	await _until(func() -> bool: return not panel.get_node("%Build").disabled)


func _inspect_config() -> void:
	var config := MemoryConfig.new()
	config.score_mode = MemoryConfig.PRODUCT
	var panel: ConfigPanel = await _inspect(config, "ConfigPanel")
	var plot := panel.get_node("%Recency")
	await _until(plot.has_curves)
	say("recency", [_value_at(plot, 0.0), _value_at(plot, 7.0), plot.axis_end])
	say("top", panel.get_node("%Score").top())
	say_unexplained(panel)
	say("fine", panel.get_node("%Warnings").get_child_count())
	_press(panel, "Rebuild")
	say("config_rebuild", _message(panel))
	config.recency_half_life_days = 14.0
	config.consolidate_target = 60
	config.score_mode = MemoryConfig.BALANCED
	await _until(func() -> bool: return plot.axis_end > 60.0)
	await frames(5)
	say("recency_follows", [_value_at(plot, 0.0), _value_at(plot, 14.0), plot.axis_end])
	say("top_follows", panel.get_node("%Score").top())
	say("warning", panel.get_node("%Warnings").get_child(0).get_child(1).text)
	config.inherits = MemoryConfig.new()
	config.inherits.take_over_path("res://guards.tres")
	config.inherits.memory_token_budget = 800
	await frames(5)
	say("inherited", _texts(panel.get_node("%Warnings")))
	config.inherits = null
	say("mode_follows", panel.get_node("%ScoreMode").text)
	var changed := MemoryConfig.new()
	for property in changed.get_property_list():
		if property.usage & PROPERTY_USAGE_EDITOR and property.usage & PROPERTY_USAGE_STORAGE:
			var value: Variant = ClassDB.class_get_property_default_value(
				"MemoryConfig", property.name
			)
			if value != changed.get(property.name) and not property.name.begins_with("resource_"):
				say("no_default", property.name)


# A curve is what calculate_memory_score() says at each age.
func _compare_curve() -> void:
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	memory.config = MemoryConfig.new()
	var similarities: Array[float] = [0.0, 0.4, 1.0]
	var differences: Array[float] = []
	for mode: Array in [
		[MemoryConfig.PRODUCT, MemoryConfig.HYBRID],
		[MemoryConfig.BALANCED, MemoryConfig.HYBRID],
		[MemoryConfig.BALANCED, MemoryConfig.DENSE],
		[MemoryConfig.STREAM, MemoryConfig.KEYWORD],
	]:
		memory.config.score_mode = mode[0]
		memory.config.relevance_mode = mode[1]
		for tier in 3:
			var curves := memory.config.get_score_curves(tier, 7, similarities)
			for point: int in [0, 7, 70]:
				var days: float = curves["days"][point]
				for index: int in similarities.size():
					var told := {
						"similarity": similarities[index],
						"metadata":
						{
							"memory_tier": tier,
							"importance": 7,
							"timestamp": Time.get_unix_time_from_system() - days * 86400.0,
						}
					}
					var expected := memory.calculate_memory_score(told)
					var drawn: float = curves["scores"][index][point]
					differences.append(absf(expected - drawn))
	say("compared", differences.size())
	say("largest_difference", differences.max())
	memory.free()


func _inspect(object: Object, panel_name: String) -> Control:
	EditorInterface.edit_node(null)
	await frames(3)
	if object is Node:
		EditorInterface.edit_node(object)
	else:
		EditorInterface.edit_resource(object)
	var inspector := EditorInterface.get_inspector()
	await _until(
		func() -> bool: return inspector.find_children(panel_name + "*", "", true, false) != []
	)
	await frames(3)
	return inspector.find_children(panel_name + "*", "", true, false)[0]


func _until(condition: Callable) -> void:
	while not condition.call():
		await get_tree().process_frame


func _press(panel: Control, name: String) -> void:
	(panel.get_node("%" + name) as Button).pressed.emit()


func _message(panel: Control) -> String:
	var label: Label = panel.get_node("%Message")
	return label.text if label.visible else ""


func _items(button: OptionButton) -> Array:
	return range(button.item_count).map(
		func(index: int) -> String: return button.get_item_text(index)
	)


func _texts(container: Control) -> Array:
	return _texts_of(
		container.get_children().filter(func(child: Node) -> bool: return child is Label)
	)


# The value of the first curve at a place of the axis.
func _value_at(plot: Control, place: float) -> float:
	var values: PackedFloat64Array = plot._curves[0]
	var point: float = place / plot.axis_end * (values.size() - 1)
	var before := floori(point)
	return lerpf(values[before], values[mini(before + 1, values.size() - 1)], point - before)

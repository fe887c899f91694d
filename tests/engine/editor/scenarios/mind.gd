@tool
# Uses the panel of an NPCMind and the tables of rules as a user does, and says what they show.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const FeelingBar := preload("res://addons/rag_memory/editor/inspector/feeling_bar.gd")
const MindPanel := preload("res://addons/rag_memory/editor/inspector/mind_panel.gd")
const RuleRow := preload("res://addons/rag_memory/editor/inspector/rule_row.gd")
const RulesProperty := preload("res://addons/rag_memory/editor/inspector/rules_property.gd")
const SCENE := "res://npc.tscn"


func play() -> void:
	EditorInterface.open_scene_from_path(SCENE)
	await frames(5)
	var mind: NPCMind = EditorInterface.get_edited_scene_root().get_node("Elena/Mind")
	var panel: MindPanel = await _inspect(mind, "MindPanel")
	say("no_saves", _message(panel))
	say("state_before", MemoryServer.health().state)
	await _live()
	panel = await _inspect(mind, "MindPanel")
	say("not_open", _message(panel))
	say("saves", _items(panel.get_node("%Saves")))
	_press(panel, "Open")
	await _until(func() -> bool: return panel.get_node("%Content").visible)
	_say_feelings(panel)
	say("interactions", _texts(panel.get_node("%Interactions")))
	say("gathered", panel.get_node("%Gathered").text)
	var bar: ProgressBar = panel.get_node("%GatheredBar")
	say("gathered_bar", [snappedf(bar.value, 0.01), bar.max_value])
	_press(panel, "Reflect")
	say("reflecting", panel.get_node("%Reflecting").visible)
	await _until(func() -> bool: return _texts(panel.get_node("%Insights")) != [])
	await _until(func() -> bool: return bar.value == 0.0)
	say("insights", _texts(panel.get_node("%Insights")))
	say("reflected", [panel.get_node("%Reflecting").visible, panel.get_node("%Reflect").disabled])
	say_unexplained(panel)
	mind.get_parent().npc_id = "nobody"
	panel.refresh()
	await _until(func() -> bool: return panel.get_node("%Content").visible)
	say("nobody", [panel.get_node("%Mood").text, _texts(panel.get_node("%Feelings"))])
	_press(panel, "Reflect")
	await _until(func() -> bool: return _texts(panel.get_node("%Insights")) != [])
	say("nothing_concluded", _texts(panel.get_node("%Insights")))
	mind.get_parent().npc_id = ""
	panel.refresh()
	say("no_npc", _message(panel))
	var lonely: NPCMind = EditorInterface.get_edited_scene_root().get_node("Inn/Lonely")
	panel = await _inspect(lonely, "MindPanel")
	say("no_memory", _message(panel))
	await _edit_rules()
	await _look_at_configs_of_the_world()
	await MemoryServer.close_save_async().completed
	await frames(3)


func _live() -> void:
	await MemoryServer.open_save_async("slot_1").completed
	var memory := RAGMemory.new()
	memory.npc_id = "elena"
	var mind := NPCMind.new()
	mind.config = NPCMindConfig.new()
	mind.config.auto_reflect = false
	mind.config.emotion_seconds = 100_000.0
	memory.add_child(mind)
	for gift: String in ["a loaf of bread", "a warm cloak", "a lantern"]:
		(
			mind
			. perceive(
				{
					"action": "gifted",
					"source_id": "rowan",
					"source_name": "Rowan",
					"description": "Rowan gave me %s." % gift,
				}
			)
		)
	mind.perceive({"action": "waved", "source_id": "tom", "source_name": "Tom"})
	(
		mind
		. perceive(
			{
				"action": "insulted",
				"source_id": "kael",
				"source_name": "Kael",
				"content": "You stupid idiot!",
			}
		)
	)
	memory.free()
	await MemoryServer.close_save_async().completed


func _say_feelings(panel: MindPanel) -> void:
	say("mood", panel.get_node("%Mood").text)
	say("intensity", panel.get_node("%Intensity").value)
	var feelings := panel.get_node("%Feelings")
	say("feelings", _texts(feelings))
	var bars := feelings.get_children().filter(func(each: Node) -> bool: return each is FeelingBar)
	say("bars", bars.map(func(each: FeelingBar) -> Array: return [each.feeling, each.strength]))
	var colors := bars.map(func(each: FeelingBar) -> String: return each.color().to_html())
	say("colors", colors)


func _edit_rules() -> void:
	var config: NPCMindConfig = load("res://calm_mind.tres")
	EditorInterface.edit_node(null)
	await frames(3)
	EditorInterface.edit_resource(config)
	await _until(func() -> bool: return _tables().size() == 2)
	await frames(3)
	var encoding: RulesProperty = _tables()[0]
	var moods: RulesProperty = _tables()[1]
	encoding._fold.button_pressed = true
	moods._fold.button_pressed = true
	await frames(3)
	say("rows", [encoding._rows.get_child_count(), moods._rows.get_child_count()])
	say_unexplained(encoding)
	say_unexplained(moods)
	var row: RuleRow = encoding._rows.get_child(1)
	var condition: LineEdit = row.get_node("%Condition")
	condition.text = "helth < 0.5"
	condition.text_submitted.emit(condition.text)
	await frames(5)
	say("typed", config.encoding_rules[1])
	say("same_row", encoding._rows.get_child(1) == row)
	say("problem", _warnings())
	say("problem_of_row", _visible_labels(row))
	condition.text = "health < 0.5"
	condition.text_submitted.emit(condition.text)
	await frames(5)
	say("corrected", [_warnings(), _visible_labels(row)])
	(row.get_node("%Importance") as SpinBox).value = 10.0
	(row.get_node("%Kind") as OptionButton).select(1)
	(row.get_node("%Kind") as OptionButton).item_selected.emit(1)
	await frames(5)
	say("changed", config.encoding_rules[1])
	(row.get_node("%MoveUp") as Button).pressed.emit()
	await frames(5)
	say("moved", [config.encoding_rules[0].condition, encoding._rows.get_child_count()])
	(moods._rows.get_child(0).get_node("%Remove") as Button).pressed.emit()
	await frames(5)
	say("removed", [config.mood_rules.size(), moods._rows.get_child_count()])
	(moods.find_children("*", "Button", true, false).back() as Button).pressed.emit()
	await frames(5)
	say("added", [config.mood_rules.size(), config.mood_rules.back(), _warnings()])
	var undo := EditorInterface.get_editor_undo_redo()
	var history := undo.get_history_undo_redo(undo.get_object_history_id(config))
	for step in 8:
		history.undo()
	await frames(5)
	var fresh := NPCMindConfig.new()
	say(
		"undone",
		[
			config.encoding_rules == fresh.encoding_rules,
			config.mood_rules == fresh.mood_rules,
			encoding._rows.get_child_count(),
		]
	)
	config.encoding_rules = [{"action": "*", "kinds": "episode"}] as Array[Dictionary]
	EditorInterface.edit_node(null)
	await frames(3)
	EditorInterface.edit_resource(config)
	await _until(func() -> bool: return _tables().size() == 2)
	await _until(func() -> bool: return _warnings() != [])
	say("unknown_key", _warnings())
	row = (_tables()[0] as RulesProperty)._rows.get_child(0)
	var drop: Button = row.find_children("*", "Button", true, false).back()
	say("offer", drop.text)
	drop.pressed.emit()
	await _until(func() -> bool: return _warnings() == [])
	say("dropped", config.encoding_rules)


func _look_at_configs_of_the_world() -> void:
	var dossier := NPCDossierConfig.new()
	dossier.total_tokens = -1
	dossier.min_items = {"events": 9, "turns": 1}
	dossier.max_items = {"events": 5}
	dossier.flow_order = ["lore", "news"]
	var world := MemoryWorldConfig.new()
	for config: Resource in [dossier, world]:
		EditorInterface.edit_resource(config)
		var panel := config.get_class() + "Panel*"
		await _until(func() -> bool: return _panels(panel).size() == 1)
		say(config.get_class(), _warnings(panel))
	world.rumor_decay = 2.0
	await _until(func() -> bool: return _warnings("MemoryWorldConfigPanel*") != [])
	say("followed", _warnings("MemoryWorldConfigPanel*"))


func _panels(pattern: String) -> Array:
	return EditorInterface.get_inspector().find_children(pattern, "", true, false)


func _tables() -> Array:
	return EditorInterface.get_inspector().find_children("*", "EditorProperty", true, false).filter(
		func(each: Node) -> bool: return each is RulesProperty
	)


# What the list at the top of the inspector says.
func _warnings(pattern := "NPCMindConfigPanel*") -> Array:
	return _panels(pattern)[0].find_children("*", "Label", true, false).map(
		func(label: Label) -> String: return label.text
	)


func _visible_labels(row: RuleRow) -> Array:
	return (
		row
		. find_children("*", "Label", true, false)
		. filter(func(label: Label) -> bool: return label.visible and " " in label.text)
		. map(func(label: Label) -> String: return label.text)
	)


func _inspect(object: Object, panel_name: String) -> Control:
	EditorInterface.edit_node(null)
	await frames(3)
	EditorInterface.edit_node(object)
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
	var labels := container.get_children().filter(func(child: Node) -> bool: return child is Label)
	return labels.map(func(label: Label) -> String: return label.text)

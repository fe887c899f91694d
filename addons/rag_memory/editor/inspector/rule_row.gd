@tool
extends PanelContainer
## One rule of an [NPCMindConfig] in the inspector.

signal changed(rule: Dictionary)
## By 1 down or by -1 up.
signal moved(by: int)
signal removed

const RAGMindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")
const _HINTS: Dictionary[String, String] = {
	"action": "action, action or *", "condition": "always", "mood": "mood"
}
const _TOOLTIPS: Dictionary[String, String] = {
	"action": 'Names of actions with commas between them, or "*" for any.',
	"condition": "For example health < 0.3 and importance >= 5. Empty: always.",
	"mood": "Any word for it, such as happy.",
	"kind": "What the memory is: something perceived, or something gone through.",
	"importance": "1 to 10, or 0 for the importance that the event came with.",
}
const _MOST_IMPORTANT := 10.0

var _rule: Dictionary = {}
var _texts: Dictionary[String, LineEdit] = {}
var _kind: OptionButton
var _importance: SpinBox
var _buttons: Array[Button] = []
var _problem := Label.new()
var _drop := Button.new()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED:
		_apply_theme()


## Shows a rule that may have these keys, and whether it is the first or the last one.
func show_rule(
	rule: Dictionary, keys: Dictionary[String, Variant], is_first: bool, is_last: bool
) -> void:
	_rule = rule.duplicate()
	var box := VBoxContainer.new()
	add_child(box)
	var grid := GridContainer.new()
	grid.columns = 2
	box.add_child(grid)
	_add_line(grid, "on").add_child(_line("action"))
	_add_line(grid, "if").add_child(_line("condition"))
	var last := _add_line(grid, "feels" if keys.has("mood") else "keep")
	if keys.has("mood"):
		last.add_child(_line("mood"))
	else:
		last.add_child(_kinds())
		last.add_child(_importances())
	_add_button(last, "MoveUp", "Move up", is_first, moved.emit.bind(-1))
	_add_button(last, "MoveDown", "Move down", is_last, moved.emit.bind(1))
	_add_button(last, "Remove", "Remove this rule", false, removed.emit)
	_problem.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	box.add_child(_problem)
	_drop.size_flags_horizontal = SIZE_SHRINK_BEGIN
	box.add_child(_drop)
	box.add_child(HSeparator.new())
	_offer_to_drop(keys)
	_apply_theme()


## Says what is wrong with the rule; nothing when the text is empty.
func show_problem(text: String) -> void:
	_problem.text = text
	_problem.visible = text != ""


func set_read_only(is_read_only: bool) -> void:
	for field: LineEdit in _texts.values():
		field.editable = not is_read_only
	if _kind != null:
		_kind.disabled = is_read_only
	if _importance != null:
		_importance.editable = not is_read_only
	if is_read_only:
		for button in _buttons + [_drop]:
			button.disabled = true


## The field of a key, for tests.
func field(key: String) -> Control:
	match key:
		"kind":
			return _kind
		"importance":
			return _importance
	return _texts[key]


## The buttons to move up, move down and remove, for tests.
func buttons() -> Array[Button]:
	return _buttons


func _add_line(to: GridContainer, what: String) -> HBoxContainer:
	var label := Label.new()
	label.text = what
	label.modulate.a = 0.7
	to.add_child(label)
	var fields := HBoxContainer.new()
	fields.size_flags_horizontal = SIZE_EXPAND_FILL
	fields.add_theme_constant_override(&"separation", 0)
	to.add_child(fields)
	return fields


func _line(key: String) -> LineEdit:
	var line := LineEdit.new()
	line.text = str(_rule.get(key, ""))
	line.placeholder_text = _HINTS[key]
	line.tooltip_text = _TOOLTIPS[key]
	line.size_flags_horizontal = SIZE_EXPAND_FILL
	line.text_submitted.connect(func(_text: String) -> void: _change(key, line.text))
	line.focus_exited.connect(func() -> void: _change(key, line.text))
	_texts[key] = line
	return line


# A kind that there is not is shown as well, so that it can be seen.
func _kinds() -> OptionButton:
	var kind := str(_rule.get("kind", RAGMindConfigRules.ENCODING_KEYS["kind"]))
	_kind = OptionButton.new()
	_kind.tooltip_text = _TOOLTIPS["kind"]
	_kind.size_flags_horizontal = SIZE_EXPAND_FILL
	_kind.clip_text = true
	for kind_name in RAGMindConfigRules.KINDS:
		_kind.add_item(kind_name)
	if kind not in RAGMindConfigRules.KINDS:
		_kind.add_item(kind)
	for index in _kind.item_count:
		if _kind.get_item_text(index) == kind:
			_kind.select(index)
	_kind.item_selected.connect(
		func(index: int) -> void: _change("kind", _kind.get_item_text(index))
	)
	return _kind


func _importances() -> SpinBox:
	_importance = SpinBox.new()
	_importance.tooltip_text = _TOOLTIPS["importance"]
	_importance.max_value = _MOST_IMPORTANT
	_importance.get_line_edit().add_theme_constant_override(&"minimum_character_width", 2)
	_importance.allow_greater = true
	_importance.allow_lesser = true
	var value: Variant = _rule.get("importance", 0)
	_importance.value = value if value is int or value is float else 0.0
	_importance.value_changed.connect(
		func(number: float) -> void: _change("importance", int(number))
	)
	return _importance


# A key that no rule has came from a file or a script; it cannot be corrected in a field.
func _offer_to_drop(keys: Dictionary[String, Variant]) -> void:
	_drop.hide()
	for key: Variant in _rule:
		if not keys.has(key):
			_drop.text = 'Remove the key "%s"' % key
			_drop.pressed.connect(_drop_key.bind(key))
			_drop.show()
			return


func _drop_key(key: Variant) -> void:
	_rule.erase(key)
	_drop.hide()
	changed.emit(_rule.duplicate())


func _change(key: String, value: Variant) -> void:
	if _rule.get(key, RAGMindConfigRules.ENCODING_KEYS.get(key, "")) != value:
		_rule[key] = value
		changed.emit(_rule.duplicate())


func _add_button(
	to: HBoxContainer, icon_name: String, tooltip: String, is_disabled: bool, action: Callable
) -> void:
	var button := Button.new()
	button.set_meta(&"icon", icon_name)
	button.flat = true
	button.tooltip_text = tooltip
	button.disabled = is_disabled
	button.pressed.connect(action)
	to.add_child(button)
	_buttons.append(button)


func _apply_theme() -> void:
	_problem.add_theme_color_override(&"font_color", get_theme_color(&"warning_color", &"Editor"))
	for button in _buttons:
		button.icon = get_theme_icon(button.get_meta(&"icon") as StringName, &"EditorIcons")

@tool
extends PanelContainer
## One rule of an [NPCMindConfig] in the inspector.

signal changed(rule: Dictionary)
## By 1 down or by -1 up.
signal moved(by: int)
signal removed

const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const RAGMindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")

var _rule: Dictionary = {}

@onready var _texts: Dictionary[String, LineEdit] = {
	"action": %Action, "condition": %Condition, "mood": %Mood
}
@onready var _kind: OptionButton = %Kind
@onready var _importance: SpinBox = %Importance
@onready var _buttons: Array[Button] = [%MoveUp, %MoveDown, %Remove]
@onready var _problem: Label = %Problem
@onready var _drop: Button = %Drop


func _ready() -> void:
	for key in _texts:
		var line := _texts[key]
		line.text_submitted.connect(func(_text: String) -> void: _change(key, line.text))
		line.focus_exited.connect(func() -> void: _change(key, line.text))
	_kind.item_selected.connect(
		func(index: int) -> void: _change("kind", _kind.get_item_text(index))
	)
	_importance.value_changed.connect(
		func(number: float) -> void: _change("importance", int(number))
	)
	_importance.get_line_edit().add_theme_constant_override(&"minimum_character_width", 2)
	_buttons[0].pressed.connect(moved.emit.bind(-1))
	_buttons[1].pressed.connect(moved.emit.bind(1))
	_buttons[2].pressed.connect(removed.emit)
	_apply_theme()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_node_ready():
		_apply_theme()


## Shows a rule that may have these keys, and whether it is the first or the last one.
func show_rule(
	rule: Dictionary, keys: Dictionary[String, Variant], is_first: bool, is_last: bool
) -> void:
	_rule = rule.duplicate()
	for key in _texts:
		_texts[key].text = str(_rule.get(key, ""))
	var has_mood := keys.has("mood")
	(%Outcome as Label).text = "feels" if has_mood else "keep"
	_texts["mood"].visible = has_mood
	_kind.visible = not has_mood
	_importance.visible = not has_mood
	_show_kind(str(_rule.get("kind", RAGMindConfigRules.ENCODING_KEYS["kind"])))
	var importance: Variant = _rule.get("importance", 0)
	var is_number := importance is int or importance is float
	_importance.set_value_no_signal(importance as float if is_number else 0.0)
	_buttons[0].disabled = is_first
	_buttons[1].disabled = is_last
	_offer_to_drop(keys)


## Says what is wrong with the rule; nothing when the text is empty.
func show_problem(text: String) -> void:
	_problem.text = text
	_problem.visible = text != ""


func set_read_only(is_read_only: bool) -> void:
	for field: LineEdit in _texts.values():
		field.editable = not is_read_only
	_kind.disabled = is_read_only
	_importance.editable = not is_read_only
	if is_read_only:
		for button in _buttons + [_drop]:
			button.disabled = true


# A kind that there is not is shown as well, so that it can be seen.
func _show_kind(kind: String) -> void:
	var kinds := RAGMindConfigRules.KINDS.duplicate()
	if kind not in kinds:
		kinds.append(kind)
	for kind_name in kinds:
		_kind.add_item(kind_name)
	_kind.select(kinds.find(kind))


# A key that no rule has came from a file or a script; it cannot be corrected in a field.
func _offer_to_drop(keys: Dictionary[String, Variant]) -> void:
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


func _apply_theme() -> void:
	var color := get_theme_color(&"warning_color", &"Editor")
	_problem.add_theme_color_override(&"font_color", RAGLegible.on_panel(color, self))
	for button in _buttons:
		button.icon = get_theme_icon(button.name, &"EditorIcons")

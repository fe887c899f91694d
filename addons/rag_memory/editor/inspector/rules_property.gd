@tool
extends EditorProperty
## A table of rules in the inspector of an [NPCMindConfig]: rows to change, add, remove and move.
## Problems of a rule are shown below it.

const RAGMindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")
const RAGRuleRow := preload("res://addons/rag_memory/editor/inspector/rule_row.gd")
const _ROW := preload("res://addons/rag_memory/editor/inspector/rule_row.tscn")

# The unfolded tables, for as long as the editor runs.
static var _unfolded: Dictionary[String, bool] = {}

var _fold := Button.new()
var _box := VBoxContainer.new()
var _rows := VBoxContainer.new()
var _add := Button.new()
var _shown: Array[Dictionary] = []
var _has_rows := false


func _init() -> void:
	_fold.toggle_mode = true
	_fold.toggled.connect(_on_fold_toggled)
	add_child(_fold)
	_add.text = "Add Rule"
	_add.pressed.connect(_on_add_pressed)
	_box.add_child(_rows)
	_box.add_child(_add)
	add_child(_box)
	set_bottom_editor(_box)
	add_focusable(_fold)


func _ready() -> void:
	_fold.set_pressed_no_signal(_unfolded.get(get_edited_property(), false))
	_box.visible = _fold.button_pressed


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED:
		_add.icon = get_theme_icon(&"Add", &"EditorIcons")


func _update_property() -> void:
	var rules: Array[Dictionary] = get_edited_object().get(get_edited_property())
	if rules != _shown or not _has_rows:
		_shown = rules.duplicate(true)
		_has_rows = true
		_rebuild()
	_show_problems()


func _set_read_only(is_read_only: bool) -> void:
	_add.disabled = is_read_only
	for row: RAGRuleRow in _rows.get_children():
		row.set_read_only(is_read_only)


func _is_encoding() -> bool:
	return get_edited_property() == &"encoding_rules"


func _keys() -> Dictionary[String, Variant]:
	return RAGMindConfigRules.ENCODING_KEYS if _is_encoding() else RAGMindConfigRules.MOOD_KEYS


func _rebuild() -> void:
	for row in _rows.get_children():
		_rows.remove_child(row)
		row.queue_free()
	for index in _shown.size():
		var row: RAGRuleRow = _ROW.instantiate()
		_rows.add_child(row)
		row.show_rule(_shown[index], _keys(), index == 0, index == _shown.size() - 1)
		row.set_read_only(is_read_only())
		row.changed.connect(_on_rule_changed.bind(index))
		row.moved.connect(_on_rule_moved.bind(index))
		row.removed.connect(_on_rule_removed.bind(index))


func _show_problems() -> void:
	var broken := 0
	for index in _shown.size():
		var rule := _shown[index]
		var problem := (
			RAGMindConfigRules.encoding_problem(rule)
			if _is_encoding()
			else RAGMindConfigRules.mood_problem(rule)
		)
		(_rows.get_child(index) as RAGRuleRow).show_problem(problem)
		broken += 1 if problem else 0
	_fold.text = "%d rules" % _shown.size() + (", %d to correct" % broken if broken else "")


func _on_fold_toggled(is_unfolded: bool) -> void:
	_unfolded[get_edited_property()] = is_unfolded
	_box.visible = is_unfolded


# Text being typed stays in its row, which keeps the focus.
func _on_rule_changed(rule: Dictionary, index: int) -> void:
	var rules := _shown.duplicate(true)
	rules[index] = rule
	_shown = rules.duplicate(true)
	emit_changed(get_edited_property(), rules)


func _on_rule_moved(by: int, index: int) -> void:
	var rules := _shown.duplicate(true)
	var rule: Dictionary = rules.pop_at(index)
	rules.insert(index + by, rule)
	emit_changed(get_edited_property(), rules)


func _on_rule_removed(index: int) -> void:
	var rules := _shown.duplicate(true)
	rules.remove_at(index)
	emit_changed(get_edited_property(), rules)


func _on_add_pressed() -> void:
	var rules := _shown.duplicate(true)
	var rule: Dictionary = {}
	for key in _keys():
		rule[key] = _keys()[key]
	rules.append(rule)
	emit_changed(get_edited_property(), rules)

@tool
extends VBoxContainer
## What the inspector says of a [MindConfig]: what is wrong with it. Follows every change.

const MindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")

## The resource that is shown; set before the panel enters the tree.
var config: MindConfig

var _said := PackedStringArray()


func _ready() -> void:
	name = "MindConfigPanel"
	refresh()


# A rule is changed inside its table, and nothing tells of it: the config is looked at again.
func _process(_delta: float) -> void:
	if is_visible_in_tree() and MindConfigRules.broken(config) != _said:
		refresh()


## Says what is wrong with the config now.
func refresh() -> void:
	_said = MindConfigRules.broken(config)
	for row in get_children():
		remove_child(row)
		row.queue_free()
	for sentence in _said:
		add_child(_warning(sentence))


func _warning(sentence: String) -> HBoxContainer:
	var row := HBoxContainer.new()
	var icon := TextureRect.new()
	icon.texture = get_theme_icon(&"NodeWarning", &"EditorIcons")
	icon.stretch_mode = TextureRect.STRETCH_KEEP
	var label := Label.new()
	label.text = sentence
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	label.add_theme_color_override(&"font_color", get_theme_color(&"warning_color", &"Editor"))
	row.add_child(icon)
	row.add_child(label)
	return row

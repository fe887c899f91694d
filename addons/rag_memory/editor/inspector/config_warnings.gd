@tool
extends VBoxContainer
## The warnings that the inspector shows for an [NPCMindConfig], a [MemoryWorldConfig] or an
## [NPCDossierConfig]: what is wrong with it. Follows every change.

## The resource that is shown; set before the panel enters the tree, as is the other.
var config: Resource
## Called with the resource: returns one sentence for each thing that is wrong.
var rules: Callable

var _said := PackedStringArray()


func _ready() -> void:
	name = config.get_class() + "Panel"
	refresh()


# A rule is changed inside its table, and nothing tells of it: the config is looked at again.
func _process(_delta: float) -> void:
	if is_visible_in_tree() and rules.call(config) != _said:
		refresh()


## Says what is wrong with the config now.
func refresh() -> void:
	_said = rules.call(config)
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

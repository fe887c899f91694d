@tool
extends VBoxContainer
## Texts and bars below each other, as the panels of the inspector list them.

const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const _FAINT := 0.7


func add_text(text: String) -> Label:
	var label := _label(text)
	add_child(label)
	return label


## Adds what is said of another row.
func add_note(text: String) -> Label:
	var label := add_text(text)
	label.modulate.a = _FAINT
	return label


## Adds what is wrong, with an icon.
func add_warning(text: String) -> void:
	var row := HBoxContainer.new()
	var icon := TextureRect.new()
	icon.texture = get_theme_icon(&"NodeWarning", &"EditorIcons")
	icon.stretch_mode = TextureRect.STRETCH_KEEP
	row.add_child(icon)
	var label := _label(text)
	var color := get_theme_color(&"warning_color", &"Editor")
	label.add_theme_color_override(&"font_color", RAGLegible.on_panel(color, self))
	row.add_child(label)
	add_child(row)


func clear() -> void:
	for row in get_children():
		remove_child(row)
		row.queue_free()


func _label(text: String) -> Label:
	var label := Label.new()
	label.text = text
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.mouse_filter = Control.MOUSE_FILTER_PASS
	label.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	return label

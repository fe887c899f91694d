@tool
extends VBoxContainer
## Texts and bars below each other, as the panels of the inspector list them.

const _FAINT := 0.7


func add_text(text: String) -> Label:
	var label := Label.new()
	label.text = text
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.mouse_filter = Control.MOUSE_FILTER_PASS
	label.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	add_child(label)
	return label


## Adds what is said of another row.
func add_note(text: String) -> Label:
	var label := add_text(text)
	label.modulate.a = _FAINT
	return label


func clear() -> void:
	for row in get_children():
		remove_child(row)
		row.queue_free()

@tool
# The base of the scripts that tests/engine/editor/test_*.py let the editor driver play: says what
# happened, line by line.
extends Node

const PLUGIN := "res://addons/rag_memory/plugin.cfg"

var arguments := OS.get_cmdline_user_args().slice(1)


func play_to_the_end() -> void:
	var tree := get_tree()
	await play()
	queue_free()
	tree.quit.call_deferred()


# What the scenario does; it may await.
func play() -> void:
	pass


# Prints a line that the test reads.
func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value, "", false, true))


func frames(count: int) -> void:
	for frame in count:
		await get_tree().process_frame


# Says what a panel shows without a word about it: every number in a label, every field, every
# choice, every button that has only a picture, and every column needs a tooltip.
func say_unexplained(panel: Node) -> void:
	var missing := []
	for control: Control in panel.find_children("*", "Control", true, false):
		if not control.is_visible_in_tree():
			continue
		if control is Tree:
			missing.append_array(_unexplained_columns(control as Tree))
		elif _needs_tooltip(control) and not _has_tooltip(control, panel):
			missing.append("%s: %s" % [panel.get_path_to(control), control.get("text")])
	say("unexplained", missing)
	if panel is Control:
		say_cut(panel as Control)


# Says what of a panel lies beyond its edges, and which scroll bars stand in what already scrolls.
func say_cut(panel: Control) -> void:
	var cut := []
	var room := panel.get_global_rect().grow(1.0)
	for control in _shown_below(panel):
		var place := panel.get_path_to(control)
		if control is ScrollBar:
			if _scrolls_around(control.get_parent() as Control, control.get_class()):
				cut.append("%s: a scroll bar in a scroll bar" % place)
		elif not _scrolls_around(control, "") and not room.encloses(control.get_global_rect()):
			cut.append("%s: %s is beyond %s" % [place, control.get_global_rect(), room])
	say("cut", cut)


func _shown_below(node: Node) -> Array[Control]:
	var controls: Array[Control] = []
	for child in node.get_children(true):
		if child is Control and (child as Control).is_visible_in_tree():
			controls.append(child)
			controls.append_array(_shown_below(child))
	return controls


# Whether something around a control scrolls: with a bar of this class to be seen, or with any.
func _scrolls_around(control: Control, bar_class: String) -> bool:
	var around := control.get_parent() as Control
	while around != null:
		if around is ScrollContainer or around is Tree or around is TextEdit:
			for bar in around.get_children(true):
				var fits := bar is ScrollBar and (not bar_class or bar.is_class(bar_class))
				if fits and ((bar as ScrollBar).visible or not bar_class):
					return true
		around = around.get_parent() as Control
	return false


func _needs_tooltip(control: Control) -> bool:
	if control is Label:
		var words := (control as Label).text.replace(":", " ").split(" ")
		return Array(words).any(func(word: String) -> bool: return word.is_valid_float())
	if control is OptionButton or control is CheckBox:
		return true
	if control is Button:
		return not (control as Button).text
	return (
		control is LineEdit or control is TextEdit or control is Range and not control is ScrollBar
	)


# As the engine looks for one: through what the mouse passes.
func _has_tooltip(control: Control, panel: Node) -> bool:
	var at := control
	while at != null:
		if at.mouse_filter != Control.MOUSE_FILTER_IGNORE and at.tooltip_text:
			return true
		if at.mouse_filter == Control.MOUSE_FILTER_STOP or at == panel:
			return false
		at = at.get_parent() as Control
	return false


# Their tooltips are new in Godot 4.5.
func _unexplained_columns(tree: Tree) -> Array:
	if not tree.column_titles_visible or not tree.has_method(&"get_column_title_tooltip_text"):
		return []
	var columns := range(tree.columns).filter(
		func(column: int) -> bool:
			var is_titled := tree.get_column_title(column) != ""
			return is_titled and not tree.call(&"get_column_title_tooltip_text", column)
	)
	return columns.map(tree.get_column_title)

@tool
# Opens the help page of each class and says what stands on it, once its first line is there.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const TIME_LIMIT_MSEC := 180_000


func play() -> void:
	for name: String in arguments:
		EditorInterface.set_main_screen_editor("Script")
		EditorInterface.get_script_editor().goto_help("class_name:" + name)
		var text := ""
		var started := Time.get_ticks_msec()
		while Time.get_ticks_msec() - started < TIME_LIMIT_MSEC:
			await frames(10)
			text = _shown_text()
			if text.contains("Class: ") and text.contains(name) and text.contains("Description"):
				break
		say("page", [name, text])


func _shown_text() -> String:
	var editor := EditorInterface.get_script_editor()
	for help: Node in editor.find_children("*", "EditorHelp", true, false):
		for label: Node in help.find_children("*", "RichTextLabel", true, false):
			if (label as RichTextLabel).is_visible_in_tree():
				return (label as RichTextLabel).get_parsed_text()
	return ""

@tool
# Waits until the plugin has added its parts to an editor that found the library after the plugin.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const FRAMES := 1200


func play() -> void:
	for frame in FRAMES:
		var found := _children_of_plugin()
		if not found.is_empty():
			say("panels", found)
			# The scripts of the parts run for the first time in the frames that follow.
			await frames(30)
			return
		await frames(1)
	say("panels", [])


func _children_of_plugin() -> Array[String]:
	var found: Array[String] = []
	for plugin in get_tree().root.find_children("*", "EditorPlugin", true, false):
		var script: Script = plugin.get_script()
		if script != null and script.resource_path == "res://addons/rag_memory/plugin.gd":
			for child in plugin.get_children():
				found.append((child.get_script() as Script).resource_path.get_file())
	return found

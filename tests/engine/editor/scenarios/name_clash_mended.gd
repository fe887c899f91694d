@tool
# Renames the class of the game that hides a native one, and says whether the plugin has its parts
# before and after that.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const FRAMES := 1200
const HIDING := "res://memory_config.gd"


func play() -> void:
	say("panels", _has_panels())
	var file := FileAccess.open(HIDING, FileAccess.WRITE)
	file.store_string("class_name OwnConfig\nextends Node\n")
	file.close()
	EditorInterface.get_resource_filesystem().update_file(HIDING)
	for frame in FRAMES:
		if _has_panels():
			break
		await frames(1)
	say("panels", _has_panels())
	await frames(30)


func _has_panels() -> bool:
	for plugin in get_tree().root.find_children("*", "EditorPlugin", true, false):
		for child in plugin.get_children():
			var script: Script = child.get_script()
			if script != null and script.resource_path.ends_with("editor_panels.gd"):
				return true
	return false

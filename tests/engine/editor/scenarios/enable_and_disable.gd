@tool
# Enables and disables the plugin again and again, and says what the editor consists of each time.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const TIMES := 20


func play() -> void:
	EditorInterface.set_plugin_enabled(PLUGIN, false)
	await frames(5)
	var before := _inventory()
	for time in TIMES:
		EditorInterface.set_plugin_enabled(PLUGIN, true)
		await frames(3)
		say("enabled", _inventory())
		EditorInterface.set_plugin_enabled(PLUGIN, false)
		await frames(3)
		say("disabled", _inventory())
	say("before", before)


func _inventory() -> Dictionary:
	var settings: Array[String] = []
	for property: Dictionary in ProjectSettings.get_property_list():
		var name: String = property.name
		if name.begins_with("rag_memory/"):
			settings.append(name)
	return {
		"controls": _count(EditorInterface.get_base_control()),
		"nodes": int(Performance.get_monitor(Performance.OBJECT_NODE_COUNT)),
		"orphans": int(Performance.get_monitor(Performance.OBJECT_ORPHAN_NODE_COUNT)),
		"settings": settings,
		"monitors": Performance.get_custom_monitor_names().size(),
		"connections": _connections(),
	}


func _count(node: Node) -> int:
	var count := 1
	for child in node.get_children(true):
		count += _count(child)
	return count


# Those at editor objects that outlive the plugin.
func _connections() -> int:
	var count := 0
	var lasting: Array[Object] = [
		EditorInterface.get_inspector(),
		EditorInterface.get_editor_undo_redo(),
		EditorInterface.get_resource_filesystem(),
		EditorInterface.get_selection(),
		EditorInterface.get_editor_settings(),
		ProjectSettings,
		GDExtensionManager,
		get_tree(),
	]
	for object in lasting:
		for each: Dictionary in object.get_signal_list():
			count += object.get_signal_connection_list(each.name).size()
	return count

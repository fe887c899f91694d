@tool
# Says what the Scene dock warns of, for nodes of an edited scene.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const SCENE := "res://npc.tscn"
const CONFIG := "res://calm.tres"

var _last := ["nothing said yet"]


func play() -> void:
	EditorInterface.open_scene_from_path(SCENE)
	await frames(5)
	var root := EditorInterface.get_edited_scene_root()
	var elena: RAGMemory = root.get_node("Elena")
	await _say_warnings("fine", elena)
	elena.npc_id = ""
	await _say_warnings("empty", elena)
	elena.npc_id = " elena"
	await _say_warnings("space", elena)
	elena.npc_id = "mira"
	await _say_warnings("twin", elena)
	elena.npc_id = "Mira"
	await _say_warnings("look_alike", elena)
	elena.npc_id = "elena"
	elena.config = MemoryConfig.new()
	await _say_warnings("new_config", elena)
	elena.config.recency_floor = 1.0
	elena.config.semantic_top_k = 0
	elena.config.consolidation_min_count = 1
	await _say_warnings("broken_config", elena)
	elena.config = load(CONFIG)
	await _say_warnings("saved_config", elena)
	EditorInterface.set_object_edited(elena.config, true)
	await _say_warnings("unsaved_config", elena)
	say("state", MemoryServer.health()["state"])


# As the Scene dock shows them, once it shows others than before.
func _say_warnings(name: String, node: Node) -> void:
	node.update_configuration_warnings()
	while _shown(node) in [_last, ["no item of the Scene dock"]]:
		await frames(1)
	_last = _shown(node)
	say(name, _last)


func _shown(node: Node) -> Array:
	var dock: Node = (
		EditorInterface.get_base_control().find_children("*", "SceneTreeDock", true, false)[0]
	)
	for tree: Tree in dock.find_children("*", "Tree", true, false):
		var item := tree.get_root()
		while item != null:
			var path: Variant = item.get_metadata(0)
			if path is NodePath and path == node.get_path():
				return _tooltips(item)
			item = item.get_next_in_tree()
	return ["no item of the Scene dock"]


func _tooltips(item: TreeItem) -> Array:
	var tooltips := []
	for index in item.get_button_count(0):
		var text := item.get_button_tooltip_text(0, index)
		if "warning" in text:
			for line in text.split("\n").slice(1):
				if line.strip_edges():
					tooltips.append(line)
	return tooltips

@tool
# Says what the Scene dock warns of, for nodes of an edited scene.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const SCENE := "res://npc.tscn"
const CONFIG := "res://calm.tres"


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
	elena.npc_id = "elena"
	elena.config = MemoryConfig.new()
	await _say_warnings("new_config", elena)
	elena.config.recency_floor = 1.0
	elena.config.semantic_top_k = 0
	elena.config.hnsw_m = 1
	await _say_warnings("broken_config", elena)
	elena.config = load(CONFIG)
	await _say_warnings("saved_config", elena)
	EditorInterface.set_object_edited(elena.config, true)
	await _say_warnings("unsaved_config", elena)
	say("state", MemoryServer.health()["state"])


# As the Scene dock shows them.
func _say_warnings(name: String, node: Node) -> void:
	node.update_configuration_warnings()
	await get_tree().create_timer(0.8).timeout
	var dock: Node = (
		EditorInterface.get_base_control().find_children("*", "SceneTreeDock", true, false)[0]
	)
	for tree: Tree in dock.find_children("*", "Tree", true, false):
		var item := tree.get_root()
		while item != null:
			var path: Variant = item.get_metadata(0)
			if path is NodePath and path == node.get_path():
				say(name, _tooltips(item))
				return
			item = item.get_next_in_tree()
	say(name, "no item of the Scene dock")


func _tooltips(item: TreeItem) -> Array[String]:
	var tooltips: Array[String] = []
	for index in item.get_button_count(0):
		var text := item.get_button_tooltip_text(0, index)
		if "warning" in text:
			for line in text.split("\n").slice(1):
				if line.strip_edges():
					tooltips.append(line)
	return tooltips

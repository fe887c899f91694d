@tool
extends RefCounted
## What the Scene dock warns of beside a [RAGMemory]. The native class asks here.

const ConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")


## Returns one sentence for each thing that is wrong with the node where it is.
static func of_node(node: RAGMemory) -> PackedStringArray:
	var warnings := PackedStringArray()
	if node.npc_id.strip_edges() == "":
		(
			warnings
			. append(
				'npc_id is empty: nobody\'s memory is meant. Set it in the inspector, for example to "elena".'
			)
		)
	elif node.npc_id != node.npc_id.strip_edges():
		warnings.append("npc_id begins or ends with a space, which is part of the name.")
	else:
		_warn_of_twins(node, warnings)
	if node.config != null:
		for sentence in ConfigRules.broken(node.config):
			warnings.append("config: " + sentence)
		if _is_unsaved(node.config):
			warnings.append(
				"config: %s has changes that are not saved." % node.config.resource_path.get_file()
			)
	return warnings


static func _warn_of_twins(node: RAGMemory, warnings: PackedStringArray) -> void:
	if not node.is_inside_tree():
		return
	var root := EditorInterface.get_edited_scene_root()
	if root == null or not (root == node or root.is_ancestor_of(node)):
		return
	var nodes: Array[Node] = root.find_children("*", "RAGMemory", true, false)
	if root is RAGMemory:
		nodes.append(root)
	for other: RAGMemory in nodes:
		if other != node and other.npc_id == node.npc_id:
			warnings.append(
				(
					"%s has the npc_id %s too, so the two share their memories."
					% [root.get_path_to(other), JSON.stringify(node.npc_id)]
				)
			)
			return


static func _is_unsaved(config: MemoryConfig) -> bool:
	var has_file := config.resource_path != "" and not config.resource_path.contains("::")
	return has_file and EditorInterface.is_object_edited(config)

@tool
extends RefCounted
## The warnings of the Scene dock for a [RAGMemory] and an [NPCMind]. The native classes ask here.

const RAGConfigRules := preload("res://addons/rag_memory/editor/config_rules.gd")
const RAGMindConfigRules := preload("res://addons/rag_memory/editor/mind_config_rules.gd")
const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")

const _NO_MEMORY := (
	"No RAGMemory is the parent, a sibling or a child of this node: it does not know whose mind it "
	+ "is. Move it below the NPC's RAGMemory, or set memory."
)
const _NO_NPC_ID := (
	"npc_id is empty: nobody's memory is meant. Set it in the inspector, for example to "
	+ '"elena".'
)


## Returns one sentence for each thing that is wrong with the node where it is.
static func of_node(node: Node) -> PackedStringArray:
	return _of_mind(node as NPCMind) if node is NPCMind else _of_memory(node as RAGMemory)


static func _of_mind(mind: NPCMind) -> PackedStringArray:
	var warnings := PackedStringArray()
	if RAGNearNodes.memory_of(mind) == null:
		warnings.append(_NO_MEMORY)
	var area := mind.proximity_area
	if area != null and not (area is Area2D or area is Area3D):
		var words := "proximity_area is a %s: who is near is seen by an Area2D or Area3D only."
		warnings.append(words % area.get_class())
	if mind.config != null:
		_warn_of_config(mind.config, RAGMindConfigRules.broken(mind.config), warnings)
	return warnings


static func _of_memory(node: RAGMemory) -> PackedStringArray:
	var warnings := PackedStringArray()
	if node.npc_id.strip_edges() == "":
		warnings.append(_NO_NPC_ID)
	elif node.npc_id != node.npc_id.strip_edges():
		warnings.append("npc_id begins or ends with a space, which does not count.")
	_warn_of_twins(node, warnings)
	if node.config != null:
		_warn_of_config(node.config, RAGConfigRules.broken(node.config), warnings)
	return warnings


static func _warn_of_config(
	config: Resource, broken: PackedStringArray, warnings: PackedStringArray
) -> void:
	for sentence in broken:
		warnings.append("config: " + sentence)
	if _is_unsaved(config):
		warnings.append(
			"config: %s has changes that are not saved." % config.resource_path.get_file()
		)


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
		var id := other.npc_id.strip_edges()
		if other != node and id != "" and id.to_lower() == node.npc_id.strip_edges().to_lower():
			var words := "%s has the npc_id %s too, so the two share their memories."
			if id != node.npc_id.strip_edges():
				words = "%s has the npc_id %s, which looks the same, but is another NPC's."
			warnings.append(words % [root.get_path_to(other), JSON.stringify(id)])
			return


static func _is_unsaved(config: Resource) -> bool:
	var has_file := config.resource_path != "" and not config.resource_path.contains("::")
	return has_file and EditorInterface.is_object_edited(config)

extends RefCounted
## Finds the bystanders of a talk, and how much of it reaches each of them.

const RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")


## Returns the share of the words that reaches each bystander, by npc_id. `mind` knows who is near,
## or is null. The others: see [NPCDialogue].
static func of(
	node: Node,
	ids: PackedStringArray,
	group: StringName,
	mind: NPCMind,
	can_hear: Callable,
	context: Dictionary
) -> Dictionary:
	var all := ids.duplicate()
	if group and node.is_inside_tree():
		for member: Node in node.get_tree().get_nodes_in_group(group):
			var memory := RAGSentOptions.memory_of(member)
			if memory != null:
				all.append(memory.npc_id)
	if mind != null:
		all.append_array(mind.get_nearby())
	var shares := {}
	for id: String in all:
		if not can_hear.is_valid():
			shares[id] = 1.0
		elif not shares.has(id):
			var manner: String = context.get("manner", "say")
			var share: Variant = can_hear.call(context.get("speaker", "player"), id, manner)
			shares[id] = clampf(share as float, 0.0, 1.0) if share is float or share is int else 0.0
	return shares

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
			shares[id] = _share_of(share, id)
	return shares


static func _share_of(answer: Variant, id: String) -> float:
	if answer is bool:
		return 1.0 if answer else 0.0
	if answer is float or answer is int:
		return clampf(answer as float, 0.0, 1.0)
	var problem := "NPCDialogue.can_hear returned %s for %s, who hears nothing. Return 0.0 to 1.0."
	push_error(problem % [var_to_str(answer), id])
	return 0.0

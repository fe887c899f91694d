@tool
extends RefCounted
## Whose mind an [NPCMind] is, by the rules of the native class: its memory if it is set, or a
## [RAGMemory] that is its parent, its sibling or its child.


## Returns null when there is none in reach.
static func memory_of(mind: NPCMind) -> RAGMemory:
	if mind.memory != null:
		return mind.memory
	var parent := mind.get_parent()
	if parent is RAGMemory:
		return parent as RAGMemory
	var beside := _memory_below(parent)
	return beside if beside != null else _memory_below(mind)


## Returns the mind below [param root] that belongs to a memory, or null.
static func mind_of(memory: RAGMemory, root: Node) -> NPCMind:
	for node in root.find_children("*", "NPCMind", true, false):
		if memory_of(node as NPCMind) == memory:
			return node as NPCMind
	return null


static func _memory_below(node: Node) -> RAGMemory:
	if node != null:
		for child in node.get_children():
			if child is RAGMemory:
				return child as RAGMemory
	return null

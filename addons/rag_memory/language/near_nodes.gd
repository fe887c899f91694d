@tool
extends RefCounted
## The [RAGMemory] and the [NPCMind] that belong together, by the rules of the native class: a mind
## has the memory that it was given, else the one that is its parent, its sibling or its child.


## The memory of a mind; null when there is none in reach.
static func memory_of(mind: NPCMind) -> RAGMemory:
	return mind.memory if mind.memory != null else memory_near(mind)


## The memory that is the parent of a node, beside it or below it; null without one.
static func memory_near(node: Node) -> RAGMemory:
	var parent := node.get_parent()
	if parent is RAGMemory:
		return parent
	var near: Array[Node] = []
	if parent != null:
		near.append_array(parent.get_children())
	near.append_array(node.get_children())
	for candidate in near:
		if candidate is RAGMemory:
			return candidate
	return null


## The mind below [param root] that belongs to a memory, or null.
static func mind_of(memory: RAGMemory, root: Node) -> NPCMind:
	return _first_mind_of(memory, root.find_children("*", "NPCMind", true, false))


## The mind that finds a memory by itself: its child, beside it, or its parent. Null without one.
static func mind_near(memory: RAGMemory) -> NPCMind:
	if memory == null:
		return null
	var near: Array[Node] = memory.get_children()
	var parent := memory.get_parent()
	if parent != null:
		near.append_array(parent.get_children())
		near.append(parent)
	return _first_mind_of(memory, near)


static func _first_mind_of(memory: RAGMemory, nodes: Array[Node]) -> NPCMind:
	for node in nodes:
		if node is NPCMind and memory_of(node as NPCMind) == memory:
			return node
	return null

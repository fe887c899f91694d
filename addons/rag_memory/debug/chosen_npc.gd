extends RefCounted
## The NPC that the commands of MemoryDebugConsole are about, and the calls to its memory and mind.

const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")

const NOBODY := "No NPC of this scene has a RAGMemory."

## Null until an NPC is chosen or there is one in the scene.
var memory: RAGMemory
## [code]true[/code] if the last command failed.
var has_failed := false

var _tree: SceneTree
# The ids of the memories that # and a number stand for.
var _listed: Array[String] = []


func _init(tree: SceneTree) -> void:
	_tree = tree


## Every NPC with a memory in the scene.
func memories_in_scene() -> Array[RAGMemory]:
	var nodes: Array[RAGMemory] = []
	for node: Node in _tree.root.find_children("*", "RAGMemory", true, false):
		nodes.append(node as RAGMemory)
	return nodes


## The memory of an NPC in the scene, or null.
func memory_of(id: String) -> RAGMemory:
	for node in memories_in_scene():
		if node.npc_id == id:
			return node
	return null


## Chooses an NPC. Returns what to print.
func choose(id: String) -> String:
	var chosen := memory_of(id)
	if chosen == null:
		return fail("No NPC of this scene has the id %s. Try: npcs" % id)
	memory = chosen
	_listed.clear()
	return "The memory of %s." % id


## Chooses the first NPC of the scene when none is chosen. Returns whether one is chosen now.
func choose_any() -> bool:
	if not is_instance_valid(memory):
		var nodes := memories_in_scene()
		memory = nodes[0] if not nodes.is_empty() else null
	return memory != null


## Notes that the command failed. Returns the reason.
func fail(reason: String) -> String:
	has_failed = true
	return reason


## The result of a call to the memory, which may be freed with its scene meanwhile; then a reason.
func ask_memory(method: StringName, arguments: Array = []) -> Variant:
	if not is_instance_valid(memory):
		return fail(NOBODY)
	var answer: Variant = await ask(memory, method, arguments)
	if not is_instance_valid(memory):
		return fail("The NPC was freed before it answered. Try: npcs")
	return answer


## The result of a call to the NPC's mind, or why there is none.
func ask_mind(method: StringName, arguments: Array = []) -> Variant:
	if not is_instance_valid(memory):
		return fail(NOBODY)
	var mind := RAGNearNodes.mind_of(memory, _tree.root)
	if mind == null:
		return fail("%s has no NPCMind." % memory.npc_id)
	return await ask(mind, method, arguments)


## The result of a call that does not make the game wait; when it failed, the reason.
func ask(object: Object, method: StringName, arguments: Array = []) -> Variant:
	var request: MemoryRequest = object.callv(method + "_async", arguments)
	await request.completed
	return fail(request.get_error()) if request.get_error() else request.get_result()


## Has # and a number stand for these memories.
func list(ids: Array) -> void:
	_listed.assign(ids)


## The id of a memory that was typed as one, or as # and a number.
func id_of(which: String) -> String:
	var digits := which.trim_prefix("#")
	if not which.begins_with("#") or not digits.is_valid_int():
		return which
	var number := digits.to_int()
	return _listed[number - 1] if number >= 1 and number <= _listed.size() else which

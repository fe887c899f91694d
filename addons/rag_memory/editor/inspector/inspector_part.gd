@tool
extends RefCounted
## Puts the panels into the inspector and keeps the Scene dock's warnings up to date, until it is
## removed.

const MemoryInspector := preload("res://addons/rag_memory/editor/inspector/memory_inspector.gd")
const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGNodeMind := preload("res://addons/rag_memory/editor/inspector/node_mind.gd")

var _plugin: EditorPlugin
var _inspector: MemoryInspector
var _node_memory: RAGNodeMemory
var _node_mind: RAGNodeMind


func add(plugin: EditorPlugin, open_browser: Callable, clock: RAGSaveClock) -> void:
	_plugin = plugin
	_node_memory = RAGNodeMemory.new()
	_node_memory.clock = clock
	plugin.add_child(_node_memory)
	_node_mind = RAGNodeMind.new()
	plugin.add_child(_node_mind)
	_inspector = MemoryInspector.new()
	_inspector.node_memory = _node_memory
	_inspector.node_mind = _node_mind
	_inspector.open_browser = open_browser
	plugin.add_inspector_plugin(_inspector)
	plugin.get_undo_redo().version_changed.connect(_update_warnings)


func remove() -> void:
	_plugin.get_undo_redo().version_changed.disconnect(_update_warnings)
	_plugin.remove_inspector_plugin(_inspector)
	_node_memory.release()
	_node_memory.queue_free()
	_node_mind.queue_free()
	_inspector = null
	_node_memory = null
	_node_mind = null
	_plugin = null


## Closes the save that is open, so that a game can open it.
func release() -> void:
	_node_memory.release()


# The warning of one node depends on others, and on its config: after an edit all are asked again.
func _update_warnings() -> void:
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		return
	for kind: String in ["RAGMemory", "NPCMind"]:
		for node in root.find_children("*", kind, true, false):
			node.update_configuration_warnings()
	if root is RAGMemory or root is NPCMind:
		root.update_configuration_warnings()

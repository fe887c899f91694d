@tool
extends Node
## The panels of RAG Memory in the editor. The plugin adds this node once the native classes are
## there, and all of them are gone with it.

const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const MemoryInspector := preload("res://addons/rag_memory/editor/inspector/memory_inspector.gd")
const RAGBottomDock := preload("res://addons/rag_memory/editor/bottom_dock.gd")
const RAGHelpPages := preload("res://addons/rag_memory/editor/help_pages.gd")
const RAGLiveDebugger := preload("res://addons/rag_memory/editor/live/live_debugger.gd")
const RAGLorePanel := preload("res://addons/rag_memory/editor/lore/lore_panel.gd")
const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const RAGNewNPC := preload("res://addons/rag_memory/editor/new_npc.gd")
const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const RAGSaveHandover := preload("res://addons/rag_memory/editor/save_handover.gd")
const _BROWSER := preload("res://addons/rag_memory/editor/browser/memory_browser.tscn")
const _LORE := preload("res://addons/rag_memory/editor/lore/lore_panel.tscn")

var _plugin: EditorPlugin
var _node_memory := RAGNodeMemory.new()
var _inspector := MemoryInspector.new()
var _debugger := RAGLiveDebugger.new()
var _browser: MemoryBrowser
var _browser_dock := RAGBottomDock.new()
var _lore_dock := RAGBottomDock.new()
var _handover := RAGSaveHandover.new()


func _enter_tree() -> void:
	_plugin = get_parent()
	_node_memory.clock = RAGSaveClock.new()
	for node: Node in [RAGHelpPages.new(), _node_memory.clock, _node_memory, _handover]:
		add_child(node)
	_inspector.node_memory = _node_memory
	_inspector.open_browser = open_browser
	_plugin.add_inspector_plugin(_inspector)
	_plugin.get_undo_redo().version_changed.connect(_update_warnings)
	_plugin.add_debugger_plugin(_debugger)
	_browser = _BROWSER.instantiate()
	_browser.undo_redo = _plugin.get_undo_redo()
	_browser.session.clock = _node_memory.clock
	_browser.selected_npc = _selected_npc
	_browser_dock.add(_plugin, _browser, "Memories", "rag_memory_browser")
	var lore: RAGLorePanel = _LORE.instantiate()
	lore.file_import.undo_redo = _plugin.get_undo_redo()
	_lore_dock.add(_plugin, lore, "Lore", "rag_memory_lore")
	# A file goes where it belongs, wherever it was dropped.
	lore.file_import.memories_found.connect(_bring_into_save)
	_browser.import_window.lore_found.connect(
		func(path: String) -> void:
			_lore_dock.show()
			lore.file_import.take([path])
	)
	_plugin.add_tool_menu_item(RAGNewNPC.ITEM, RAGNewNPC.make)
	_handover.wanted.connect(_release)
	_handover.given_back.connect(_browser.take_back)


func _exit_tree() -> void:
	_release()
	_plugin.get_undo_redo().version_changed.disconnect(_update_warnings)
	_plugin.remove_inspector_plugin(_inspector)
	_debugger.remove_tabs()
	_plugin.remove_debugger_plugin(_debugger)
	_browser_dock.remove()
	_lore_dock.remove()
	_plugin.remove_tool_menu_item(RAGNewNPC.ITEM)


## Shows the memory browser, with the memories of an NPC when one is named.
func open_browser(npc_id := "") -> void:
	_browser_dock.show()
	_browser.show_npc(npc_id)


## Closes the save that is open here for the game that is about to be played.
func lend() -> void:
	_handover.lend()
	_release()


# The NPC of the node that is selected in the edited scene: of the node itself, or the first below.
func _selected_npc() -> String:
	for node in EditorInterface.get_selection().get_selected_nodes():
		var memory := node as RAGMemory
		if node is NPCMind:
			memory = RAGNearNodes.memory_of(node as NPCMind)
		if memory == null:
			memory = RAGNearNodes.memory_near(node)
		if memory == null:
			memory = node.find_children("*", "RAGMemory", true, false).pop_front() as RAGMemory
		if memory != null:
			return memory.npc_id
	return ""


func _bring_into_save(path: String) -> void:
	open_browser()
	_browser.import_window.open(path, _browser.npc_list.npc_id)


func _release() -> void:
	_browser.release()
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

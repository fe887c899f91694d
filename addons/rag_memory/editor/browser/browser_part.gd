@tool
extends RefCounted
## Puts the memory browser into the editor and takes it away again.

const RAGBottomDock := preload("res://addons/rag_memory/editor/bottom_dock.gd")
const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const SCENE := "res://addons/rag_memory/editor/browser/memory_browser.tscn"
const TITLE := "Memories"

var _browser: MemoryBrowser
var _dock := RAGBottomDock.new()


func add(plugin: EditorPlugin, clock: RAGSaveClock) -> void:
	_browser = (load(SCENE) as PackedScene).instantiate()
	_browser.undo_redo = plugin.get_undo_redo()
	_browser.session.clock = clock
	_dock.add(plugin, _browser, TITLE, "rag_memory_browser")


func remove() -> void:
	_browser.release()
	_dock.remove()
	_browser = null


## Closes the save that the browser has open, so that a game can open it.
func release() -> void:
	_browser.release()


## Opens a save again that was closed for a game.
func take_back(save_id: String) -> void:
	_browser.take_back(save_id)


## Shows the browser, with the memories of an NPC when one is named and its save is open.
func open(npc_id := "") -> void:
	_dock.show()
	_browser.show_npc(npc_id)

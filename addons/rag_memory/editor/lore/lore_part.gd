@tool
extends RefCounted
## Puts the lore of the project into the editor and takes it away again.

const RAGBottomDock := preload("res://addons/rag_memory/editor/bottom_dock.gd")
const SCENE := "res://addons/rag_memory/editor/lore/lore_panel.tscn"
const TITLE := "Lore"

var _dock := RAGBottomDock.new()


func add(plugin: EditorPlugin) -> void:
	var panel: Control = (load(SCENE) as PackedScene).instantiate()
	_dock.add(plugin, panel, TITLE, "rag_memory_lore")


func remove() -> void:
	_dock.remove()

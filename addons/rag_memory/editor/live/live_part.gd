@tool
extends RefCounted
## Puts the tab of the running game into the Debugger panel and takes it away again.

const RAGLiveDebugger := preload("res://addons/rag_memory/editor/live/live_debugger.gd")

var _plugin: EditorPlugin
var _debugger: RAGLiveDebugger


func add(plugin: EditorPlugin) -> void:
	_plugin = plugin
	_debugger = RAGLiveDebugger.new()
	plugin.add_debugger_plugin(_debugger)


func remove() -> void:
	_debugger.remove_tabs()
	_plugin.remove_debugger_plugin(_debugger)
	_debugger = null
	_plugin = null

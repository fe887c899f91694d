@tool
extends RefCounted
## Puts the tab of the running game into the Debugger panel and takes it away again.

const LiveDebugger := preload("res://addons/rag_memory/editor/live/live_debugger.gd")

var _plugin: EditorPlugin
var _debugger: LiveDebugger


func add(plugin: EditorPlugin) -> void:
	_plugin = plugin
	_debugger = LiveDebugger.new()
	plugin.add_debugger_plugin(_debugger)


func remove() -> void:
	_debugger.remove_tabs()
	_plugin.remove_debugger_plugin(_debugger)
	_debugger = null
	_plugin = null

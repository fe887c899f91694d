@tool
extends EditorPlugin
## Adds the panels of RAG Memory to the editor. Everything is added when the plugin is enabled and
## gone when it is disabled. Python never starts here: only when a memory view is asked for
## something.
##
## This script names none of the addon's native classes, because they are missing where the library
## is: editor_panels.gd does, and is loaded once the classes are there.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const RAGNameClashWatcher := preload("res://addons/rag_memory/editor/name_clash_watcher.gd")
const RAGPlatforms := preload("res://addons/rag_memory/editor/platforms.gd")
const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")
const RAGExportPlugin := preload("res://addons/rag_memory/editor/export_plugin.gd")
const _PANELS := "res://addons/rag_memory/editor/editor_panels.gd"
# A script that tests whether scripts take the name for the singleton or still for the class.
const _PROBE := """extends RefCounted
func is_known() -> bool:
	var named: Variant = MemoryServer
	return named == Engine.get_singleton(&"MemoryServer")
"""

var _export_plugin := RAGExportPlugin.new()
var _name_clashes := RAGNameClashWatcher.new()
# Null as long as the native classes are missing.
var _panels: Node


func _enter_tree() -> void:
	RAGSettings.add()
	add_export_plugin(_export_plugin)
	_name_clashes.changed.connect(set_process.bind(true))
	add_child(_name_clashes)
	if _can_add_panels():
		_add_panels()
	else:
		_explain_missing_library.call_deferred()


# The first scan of a project finds the library in the frame in which the plugin is enabled, and a
# folder that is copied while the editor runs, after it. Names that clash are looked at when they
# change.
func _process(_delta: float) -> void:
	if _panels == null and _can_add_panels():
		_add_panels()
	if _panels != null or _name_clashes.is_native_class_hidden():
		set_process(false)


func _exit_tree() -> void:
	remove_export_plugin(_export_plugin)
	RAGSettings.remove()


# Before the project is played: the game may want the save that is open here.
func _build() -> bool:
	if _panels != null:
		_panels.call(&"lend")
	return true


func _add_panels() -> void:
	_panels = (load(_PANELS) as GDScript).new()
	add_child(_panels)


func _can_add_panels() -> bool:
	return not _name_clashes.is_native_class_hidden() and _is_library_ready()


func _is_library_ready() -> bool:
	if not ClassDB.class_exists(&"RAGMemory"):
		return false
	var probe := GDScript.new()
	probe.source_code = _PROBE
	return probe.reload() == OK and (probe.new() as RefCounted).call(&"is_known")


func _explain_missing_library() -> void:
	if ClassDB.class_exists(&"RAGMemory") or not is_inside_tree():
		return
	push_warning(RAGPlatforms.new(RAGExtensionFile.new()).explanation_here())

@tool
extends EditorPlugin
## Adds the panels of RAG Memory to the editor. Everything is added when the plugin is enabled and
## gone when it is disabled. Python never starts here: only when a memory view is asked for
## something.
##
## This script names none of the addon's native classes, because they are missing where the library
## is: the scripts of the parts do, and are loaded once the classes are there.

const RAGExtensionFile := preload("res://addons/rag_memory/editor/extension_file.gd")
const RAGHelpPages := preload("res://addons/rag_memory/editor/help_pages.gd")
const RAGNameClashWatcher := preload("res://addons/rag_memory/editor/name_clash_watcher.gd")
const RAGPlatforms := preload("res://addons/rag_memory/editor/platforms.gd")
const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")
const RAGExportPlugin := preload("res://addons/rag_memory/editor/export_plugin.gd")
const _INSPECTOR := "res://addons/rag_memory/editor/inspector/inspector_part.gd"
const _LIVE := "res://addons/rag_memory/editor/live/live_part.gd"
const _CLOCK := "res://addons/rag_memory/editor/save_clock.gd"
const _HANDOVER := "res://addons/rag_memory/editor/save_handover.gd"
const _LORE := "res://addons/rag_memory/editor/lore/lore_part.gd"
const _BROWSER := "res://addons/rag_memory/editor/browser/browser_part.gd"
# A script that tests whether scripts take the name for the singleton or still for the class.
const _PROBE := """extends RefCounted
func is_known() -> bool:
	var named: Variant = MemoryServer
	return named == Engine.get_singleton(&"MemoryServer")
"""

var _export_plugin: RAGExportPlugin
var _has_parts := false
var _name_clashes: RAGNameClashWatcher
var _help_pages: RAGHelpPages
var _inspector: RefCounted
var _live: RefCounted
var _browser: RefCounted
var _lore: RefCounted
var _clock: Node
var _handover: Node


func _enter_tree() -> void:
	RAGSettings.add()
	_export_plugin = RAGExportPlugin.new()
	add_export_plugin(_export_plugin)
	_name_clashes = RAGNameClashWatcher.new()
	_name_clashes.changed.connect(set_process.bind(true))
	add_child(_name_clashes)
	if _can_add_parts():
		_add_parts()
	else:
		_explain_missing_library.call_deferred()


# The first scan of a project finds the library in the frame in which the plugin is enabled, and a
# folder that is copied while the editor runs, after it. Names that clash are looked at when they
# change.
func _process(_delta: float) -> void:
	if not _has_parts and _can_add_parts():
		_add_parts()
	if _has_parts or _name_clashes.is_native_class_hidden():
		set_process(false)


func _exit_tree() -> void:
	if _has_parts:
		_remove_parts()
	remove_export_plugin(_export_plugin)
	_export_plugin = null
	_name_clashes.queue_free()
	_name_clashes = null
	RAGSettings.remove()


# Before the project is played: the game may want the save that is open here.
func _build() -> bool:
	if _has_parts:
		_handover.call(&"lend")
		_release()
	return true


## Shows the memory browser, with the memories of an NPC when one is named.
func open_browser(npc_id := "") -> void:
	if _has_parts:
		_browser.call(&"open", npc_id)


func _add_parts() -> void:
	_has_parts = true
	_help_pages = RAGHelpPages.new()
	add_child(_help_pages)
	_clock = (load(_CLOCK) as GDScript).new()
	add_child(_clock)
	_inspector = (load(_INSPECTOR) as GDScript).new()
	_inspector.call(&"add", self, open_browser, _clock)
	_live = (load(_LIVE) as GDScript).new()
	_live.call(&"add", self)
	_browser = (load(_BROWSER) as GDScript).new()
	_browser.call(&"add", self, _clock)
	_lore = (load(_LORE) as GDScript).new()
	_lore.call(&"add", self)
	_handover = (load(_HANDOVER) as GDScript).new()
	_handover.connect(&"wanted", _release)
	_handover.connect(&"given_back", _browser.take_back)
	add_child(_handover)


func _release() -> void:
	_browser.call(&"release")
	_inspector.call(&"release")


func _remove_parts() -> void:
	_has_parts = false
	_handover.queue_free()
	_handover = null
	_help_pages.queue_free()
	_help_pages = null
	_live.call(&"remove")
	_live = null
	_inspector.call(&"remove")
	_inspector = null
	_browser.call(&"remove")
	_browser = null
	_lore.call(&"remove")
	_lore = null
	_clock.queue_free()
	_clock = null


func _can_add_parts() -> bool:
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

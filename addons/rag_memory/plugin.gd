@tool
extends EditorPlugin
## What RAG Memory adds to the editor. Everything is added when the plugin is enabled and gone when
## it is disabled. Python never starts here: only when a memory view is asked for something.
##
## This script names none of the addon's native classes, because they are missing where the library
## is: the scripts of the parts do, and are loaded once the classes are there.

const HelpPages := preload("res://addons/rag_memory/editor/help_pages.gd")
const Settings := preload("res://addons/rag_memory/editor/settings.gd")
const ExportPlugin := preload("res://addons/rag_memory/editor/export_plugin.gd")
const _INSPECTOR := "res://addons/rag_memory/editor/inspector/inspector_part.gd"
const _LIVE := "res://addons/rag_memory/editor/live/live_part.gd"
const _BROWSER := "res://addons/rag_memory/editor/browser/browser_part.gd"
const _SECONDS_UNTIL_SINGLETONS_ARE_KNOWN := 0.5

var _export_plugin: ExportPlugin
var _has_parts := false
var _help_pages: HelpPages
var _inspector: RefCounted
var _live: RefCounted
var _browser: RefCounted


func _enter_tree() -> void:
	Settings.add()
	_export_plugin = ExportPlugin.new()
	add_export_plugin(_export_plugin)
	if ClassDB.class_exists(&"RAGMemory"):
		_add_parts()
		return
	GDExtensionManager.extension_loaded.connect(_on_extension_loaded)
	_explain_missing_library.call_deferred()


func _exit_tree() -> void:
	if GDExtensionManager.extension_loaded.is_connected(_on_extension_loaded):
		GDExtensionManager.extension_loaded.disconnect(_on_extension_loaded)
	if _has_parts:
		_remove_parts()
	remove_export_plugin(_export_plugin)
	_export_plugin = null
	Settings.remove()


# Before the project is played: the game may want the save that is open here.
func _build() -> bool:
	if _has_parts:
		_browser.call(&"release")
		_inspector.call(&"release")
	return true


## Shows the memory browser, with the memories of an NPC when one is named.
func open_browser(npc_id := "") -> void:
	if _has_parts:
		_browser.call(&"open", npc_id)


func _add_parts() -> void:
	_has_parts = true
	_help_pages = HelpPages.new()
	add_child(_help_pages)
	_inspector = (load(_INSPECTOR) as GDScript).new()
	_inspector.call(&"add", self, open_browser)
	_live = (load(_LIVE) as GDScript).new()
	_live.call(&"add", self)
	_browser = (load(_BROWSER) as GDScript).new()
	_browser.call(&"add", self)


func _remove_parts() -> void:
	_has_parts = false
	_help_pages.queue_free()
	_help_pages = null
	_live.call(&"remove")
	_live = null
	_inspector.call(&"remove")
	_inspector = null
	_browser.call(&"remove")
	_browser = null


# The folder may have been copied while the editor runs: then the library is found after the plugin.
# GDScript does not know the singleton yet in that frame, and would read its name as the class.
func _on_extension_loaded(_extension: GDExtension) -> void:
	if not _has_parts and ClassDB.class_exists(&"RAGMemory"):
		get_tree().create_timer(_SECONDS_UNTIL_SINGLETONS_ARE_KNOWN).timeout.connect(
			_add_parts_late
		)


func _add_parts_late() -> void:
	if is_inside_tree() and not _has_parts:
		_add_parts()


func _explain_missing_library() -> void:
	if ClassDB.class_exists(&"RAGMemory") or not is_inside_tree():
		return
	var platform := "%s %s" % [OS.get_name(), Engine.get_architecture_name()]
	push_warning(
		(
			(
				"RAG Memory: there is no native library for %s, so its classes and panels are missing. "
				% platform
			)
			+ "Copy an addons/rag_memory/ that was built for this platform and restart the editor."
		)
	)

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

var _export_plugin: ExportPlugin
var _has_parts := false
var _help_pages: HelpPages


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


func _add_parts() -> void:
	_has_parts = true
	_help_pages = HelpPages.new()
	add_child(_help_pages)


func _remove_parts() -> void:
	_has_parts = false
	_help_pages.queue_free()
	_help_pages = null


# The folder may have been copied while the editor runs: then the library is found after the plugin.
func _on_extension_loaded(_extension: GDExtension) -> void:
	if not _has_parts and ClassDB.class_exists(&"RAGMemory"):
		_add_parts()


func _explain_missing_library() -> void:
	if _has_parts or not is_inside_tree():
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

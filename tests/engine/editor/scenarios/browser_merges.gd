@tool
# Looks at what merging old memories would do, does it, and takes it back with the editor's undo.
extends "res://tests/engine/editor/scenarios/browser_edits.gd"

const RAGMemoryMenu := preload("res://addons/rag_memory/editor/browser/memory_menu.gd")


func play() -> void:
	find_browser()
	make_visible()
	await open_save("slot_1")
	await choose_npc("Bjorn")
	await open_merge()
	var preview := browser.preview
	say("nothing", [preview.dialog_text, preview.summaries.visible, is_refused()])
	preview.hide()
	await choose_npc("elena")
	say("rows", rows())
	await open_merge()
	say("preview", [preview.dialog_text, is_refused(), preview.ok_button_text, listed()])
	say("unchanged", shown_texts().size())
	preview.hide()
	await edit("merge", merge)
	redo()
	await settled()
	say("merged", shown_texts())
	await open_merge()
	say("nothing_left", preview.dialog_text)


func open_merge() -> void:
	browser._on_menu_item(RAGMemoryMenu.RAGItem.MERGE)
	await until(func() -> bool: return browser.preview.visible)
	await frames(5)


func merge() -> void:
	await open_merge()
	browser.preview.get_ok_button().pressed.emit()


func is_refused() -> bool:
	return browser.preview.get_ok_button().disabled


func rows() -> Array:
	var texts := []
	for item in browser.table.get_root().get_children():
		if item.visible:
			texts.append(item.get_text(browser.table.columns - 1))
	return texts


# The heading, and each summary with its sources.
func listed() -> Array:
	var root := browser.preview.summaries.get_root()
	var groups := []
	for summary in root.get_children():
		var sources := summary.get_children()
		var texts := sources.map(func(source: TreeItem) -> String: return source.get_text(0))
		groups.append([summary.get_text(0), texts])
	return [root.get_text(0), groups]

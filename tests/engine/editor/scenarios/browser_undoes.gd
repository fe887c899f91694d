@tool
# Undoes the exchange that a memory comes from.
extends "res://tests/engine/editor/scenarios/browser_shows.gd"

const RAGMemoryMenu := preload("res://addons/rag_memory/editor/browser/memory_menu.gd")


func play() -> void:
	find_browser()
	make_visible()
	await frames(5)
	await open_save("slot_1")
	await choose_npc("elena")
	browser.table.choose(0)
	await settled()
	say("before", shown_texts())
	say("rest", browser.details.get_node("%Rest").text)
	browser._on_menu_item(RAGMemoryMenu.RAGItem.UNDO_EXCHANGE)
	await until(func() -> bool: return browser.preview.visible)
	say("question", browser.preview.dialog_text)
	await frames(5)
	browser.preview.get_ok_button().pressed.emit()
	await until(func() -> bool: return shown_texts().size() == 6)
	say("after", shown_texts())

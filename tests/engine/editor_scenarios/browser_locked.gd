@tool
# Opens a save that a game has open, and lets go of one when a game is about to start.
extends "res://tests/engine/editor_scenarios/memory_browser_scenario.gd"


func play() -> void:
	find_browser()
	make_visible()
	browser.save_bar.saves.select(0)
	browser.save_bar.open_button.pressed.emit()
	await settled()
	say("locked", [browser.session.save_id, browser.save_bar.message.text])
	await open_save("slot_1")
	await choose_npc("elena")
	say("open", MemoryServer.current_save())
	for plugin: Node in EditorInterface.get_base_control().get_tree().root.find_children(
		"*", "EditorPlugin", true, false
	):
		if plugin.has_method(&"_add_parts"):
			say("builds", plugin.call(&"_build"))
	say("released", MemoryServer.current_save())
	await frames(3)
	say("advice", browser.table.empty_text)
	say("button", browser.save_bar.open_button.text)

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
	await MemoryServer.open_save_async("slot_1").completed
	open_from_elsewhere("elena")
	await settled()
	say("open", [browser.session.save_id, browser.npc_list.npc_id, browser.pages.total])
	for plugin: Node in EditorInterface.get_base_control().get_tree().root.find_children(
		"*", "EditorPlugin", true, false
	):
		if plugin.has_method(&"_add_parts"):
			say("builds", plugin.call(&"_build"))
	say("released", MemoryServer.current_save())
	await frames(3)
	say("advice", browser.table.empty_text)
	say("button", browser.save_bar.open_button.text)


# As the button of the inspector's panel does.
func open_from_elsewhere(npc_id: String) -> void:
	for plugin: Node in get_tree().root.find_children("*", "EditorPlugin", true, false):
		if plugin.has_method(&"open_browser"):
			plugin.call(&"open_browser", npc_id)

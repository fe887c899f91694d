@tool
# Opens a save that a game has open, and lets go of one when a game is about to start.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

const NodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")


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
	say("builds", find_plugin().call(&"_build"))
	say("released", MemoryServer.current_save())
	await frames(3)
	say("advice", browser.table.empty_text)
	say("button", browser.save_bar.open_button.text)
	await play_while_opening_in_the_browser()
	await play_while_opening_in_the_inspector()


func play_while_opening_in_the_browser() -> void:
	press_open("slot_1")
	find_plugin().call(&"_build")
	say("open_while_opening", MemoryServer.health().has("save"))
	await settled()
	say("late", [browser.session.save_id, browser.save_bar.message.is_visible_in_tree()])
	say("late_advice", browser.table.empty_text)


func play_while_opening_in_the_inspector() -> void:
	var node_memory: NodeMemory = find_plugin().get(&"_inspector").get(&"_node_memory")
	var told: Array[String] = []
	node_memory.opened.connect(func(problem: String) -> void: told.append(problem))
	node_memory.open("slot_1")
	find_plugin().call(&"_build")
	say("open_while_opening", MemoryServer.health().has("save"))
	await frames(10)
	say("told", told)


func find_plugin() -> Node:
	for plugin: Node in get_tree().root.find_children("*", "EditorPlugin", true, false):
		if plugin.has_method(&"_add_parts"):
			return plugin
	return null


# As the button of the inspector's panel does.
func open_from_elsewhere(npc_id: String) -> void:
	find_plugin().call(&"open_browser", npc_id)

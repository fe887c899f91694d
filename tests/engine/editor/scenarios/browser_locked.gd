@tool
# Opens a save that a game has open, and lets go of one when a game is about to start.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

const SavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
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
	await play_from_here()
	await play_elsewhere()
	await play_while_opening_in_the_browser()
	await play_while_opening_in_the_inspector()


func play_from_here() -> void:
	EditorInterface.play_custom_scene("res://played.tscn")
	await until(func() -> bool: return has_game())
	say("released", [MemoryServer.current_save(), browser.save_bar.open_button.text])
	say("advice", browser.table.empty_text)
	press_open("slot_1")
	await settled()
	say("played", [browser.session.save_id, browser.save_bar.message.text])
	await until(func() -> bool: return FileAccess.file_exists("user://was_played"))
	EditorInterface.stop_playing_scene()
	await until(func() -> bool: return browser.session.save_id == "slot_1")
	await settled()
	say("given_back", [browser.npc_list.npc_id, browser.pages.total])


# The editor does not know of this game, which asks for the save.
func play_elsewhere() -> void:
	var options := ["--headless", "--path", ProjectSettings.globalize_path("res://")]
	var process := OS.create_process(OS.get_executable_path(), options + ["res://played.tscn"])
	await until(func() -> bool: return has_game())
	await until(func() -> bool: return browser.session.save_id == "")
	await settled()
	say("wanted", [browser.table.empty_text, FileAccess.file_exists(wanted())])
	await get_tree().create_timer(1.0).timeout
	say("left_to_it", browser.session.save_id)
	OS.kill(process)
	FileAccess.open(wanted(), FileAccess.WRITE).close()  # as a game that was killed while it asked
	await open_save("slot_1")
	await get_tree().create_timer(1.0).timeout
	say("open_again", [browser.session.save_id, browser.npc_list.npc_id, browser.pages.total])
	browser.session.release()
	await settled()


func has_game() -> bool:
	var lock := SavesFolder.path() + "/slot_1.sqlite3.lock"
	return FileAccess.get_file_as_string(lock).begins_with("game ")


func wanted() -> String:
	return SavesFolder.wanted_of("slot_1")


func play_while_opening_in_the_browser() -> void:
	press_open("slot_1")
	find_plugin().call(&"_build")
	say("open_while_opening", MemoryServer.health().has("save"))
	await settled()
	say("late", [browser.session.save_id, browser.save_bar.message.is_visible_in_tree()])
	say("late_advice", browser.table.empty_text)


func play_while_opening_in_the_inspector() -> void:
	var node_memory: NodeMemory = find_plugin().get(&"_panels").get(&"_node_memory")
	var told: Array[String] = []
	node_memory.opened.connect(func(problem: String) -> void: told.append(problem))
	node_memory.open("slot_1")
	find_plugin().call(&"_build")
	say("open_while_opening", MemoryServer.health().has("save"))
	await frames(10)
	say("told", told)


func find_plugin() -> Node:
	for plugin: Node in get_tree().root.find_children("*", "EditorPlugin", true, false):
		if plugin.has_method(&"_add_panels"):
			return plugin
	return null


# As the button of the inspector's panel does.
func open_from_elsewhere(npc_id: String) -> void:
	find_plugin().get(&"_panels").call(&"open_browser", npc_id)

@tool
# Writes memories to files and reads them; takes, compares and restores snapshots.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

const DroppedFiles := preload("res://addons/rag_memory/editor/dropped_files.gd")


func play() -> void:
	find_browser()
	make_visible()
	await open_save("slot_1")
	await choose_npc("elena")
	var exchange := browser.save_bar.exchange
	for ending: String in ["json", "csv"]:
		await exchange.export_to(arguments[0].path_join("elena." + ending))
		say("said", browser.save_bar.message.text)
	await choose_npc("Bjorn")
	await exchange.import_from(arguments[0].path_join("broken.csv"))
	await exchange.import_from(arguments[0].path_join("missing.csv"))
	await exchange.import_from(arguments[0].path_join("empty.csv"))
	await settled()
	say("unchanged", browser.pages.total)
	await exchange.import_from(arguments[0].path_join("elena.csv"))
	await settled()
	say("imported", [browser.save_bar.message.text, browser.pages.total])
	await use_snapshots()
	browser.save_bar.saves.select(0)
	browser.save_bar.saves.item_selected.emit(0)
	browser.save_bar.open_button.pressed.emit()
	await until(func() -> bool: return browser.session.save_id == "empty")
	await settled()
	say("nobody", browser.npc_list.get_root().get_child(0).get_text(0))
	await exchange.import_from(arguments[0].path_join("elena.json"))
	await settled()
	say("new_npc", [browser.npc_list.npc_id, browser.pages.total])
	await import_a_table()


# Dropped from outside the editor; the guess is changed before it is imported.
func import_a_table() -> void:
	var window := browser.import_window
	var middle := browser.get_global_rect().get_center()
	var outside := PackedStringArray([arguments[0].path_join("notes.csv")])
	say("from_outside", drop_at_the_corner(outside))
	say("elsewhere", window.visible)
	browser.dropped.take_from_outside(outside, Vector2(-9.0, -9.0))
	browser.dropped.take_from_outside(outside, middle)
	await until(func() -> bool: return window.visible)
	say("guess", choices(window))
	say("asks_for_names", [window.npc.visible, window.character.visible, window.player.visible])
	say("preview", window.preview_text())
	say_unexplained(window)
	var colour: OptionButton = window.grid.get_child(3)
	colour.item_selected.emit(window._KEYS.find("emotion"))
	await until(func() -> bool: return not "Colour" in window.preview_text())
	say("chosen", choices(window))
	window.get_ok_button().pressed.emit()
	await until(func() -> bool: return browser.npc_list.npc_id == "mira")
	await settled()
	say("brought", [shown_texts(), browser.pages.row(0).metadata.emotion])
	var manager := EditorInterface.get_editor_undo_redo()
	var history := manager.get_history_undo_redo(EditorUndoRedoManager.GLOBAL_HISTORY)
	for step: StringName in [&"undo", &"redo", &"undo"]:
		history.call(step)
		await settled()
		say("undone", await browser.session.ask("ulf", &"get_memory_count"))
	await exchange_opens_broken_table()


# As the window tells of it: without a screen the pointer is always at the corner of the editor.
func drop_at_the_corner(paths: PackedStringArray) -> Array:
	var corner := DroppedFiles.new()
	var taken := []
	browser.add_child(corner)
	corner.watch(EditorInterface.get_base_control(), [])
	corner.dropped.connect(func(files: PackedStringArray) -> void: taken.append_array(files))
	browser.get_window().files_dropped.emit(paths)
	corner.free()
	return taken


func exchange_opens_broken_table() -> void:
	var window := browser.import_window
	window.hide()
	await browser.save_bar.exchange.import_from(arguments[0].path_join("twice.csv"))
	await until(func() -> bool: return window.visible)
	say("broken", [window.preview_text(), window.get_ok_button().disabled])
	window.hide()
	var card := PackedStringArray([arguments[0].path_join("sera.json")])
	browser.dropped.take_from_outside(card, browser.get_global_rect().get_center())
	var panel := EditorInterface.get_base_control().find_children("LorePanel", "", true, false)[0]
	var importer: ConfirmationDialog = panel.get("file_import")
	await until(func() -> bool: return importer.visible)
	say("card", importer.call(&"preview_text"))
	importer.hide()


func choices(window: ConfirmationDialog) -> Array:
	var texts := []
	for cell: Node in (window.get("grid") as GridContainer).get_children():
		texts.append(cell.get("text"))
	return texts


func use_snapshots() -> void:
	var window := browser.save_bar.snapshots
	await window.open()
	say("slots", slots())
	window.slot_name.text = "evening"
	await window.take()
	say("slots", slots())
	await compare(["before_import"])
	await compare(["before_import", "evening"])
	choose(["before_import"])
	await window.restore()
	await settled()
	say("restored", [browser.save_bar.message.text, browser.pages.total])
	say("slots", slots())
	await compare(["before_restore"])
	choose(["before_restore"])
	await window.restore()
	await settled()
	say("restored_back", browser.pages.total)
	say("kept", [await browser.session.keep("kept"), await browser.session.keep("kept")])
	await window.refresh()
	say("slots", slots())
	say("hint", (window.get_node("%Hint") as Label).text)
	say_unexplained(window)
	window.hide()


func slots() -> Array:
	var list := browser.save_bar.snapshots.slots
	return range(list.item_count).map(func(index: int) -> String: return list.get_item_text(index))


# The first whose name begins so.
func choose(names: Array) -> void:
	var list := browser.save_bar.snapshots.slots
	list.deselect_all()
	for name: String in names:
		for index in list.item_count:
			if list.get_item_text(index).begins_with(name):
				list.select(index, false)
				break


func compare(names: Array) -> void:
	choose(names)
	await browser.save_bar.snapshots.compare()
	var root := browser.save_bar.snapshots.result.get_root()
	var npcs := {}
	for item in root.get_children():
		npcs[item.get_text(0)] = [item.get_text(1), item.get_child_count()]
	say("compared", [root.get_text(0), root.get_text(1), npcs])

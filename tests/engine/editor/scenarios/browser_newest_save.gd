@tool
# Which save the list shows: the newest, or the one that was chosen.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

const SavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")


func play() -> void:
	find_browser()
	var bar := browser.save_bar
	bar.refresh()
	say("chosen", bar.chosen_save())
	DirAccess.remove_absolute(SavesFolder.path() + "/slot_2.sqlite3-wal")
	bar.refresh()
	say("chosen", bar.chosen_save())
	for index in bar.saves.item_count:
		if bar.saves.get_item_text(index) == "slot_3":
			bar.saves.select(index)
			bar.saves.item_selected.emit(index)
	say("chosen", bar.chosen_save())
	bar.refresh()
	say("chosen", bar.chosen_save())

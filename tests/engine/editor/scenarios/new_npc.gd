@tool
# Chooses the item of Project > Tools that makes an NPC who remembers, twice.
extends "res://tests/engine/editor/scenarios/editor_scenario.gd"

const ITEM := "New NPC Who Remembers"


func play() -> void:
	for count in 2:
		for menu: PopupMenu in EditorInterface.get_base_control().find_children(
			"*", "PopupMenu", true, false
		):
			for index in menu.item_count:
				if menu.get_item_text(index) == ITEM:
					menu.index_pressed.emit(index)
		await frames(10)
		var root := EditorInterface.get_edited_scene_root()
		say("opened", [root.name, root.scene_file_path] if root else null)

# Plays the action RPG by its menu, its dialogue box and its own save file.
extends Node

const WHO: Array[String] = ["Jorgito", "Dad Bug", "Mom Bug"]


func _ready() -> void:
	var seen := {}
	await _enter("res://scenes/levels/Menu.tscn")
	if "first" in OS.get_cmdline_user_args():
		await _press("new_game")
		seen["before"] = await _talk_to_all()
		seen["after"] = await _talk_to_all()
		await _enter("res://scenes/levels/Outside.tscn")
		for npc in WHO:
			MemoryServer.npc(npc).store("The player burned my house.", 7)
		await _enter("res://scenes/levels/Menu.tscn")
	await _press("continue")
	seen["loaded"] = await _talk_to_all()
	seen["burned"] = WHO.map(
		func(npc: String) -> bool: return MemoryServer.npc(npc).knows("the player burned my house")
	)
	if not "first" in OS.get_cmdline_user_args():
		await _enter("res://scenes/levels/Menu.tscn")
		await _press("new_game")
		seen["new_game"] = await _talk_to_all()
	print("PLAYED ", JSON.stringify(seen))
	get_tree().quit()


func _enter(scene: String) -> void:
	get_tree().change_scene_to_file.call_deferred(scene)
	await get_tree().create_timer(0.7).timeout


func _press(button: String) -> void:
	(get_tree().current_scene.get_node(button) as Button).pressed.emit()
	await get_tree().create_timer(0.7).timeout


func _talk_to_all() -> Array[String]:
	await _go("res://scenes/levels/Outside.tscn")
	var said: Array[String] = [await _talk("Jorgito")]
	await _go("res://scenes/levels/HouseInside.tscn")
	said.append(await _talk("Dadbug"))
	said.append(await _talk("Mombug"))
	return said


# As through a door, which names the level for the save.
func _go(level: String) -> void:
	Globals.current_level = level
	await _enter(level)


func _talk(who: String) -> String:
	var npc := get_tree().current_scene.find_child(who, true, false)
	for other: Node in npc.get_parent().get_children():
		other.set_process_input(other == npc)
	npc.active = true
	await _interact()
	npc.set_process_input(false)
	var text: String = Dialogs.dialog_box.dialog_text.text
	while Dialogs.active:
		await _interact()
	return text


func _interact() -> void:
	var event := InputEventAction.new()
	event.action = "interact"
	event.pressed = true
	Input.parse_input_event(event)
	await get_tree().create_timer(0.3).timeout

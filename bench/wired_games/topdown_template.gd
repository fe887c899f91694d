# Plays the template by its start screen, its states, its balloon and its save file.
extends Node

const WHO: Array[String] = ["NPC", "Hunter", "Smith"]
const IDS: Array[String] = ["citizen", "hunter", "smith"]
const LEVEL := "res://scenes/levels/playground_02.tscn"

var _said: Array[String] = []


func _ready() -> void:
	process_mode = PROCESS_MODE_ALWAYS
	DialogueManager.got_dialogue.connect(func(line: DialogueLine) -> void: _said.append(line.text))
	await get_tree().create_timer(0.5).timeout
	var seen := {}
	if "first" in OS.get_cmdline_user_args():
		await _press("NewGame")
		seen["before"] = await _talk_to_all()
		seen["after"] = await _talk_to_all()
		DataManager.save_game()
		for npc in IDS:
			MemoryServer.npc(npc).store("The player burned my house.", 7)
		await _swap("res://scenes/menus/start_screen.tscn")
		await _press("NewGame")
		seen["new_game"] = await _talk_to_all()
		await _swap("res://scenes/menus/start_screen.tscn")
	await _press("Continue")
	seen["loaded"] = await _talk_to_all()
	seen["burned"] = IDS.map(
		func(npc: String) -> bool: return MemoryServer.npc(npc).knows("the player burned my house")
	)
	print("PLAYED ", JSON.stringify(seen))
	get_tree().quit()


func _press(button: String) -> void:
	(get_tree().root.find_child(button, true, false) as Button).button_up.emit()
	await _loaded()


func _swap(scene: String) -> void:
	var level: Node = Globals.get_current_level()
	level.set("destination_name", "none")
	level.set("player_id", 1)
	SceneManager.swap_scenes(scene, get_tree().root, level, Const.TRANSITION.FADE_TO_BLACK)
	await _loaded()


func _loaded() -> void:
	await SceneManager.load_complete
	await get_tree().create_timer(0.3).timeout


func _talk_to_all() -> Array[String]:
	if Globals.get_current_level().scene_file_path != LEVEL:
		await _swap(LEVEL)
	var first_lines: Array[String] = []
	for npc in WHO:
		_said.clear()
		var path := "Entities/%s/StateMachine/start_dialogue" % npc
		Globals.get_current_level().get_node(path).enable()
		await _finish()
		first_lines.append(_said[0] if _said else "")
	return first_lines


func _finish() -> void:
	var ended := [false]
	DialogueManager.dialogue_ended.connect(
		func(_dialogue: Resource) -> void: ended[0] = true, CONNECT_ONE_SHOT
	)
	while not ended[0]:
		await get_tree().create_timer(0.1).timeout
		var kind := "DialogueManagerExampleBalloon"
		for balloon: Node in get_tree().root.find_children("*", kind, true, false):
			if balloon.dialogue_line and not balloon.is_queued_for_deletion():
				balloon.next(_choice(balloon.dialogue_line))
	await get_tree().create_timer(0.3).timeout


# The first answer that is offered; "Go away" to the citizen.
func _choice(line: DialogueLine) -> String:
	if line.responses.is_empty():
		return line.next_id
	return line.responses[-1 if line.responses.size() > 2 else 0].next_id

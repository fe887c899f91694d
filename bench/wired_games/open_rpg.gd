# Plays OpenRPG by its cutscenes, as a player who reads quickly: talks, F5, F2 and F9.
extends Node

const WHO: Array[String] = ["monk", "thief", "wizard"]
const TICK_SECONDS := 0.05

var _said: Array[String] = []
var _is_running := true


func _ready() -> void:
	Dialogic.Text.about_to_show_text.connect(
		func(info: Dictionary) -> void: _said.append(info.text)
	)
	Dialogic.timeline_ended.connect(func() -> void: _is_running = false)
	var seen := {}
	await _finish()
	if "first" in OS.get_cmdline_user_args():
		seen["before"] = await _talk_to_all()
		seen["after"] = await _talk_to_all()
		await _press(KEY_F5)
		for npc in WHO:
			MemoryServer.npc(npc).store("The player burned my house.", 7)
		_is_running = true
		await _press(KEY_F2)
		await _finish()
		seen["new_game"] = await _talk_to_all()
	await _press(KEY_F9)
	seen["loaded"] = await _talk_to_all()
	seen["burned"] = WHO.map(
		func(npc: String) -> bool: return MemoryServer.npc(npc).knows("the player burned my house")
	)
	print("PLAYED ", JSON.stringify(seen))
	get_tree().quit()


func _press(key: Key) -> void:
	var event := InputEventKey.new()
	event.keycode = key
	event.pressed = true
	Input.parse_input_event(event)
	await get_tree().create_timer(1.0).timeout


func _talk_to_all() -> Array[String]:
	var first_lines: Array[String] = []
	for npc in WHO:
		_said.clear()
		_is_running = true
		get_tree().root.find_child(npc.capitalize(), true, false).get_node("Interaction").run()
		await _finish()
		first_lines.append(_said[0])
	return first_lines


func _finish() -> void:
	while _is_running:
		await get_tree().create_timer(TICK_SECONDS).timeout
		match Dialogic.current_state:
			DialogicGameHandler.States.IDLE:
				Dialogic.Inputs.handle_input()
			DialogicGameHandler.States.REVEALING_TEXT:
				Dialogic.Text.skip_text_reveal()
	await get_tree().create_timer(0.3).timeout

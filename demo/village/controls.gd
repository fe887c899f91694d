extends RefCounted
## The keys, mouse and gamepad of the village. Made here, and not in the project settings, so that
## the folder can be copied into any project.

const KEYS: Dictionary[StringName, Array] = {
	&"village_left": [KEY_A, KEY_LEFT],
	&"village_right": [KEY_D, KEY_RIGHT],
	&"village_up": [KEY_W, KEY_UP],
	&"village_down": [KEY_S, KEY_DOWN],
	&"village_talk": [KEY_E],
	&"village_leave": [KEY_ESCAPE],
	&"village_prompt": [KEY_F2],
	&"village_hour": [KEY_F3],
	&"village_day": [KEY_F4],
	&"village_save": [KEY_F5],
	&"village_week": [KEY_F6],
	&"village_journal": [KEY_F7],
	&"village_load": [KEY_F9],
}
const PAD_BUTTONS: Dictionary[StringName, JoyButton] = {
	&"village_left": JOY_BUTTON_DPAD_LEFT,
	&"village_right": JOY_BUTTON_DPAD_RIGHT,
	&"village_up": JOY_BUTTON_DPAD_UP,
	&"village_down": JOY_BUTTON_DPAD_DOWN,
	&"village_talk": JOY_BUTTON_A,
	# The engine's own actions know keys only.
	&"ui_accept": JOY_BUTTON_A,
	&"ui_page_up": JOY_BUTTON_LEFT_SHOULDER,
	&"ui_page_down": JOY_BUTTON_RIGHT_SHOULDER,
	&"village_leave": JOY_BUTTON_B,
	&"village_prompt": JOY_BUTTON_X,
	&"village_skip": JOY_BUTTON_Y,
	&"village_menu": JOY_BUTTON_START,
}
## Axis and direction of the left stick.
const STICK: Dictionary[StringName, Vector2] = {
	&"village_left": Vector2(JOY_AXIS_LEFT_X, -1.0),
	&"village_right": Vector2(JOY_AXIS_LEFT_X, 1.0),
	&"village_up": Vector2(JOY_AXIS_LEFT_Y, -1.0),
	&"village_down": Vector2(JOY_AXIS_LEFT_Y, 1.0),
}
const DEAD_ZONE := 0.3
const ANY_DEVICE := -1


static func install() -> void:
	if InputMap.has_action(KEYS.keys()[0] as StringName):
		return
	for action: StringName in KEYS:
		InputMap.add_action(action, DEAD_ZONE)
		for code: Key in KEYS[action]:
			var key := InputEventKey.new()
			key.physical_keycode = code
			InputMap.action_add_event(action, key)
	for action: StringName in PAD_BUTTONS:
		if not InputMap.has_action(action):
			InputMap.add_action(action, DEAD_ZONE)
		var button := InputEventJoypadButton.new()
		button.device = ANY_DEVICE
		button.button_index = PAD_BUTTONS[action]
		InputMap.action_add_event(action, button)
	for action: StringName in STICK:
		var motion := InputEventJoypadMotion.new()
		motion.device = ANY_DEVICE
		motion.axis = int(STICK[action].x) as JoyAxis
		motion.axis_value = STICK[action].y
		InputMap.action_add_event(action, motion)

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
	&"village_load": [KEY_F9],
}
const PAD_BUTTONS: Dictionary[StringName, JoyButton] = {
	&"village_left": JOY_BUTTON_DPAD_LEFT,
	&"village_right": JOY_BUTTON_DPAD_RIGHT,
	&"village_up": JOY_BUTTON_DPAD_UP,
	&"village_down": JOY_BUTTON_DPAD_DOWN,
	&"village_talk": JOY_BUTTON_A,
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


static func install() -> void:
	for action: StringName in KEYS.keys() + PAD_BUTTONS.keys():
		if not InputMap.has_action(action):
			InputMap.add_action(action, DEAD_ZONE)
			_add_events(action)


static func _add_events(action: StringName) -> void:
	for code: Key in KEYS.get(action, []):
		var key := InputEventKey.new()
		key.physical_keycode = code
		InputMap.action_add_event(action, key)
	if PAD_BUTTONS.has(action):
		var button := InputEventJoypadButton.new()
		button.button_index = PAD_BUTTONS[action]
		InputMap.action_add_event(action, button)
	if STICK.has(action):
		var motion := InputEventJoypadMotion.new()
		motion.axis = int(STICK[action].x) as JoyAxis
		motion.axis_value = STICK[action].y
		InputMap.action_add_event(action, motion)

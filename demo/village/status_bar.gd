extends Control
## The bar above the village with the date and what one can do at any time, and the line below it
## that says what happened.

## Emitted with one of the actions of this bar.
signal action_chosen(action: StringName)

const ACTIONS: Dictionary[StringName, String] = {
	&"village_hour": "Hour (F3)",
	&"village_day": "Day (F4)",
	&"village_week": "Week (F6)",
	&"village_save": "Save (F5)",
	&"village_load": "Load (F9)",
	&"village_journal": "Journal (F7)",
	&"village_prompt": "Prompt (F2)",
}
const NEW_GAME := "New game"
const SURE := "Click again"
const SECONDS_TO_BE_SURE := 4.0
const SECONDS_TO_READ := 8.0

var _seconds_left := 0.0

@onready var _date: Label = %Date
@onready var _buttons: Container = %Buttons
@onready var _goal: Label = %Goal
@onready var _message: Label = %Message
@onready var _below: Control = %Below


func _ready() -> void:
	for action: StringName in ACTIONS:
		_add_button(ACTIONS[action]).pressed.connect(action_chosen.emit.bind(action))
	var new_game := _add_button(NEW_GAME)
	new_game.pressed.connect(_ask.bind(new_game))


func _process(delta: float) -> void:
	_seconds_left -= delta
	_below.modulate.a = clampf(_seconds_left, 0.0, 1.0)


## Lets a gamepad choose a button.
func take_focus() -> void:
	(_buttons.get_child(0) as Button).grab_focus()


func show_date(text: String) -> void:
	_date.text = text


func show_goal(text: String) -> void:
	_goal.text = text


## What happened, for some seconds. What went wrong, and what to do, stays.
func tell(text: String, problem := "") -> void:
	_message.text = (problem if problem else text).replace("\n", " ")
	_seconds_left = INF if problem else SECONDS_TO_READ


func _add_button(text: String) -> Button:
	var button := Button.new()
	button.text = text
	button.pressed.connect(button.release_focus)
	_buttons.add_child(button)
	return button


# A new game ends the saved one, so it has to be asked for twice.
func _ask(button: Button) -> void:
	if button.text == SURE:
		button.text = NEW_GAME
		action_chosen.emit(&"village_new")
		return
	button.text = SURE
	get_tree().create_timer(SECONDS_TO_BE_SURE).timeout.connect(button.set_text.bind(NEW_GAME))

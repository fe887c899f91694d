extends PanelContainer
## The talk with a villager: what was said, what to say next, and what to do to her.

## Emitted when the player says something.
signal said(line: String)
## Emitted with the name of a function of deeds.gd.
signal deed_chosen(deed: StringName)
## Emitted when the player has had enough.
signal left

const DEEDS: Dictionary[StringName, String] = {
	&"give": "Give a gift",
	&"promise": "Promise",
	&"keep": "Keep my word",
	&"break_promise": "Break my word",
	&"steal": "Steal",
}
const NOBODY := "Nobody listens to you. Walk up to somebody, and press E."
const FAINT := 0.4
const LETTERS_PER_SECOND := 70.0
const NAME_COLOR := Color("e0a94a")
const PLAYER_COLOR := Color("9fc3d9")
const NOTE_COLOR := Color("a99b86")

## What can be said without typing.
@export var ready_lines: Array[String] = []

var _name := ""
## What the villager has said and the history does not show yet.
var _waiting := ""
var _letters := 0.0
var _is_hurried := false
var _has_pad := false
## Whether the villager has not begun to answer. The player can say nothing then: a new line would
## interrupt her, and somebody impatient would never get an answer.
var _is_thinking := false:
	set(value):
		_is_thinking = value
		_title.text = tr("%s is thinking ...") % _name if value else _name
		_lines.modulate.a = FAINT if value else 1.0
		_deeds.modulate.a = _lines.modulate.a

@onready var _title: Label = %Title
@onready var _hint: Label = %Hint
@onready var _history: RichTextLabel = %History
@onready var _line: LineEdit = %Line
@onready var _own: Control = %Own
@onready var _lines: Container = %Lines
@onready var _deeds: Container = %Deeds


func _ready() -> void:
	for text: String in ready_lines:
		_add_button(_lines, text).pressed.connect(_say.bind(tr(text)))
	for deed: StringName in DEEDS:
		_add_button(_deeds, DEEDS[deed]).pressed.connect(_choose.bind(deed))
	_line.text_submitted.connect(_submit)
	(%Leave as Button).pressed.connect(left.emit)
	(%Skip as Button).pressed.connect(skip)
	close()


func _process(delta: float) -> void:
	if _waiting.is_empty():
		return
	_letters += delta * LETTERS_PER_SECOND
	var count := _waiting.length() if _is_hurried else int(_letters)
	if count > 0:
		_letters -= int(_letters)
		_history.add_text(_waiting.left(count))
		_waiting = _waiting.substr(count)


func _input(event: InputEvent) -> void:
	var bar := _history.get_v_scroll_bar()
	if event.is_action_pressed(&"ui_page_up", true):
		bar.value -= bar.page
	elif event.is_action_pressed(&"ui_page_down", true):
		bar.value += bar.page


## Begins a talk. [param with_pad]: the player holds a gamepad, and will hardly type.
func open(villager_name: String, with_pad: bool) -> void:
	_name = villager_name
	_history.clear()
	_hint.hide()
	_own.show()
	_deeds.show()
	_has_pad = with_pad
	take_focus()


func close() -> void:
	skip()
	_name = ""
	_is_thinking = false
	_hint.show()
	_own.hide()
	_deeds.hide()
	_line.clear()
	get_viewport().gui_release_focus()


func show_player_line(line: String) -> void:
	_begin(tr("%s: ") % tr("You"), PLAYER_COLOR)
	_history.add_text(line)


## What a villager says to another one.
func show_overheard(speaker: String, line: String) -> void:
	_begin(tr("%s: ") % speaker, NAME_COLOR)
	_history.add_text(line)


## What the player can do where nobody listens; empty for nothing.
func show_hint(text: String) -> void:
	_hint.text = text if text else NOBODY


## The answer is on its way; a small model takes some seconds, or a minute.
func expect_answer() -> void:
	_is_hurried = false
	_is_thinking = true


## More of the villager's answer.
func hear(text: String) -> void:
	if _is_thinking:
		_is_thinking = false
		_begin(tr("%s: ") % _name, NAME_COLOR)
	_waiting += text


## Something that happened, between the lines.
func note(text: String) -> void:
	_begin("", NOTE_COLOR)
	_history.push_color(NOTE_COLOR)
	_history.add_text(text)
	_history.pop()


## Forgets what was said, and shows this line.
func begin_anew(text: String) -> void:
	skip()
	_history.clear()
	note(text)


## Shows the whole answer now, and the rest of it as it comes.
func skip() -> void:
	_is_hurried = true
	_history.add_text(_waiting)
	_waiting = ""


func is_shown_whole() -> bool:
	return _waiting.is_empty() and not _is_thinking


func _begin(speaker: String, color: Color) -> void:
	_history.add_text(_waiting)
	_waiting = ""
	if not _history.get_parsed_text().is_empty():
		_history.newline()
	_history.push_color(color)
	_history.add_text(speaker)
	_history.pop()


func _submit(line: String) -> void:
	if line.strip_edges().is_empty():
		skip()
	elif not _is_thinking:
		_line.clear()
		_say(line.strip_edges())


func _say(line: String) -> void:
	take_focus()
	if _is_thinking:
		return
	show_player_line(line)
	said.emit(line)


func _choose(deed: StringName) -> void:
	take_focus()
	if not _is_thinking:
		deed_chosen.emit(deed)


## Lets the player go on: keys type, a gamepad chooses.
func take_focus() -> void:
	if not _has_pad:
		_line.grab_focus()
		_line.edit()
	elif get_viewport().gui_get_focus_owner() == null:
		(_lines.get_child(0) as Button).grab_focus()


func _add_button(parent: Container, text: String) -> Button:
	var button := Button.new()
	button.text = text
	parent.add_child(button)
	return button

# Mira's timeline in the addon Dialogic: says her line, the answers that are offered, and what she
# says to the first of them.
extends "res://tests/engine/scenarios/visits.gd"

const IDLE := 0
const REVEALING_TEXT := 1
const AWAITING_CHOICE := 3
const TICK_SECONDS := 0.05

var _dialogic: Node
var _texts: Array[String] = []
var _offered: Array[String] = []
var _is_running := false


func visit() -> void:
	if _dialogic == null:
		_connect()
	_texts.clear()
	_offered.clear()
	_is_running = true
	_dialogic.call("start", "res://mira.dtl")
	while _is_running:
		await create_timer(TICK_SECONDS).timeout
		_advance()
	say("visit", [_texts[0], _offered, _texts[1] if _texts.size() > 1 else ""])


func _connect() -> void:
	_dialogic = root.get_node("Dialogic")
	var text: Node = _dialogic.get("Text")
	text.connect("about_to_show_text", func(info: Dictionary) -> void: _texts.append(info.text))
	(_dialogic.get("Choices") as Node).connect("question_shown", _note_choices)
	_dialogic.connect("timeline_ended", func() -> void: _is_running = false)


func _note_choices(question: Dictionary) -> void:
	for choice: Dictionary in question.choices:
		if choice.visible:
			_offered.append(choice.text)


# As a player who reads quickly, and takes the first answer.
func _advance() -> void:
	match _dialogic.get("current_state"):
		IDLE:
			(_dialogic.get("Inputs") as Node).call("handle_input")
		REVEALING_TEXT:
			(_dialogic.get("Text") as Node).call("skip_text_reveal")
		AWAITING_CHOICE:
			if _offered:
				(_dialogic.get("Choices") as Node).call("select_choice", 1)

extends Control
## An NPC who remembers: the player talks to her, saves, and loads.
##
## Change who she is in personality.tres. Give NPCDialogue a model, and she speaks freely; without
## one she answers from memory.

const SAVE := "slot_1"
const SAVED := "manual"

@onready var _dialogue: NPCDialogue = %NPCDialogue
@onready var _answer: Label = %Answer
@onready var _line: LineEdit = %Line


func _ready() -> void:
	_line.text_submitted.connect(say)
	(%Save as Button).pressed.connect(save_game)
	(%Load as Button).pressed.connect(load_game)
	_line.grab_focus()
	await MemoryServer.open_save_async(SAVE).completed
	_show(await _dialogue.greet().completed)


## The player says a line.
func say(line: String) -> void:
	_line.clear()
	_show(await _dialogue.say(line).completed)


## Saves what she remembers now.
func save_game() -> void:
	await MemoryServer.snapshot_async(SAVED).completed
	_answer.text = "(saved)"


## Goes back to what was saved: she forgets what came after.
func load_game() -> void:
	await MemoryServer.open_save_async(SAVE, {"snapshot": SAVED}).completed
	_show(await _dialogue.greet().completed)


func _show(answer: Dictionary) -> void:
	_answer.text = answer.get("response", "")

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
	var saved: PackedStringArray = await MemoryServer.list_snapshots_async().completed
	(%Load as Button).disabled = SAVED not in saved
	await _answered(_dialogue.greet())


## The player says a line.
func say(line: String) -> void:
	_line.clear()
	await _answered(_dialogue.say(line))


## Saves what she remembers now.
func save_game() -> void:
	await MemoryServer.snapshot_async(SAVED).completed
	(%Load as Button).disabled = false
	_answer.text = "(saved)"


## Goes back to what was saved: she forgets what came after.
func load_game() -> void:
	await MemoryServer.open_save_async(SAVE, {"snapshot": SAVED}).completed
	await _answered(_dialogue.greet())


## Shows what she says. A line that came meanwhile would interrupt her, so the player has to wait.
func _answered(request: MemoryRequest) -> void:
	_line.editable = false
	var answer: Dictionary = await request.completed
	_answer.text = answer.get("response", request.get_error())
	_line.editable = true
	_line.edit()

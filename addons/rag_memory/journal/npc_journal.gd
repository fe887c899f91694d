@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCJournal
extends PanelContainer
## A panel for players: what an NPC remembers and may tell, and what is still open with it.
##
## Instantiate the scene [code]res://addons/rag_memory/journal/npc_journal.tscn[/code]. It looks as
## the theme of your game says; its labels have the type variations [code]JournalTitle[/code],
## [code]JournalHeading[/code] and [code]JournalText[/code]. For another layout, inherit the scene.
## A secret that the player may not know is never shown. Works with keyboard and gamepad, too.
## [codeblock]
## var scene: PackedScene = load("res://addons/rag_memory/journal/npc_journal.tscn")
## var journal: NPCJournal = scene.instantiate()
## add_child(journal)
## journal.show_npc(memory, "What Mira remembers")
## [/codeblock]

## Emitted when the player closes the journal.
signal closed
## Emitted when the player has corrected or forgotten the memory with this [param id].
signal memory_changed(id: String)

const _SCENE := "res://addons/rag_memory/journal/npc_journal.tscn"
# A label takes long for more. A memory beyond it is shown in part and cannot be corrected.
const _MOST_CHARACTERS := 2000
const _NOTHING := "There is nothing yet. Talk to someone, promise something, and look again."
const _MATTERS := "Promises, debts and tasks"
const _REMEMBERED := "Remembered"
const _CORRECT := "Correct"
const _SAVE := "Save"
const _FORGET := "Forget"
const _SURE := "Forget for good?"

## The most memories that are shown, the newest first.
@export_range(0, 200) var most_memories := 20
## Shows a button with which the player corrects a memory.
@export var may_correct := true
## Shows a button with which the player has a memory forgotten.
@export var may_forget := true
## Also shows what is closed, such as promises that were kept.
@export var shows_closed := false
## Leaves out promises, debts and so on from before this time of the game, in seconds.
@export var since := 0.0

var _memory: RAGMemory
var _refreshes := 0

@onready var _title := get_node_or_null(^"%Title") as Label
@onready var _note := get_node_or_null(^"%Note") as Label
@onready var _entries := get_node_or_null(^"%Entries") as Container
@onready var _close := get_node_or_null(^"%Close") as Button


func _ready() -> void:
	if _close != null:
		_close.pressed.connect(close)


func _unhandled_input(event: InputEvent) -> void:
	if is_visible_in_tree() and event.is_action_pressed(&"ui_cancel"):
		get_viewport().set_input_as_handled()
		close()


## Shows what the NPC of [param memory] remembers, and what is open between it and the player.
func show_npc(memory: RAGMemory, title: String) -> void:
	_memory = memory
	_begin(title)


## Shows what is open between all NPCs and the player, and no memories.
func show_matters(title: String) -> void:
	_memory = null
	_begin(title)


## Updates what is shown, for example after the NPC has learned something.
func refresh() -> void:
	if not _is_usable():
		return
	_refreshes += 1
	var current := _refreshes
	var matters: Array = await _matters().completed
	var memories: Array = []
	if is_instance_valid(_memory):
		memories = await _memory.get_recent_async(most_memories).completed
		memories = memories.filter(_is_readable)
	if current == _refreshes and is_inside_tree():
		_show(matters, memories)


## Hides the journal.
func close() -> void:
	hide()
	closed.emit()


func _is_usable() -> bool:
	if not is_node_ready():
		push_error("NPCJournal: it is not in the scene tree yet. Call add_child() with it first.")
	elif _title == null or _note == null or _entries == null or _close == null:
		push_error(
			"NPCJournal: it has no labels. Instantiate %s, or a scene that inherits it." % _SCENE
		)
	else:
		return true
	return false


func _begin(title: String) -> void:
	if not _is_usable():
		return
	_title.text = _shortened(title)
	_note.hide()
	_clear()
	show()
	if is_inside_tree():
		_close.grab_focus()
	refresh()


func _matters() -> MemoryRequest:
	if is_instance_valid(_memory):
		return MemoryWorld.get_open_matters_async(_memory.npc_id, "player", shows_closed)
	return MemoryWorld.get_open_matters_async("", "", shows_closed)


func _show(matters: Array, memories: Array) -> void:
	_clear()
	var lines := PackedStringArray()
	for matter: Dictionary in matters:
		if matter["may_be_told"] and matter["since"] >= since:
			lines.append("[%s] %s" % [tr(matter["state"] as String), matter["text"]])
	if lines:
		_entries.add_child(_label(tr(_MATTERS), &"JournalHeading"))
	for line in lines:
		_entries.add_child(_label(line, &"JournalText"))
	if memories:
		_entries.add_child(_label(tr(_REMEMBERED), &"JournalHeading"))
	for memory: Dictionary in memories:
		_add_memory(memory["id"] as String, memory["document_full"] as String)
	if _entries.get_child_count() == 0:
		_entries.add_child(_label(tr(_NOTHING), &"JournalText"))


# The numbers of a relationship are for the game.
func _is_readable(memory: Dictionary) -> bool:
	var slot: Variant = (memory["metadata"] as Dictionary).get("slot_type")
	return not (slot is String and (slot as String).begins_with("relationship:"))


func _add_memory(id: String, text: String) -> void:
	var row := HBoxContainer.new()
	row.add_child(_label(text, &"JournalText"))
	if may_correct and text.length() <= _MOST_CHARACTERS:
		_add_button(row, _CORRECT).pressed.connect(_on_correct.bind(row, id))
	if may_forget:
		var button := _add_button(row, _FORGET)
		button.pressed.connect(_on_forget.bind(button, id))
		button.focus_exited.connect(button.set_text.bind(_FORGET))
	_entries.add_child(row)


# The first press makes a field of the text, the second one saves it.
func _on_correct(row: Container, id: String) -> void:
	var field := row.get_child(0) as LineEdit
	if field != null:
		_correct(field.text, id)
		return
	var label: Label = row.get_child(0)
	field = LineEdit.new()
	field.text = label.text
	field.size_flags_horizontal = SIZE_EXPAND_FILL
	field.text_submitted.connect(_correct.bind(id))
	label.replace_by(field)
	label.queue_free()
	(row.get_child(1) as Button).text = _SAVE
	field.edit()


func _correct(text: String, id: String) -> void:
	if text.strip_edges() and is_instance_valid(_memory):
		_change(_memory.update_memory_async(id, {"text": text}), id)


func _on_forget(button: Button, id: String) -> void:
	if button.text == _SURE and is_instance_valid(_memory):
		_change(_memory.forget_async(id), id)
	button.text = _SURE


func _change(request: MemoryRequest, id: String) -> void:
	var is_done: bool = await request.completed
	_note.text = request.get_error()
	_note.visible = not is_done
	if is_done:
		memory_changed.emit(id)
	if is_inside_tree():
		_close.grab_focus()
		refresh()


func _clear() -> void:
	for entry: Node in _entries.get_children():
		_entries.remove_child(entry)
		entry.queue_free()


func _label(text: String, variation: StringName) -> Label:
	var label := Label.new()
	label.text = _shortened(text)
	label.auto_translate_mode = AUTO_TRANSLATE_MODE_DISABLED
	label.theme_type_variation = variation
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.size_flags_horizontal = SIZE_EXPAND_FILL
	return label


func _shortened(text: String) -> String:
	return text if text.length() <= _MOST_CHARACTERS else text.left(_MOST_CHARACTERS) + "…"


func _add_button(row: Container, text: String) -> Button:
	var button := Button.new()
	button.text = text
	button.size_flags_vertical = SIZE_SHRINK_BEGIN
	row.add_child(button)
	return button

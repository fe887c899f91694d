@tool
extends VBoxContainer
## A talk with the NPC of the selected node: what was said, and below each answer what came to mind
## for it and what the NPC remembers of it.

const RAGTalk := preload("res://addons/rag_memory/editor/inspector/npc_talk.gd")
const RAGTextRows := preload("res://addons/rag_memory/editor/inspector/text_rows.gd")
const _MOST_RECALLED := 3
const _NO_DIALOGUE := (
	"There is no NPCDialogue beside or below this node, so the NPC has no personality here and "
	+ "answers from memory."
)
const _NO_MODEL := "The NPC answers from memory. Set Model of %s to talk with a language model."
const _FOREIGN_MODEL := (
	"The NPC answers from memory: its model is a script of your game, which does not run in the"
	+ " editor."
)

var _node: RAGMemory
var _talk: RAGTalk

@onready var _rows: RAGTextRows = %Said
@onready var _line: LineEdit = %Line
@onready var _say: Button = %Say
@onready var _hint: Label = %Hint
@onready var _asks_model: CheckBox = %AsksModel
@onready var _restart: Button = %Restart


func set_up(node: RAGMemory, talk: RAGTalk) -> void:
	_node = node
	_talk = talk
	_say.pressed.connect(_on_said)
	_line.text_submitted.connect(func(_text: String) -> void: _on_said())
	_asks_model.button_pressed = talk.asks_model
	_asks_model.toggled.connect(func(is_on: bool) -> void: talk.asks_model = is_on)
	_restart.pressed.connect(talk.end)
	talk.changed.connect(refresh)
	refresh()


## Shows the talk as it is now.
func refresh() -> void:
	var is_ours := _talk.npc_id == _node.npc_id
	_rows.clear()
	for line in _talk.lines if is_ours else []:
		_add_line(line)
	_say.disabled = _talk.is_busy
	_restart.visible = is_ours and not _talk.lines.is_empty()
	var model := RAGTalk.model_of(_node)
	_asks_model.visible = model != null
	if model != null:
		_asks_model.tooltip_text = (model.get_script() as Script).get_global_name()
	_hint.text = _hint_text()
	_hint.visible = model == null


func _hint_text() -> String:
	var dialogue := RAGTalk.dialogue_of(_node)
	if dialogue == null:
		return _NO_DIALOGUE
	return _FOREIGN_MODEL if dialogue.get(&"model") != null else _NO_MODEL % dialogue.name


func _add_line(line: Dictionary) -> void:
	if not line.speaker:
		_rows.add_warning(line.text as String)
		return
	_rows.add_text("%s: %s" % [line.speaker, line.text])
	var memories: Array = line.get("memories", [])
	for memory: Dictionary in memories.slice(0, _MOST_RECALLED):
		_add_memory("recalled: ", memory)
	if memories.size() > _MOST_RECALLED:
		var more := _rows.add_note("… and %d more" % (memories.size() - _MOST_RECALLED))
		more.tooltip_text = "\n".join(memories.slice(_MOST_RECALLED).map(_text_of))
	for memory: Dictionary in line.get("stored", []):
		_add_memory("remembers now: ", memory)


func _add_memory(caption: String, memory: Dictionary) -> void:
	var row := _rows.add_note(caption + _text_of(memory))
	row.max_lines_visible = 2
	row.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	row.tooltip_text = _text_of(memory)
	if memory.has("score"):
		row.tooltip_text += "\nscore %.2f of this memory for the line" % memory.score


func _text_of(memory: Dictionary) -> String:
	return memory.get("document", memory.get("text", ""))


func _on_said() -> void:
	var line := _line.text.strip_edges()
	if _say.disabled or not line:
		_line.grab_focus()
		return
	_line.clear()
	_talk.say(_node, line)
	_line.grab_focus()

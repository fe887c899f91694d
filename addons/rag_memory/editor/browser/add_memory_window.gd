@tool
extends ConfirmationDialog
## Asks for a memory that is added by hand. It stays open until the memory is stored.

## The memory is stored under this id.
signal added(npc_id: String, id: String)

const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const MemoryEdits := preload("res://addons/rag_memory/editor/browser/memory_edits.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const _NO_TEXT := "The text is empty. Write what the NPC remembers."
const _NO_NPC := "There is no NPC to remember it. Write the npc_id of the RAGMemory node."
const _NEW_NPC := "%s has no memories in this save yet: this is the first."
const _USUAL_IMPORTANCE := 5.0

var _session: RAGSaveSession
var _edits: MemoryEdits
var _known_npcs: PackedStringArray

@onready var text: TextEdit = %Text
@onready var npc: LineEdit = %Npc
@onready var importance: SpinBox = %Importance
@onready var event_type: LineEdit = %EventType
@onready var message: Label = %Message


func _ready() -> void:
	confirmed.connect(add)
	npc.text_changed.connect(func(_text: String) -> void: _show_news())
	text.text_changed.connect(_show_news)
	register_text_enter(npc)
	register_text_enter(event_type)


func set_up(session: RAGSaveSession, edits: MemoryEdits) -> void:
	_session = session
	_edits = edits
	session.failed.connect(_say_problem)
	session.closed.connect(hide)


## Opens the window; `npc_id` is who is chosen now, `known_npcs` are those of the save.
func open(npc_id: String, known_npcs: PackedStringArray) -> void:
	_known_npcs = known_npcs
	text.clear()
	npc.text = npc_id
	importance.value = _USUAL_IMPORTANCE
	event_type.clear()
	_show_news()
	popup_centered(Vector2i(Vector2(460.0, 340.0) * EditorInterface.get_editor_scale()))
	(text if npc_id else npc).call_deferred(&"grab_focus")


## Stores what was typed, or says why not; await it.
func add() -> void:
	var npc_id := npc.text.strip_edges()
	var entered := text.text.strip_edges()
	if not entered or not npc_id:
		_say_problem(_NO_NPC if entered else _NO_TEXT)
		(npc if entered else text).grab_focus()
		return
	get_ok_button().disabled = true
	var kind := event_type.text.strip_edges()
	var id := await _edits.add(npc_id, entered, int(importance.value), kind)
	get_ok_button().disabled = false
	if id:
		hide()
		added.emit(npc_id, id)


func _show_news() -> void:
	var npc_id := npc.text.strip_edges()
	var is_new := npc_id != "" and npc_id not in _known_npcs
	message.text = _NEW_NPC % npc_id if is_new else ""
	message.remove_theme_color_override(&"font_color")


func _say_problem(problem: String) -> void:
	message.text = problem
	var color := get_theme_color(&"error_color", &"Editor")
	message.add_theme_color_override(&"font_color", RAGLegible.on_panel(color, message))

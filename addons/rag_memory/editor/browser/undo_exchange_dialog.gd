@tool
extends ConfirmationDialog
## Asks before an exchange of an NPC is undone.

signal undone(npc_id: String)

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const _QUESTION := 'Undo this exchange of %s?\n\n"%s"\n"%s"\n\n'
const _CONSEQUENCES := (
	"Its turn and its memories (%d) are deleted, and what it changed is again what it was. "
	+ "The undo of the editor cannot take this back."
)
const _TOO_OLD := "Only the last 20 exchanges of an NPC can be undone."

var _session: RAGSaveSession
var _npc_id := ""
var _exchange_id := ""


func _ready() -> void:
	title = "Undo Exchange"
	ok_button_text = "Undo Exchange"
	dialog_autowrap = true
	confirmed.connect(undo)


func set_up(session: RAGSaveSession) -> void:
	_session = session


## Asks about the exchange that a memory comes from.
func open(npc_id: String, exchange_id: String) -> void:
	_npc_id = npc_id
	_exchange_id = exchange_id
	var exchanges: Variant = await _session.ask(npc_id, &"get_exchanges", [20])
	dialog_text = _TOO_OLD
	get_ok_button().disabled = true
	for exchange: Dictionary in exchanges if exchanges is Array else []:
		if exchange.exchange == exchange_id:
			var memories: Array = exchange.memories
			dialog_text = _QUESTION % [npc_id, exchange.line, exchange.answer]
			dialog_text += _CONSEQUENCES % memories.size()
			get_ok_button().disabled = false
	popup_centered(Vector2i(Vector2(460.0, 160.0) * EditorInterface.get_editor_scale()))


func undo() -> void:
	if await _session.ask(_npc_id, &"undo_exchange", [_exchange_id]):
		undone.emit(_npc_id)

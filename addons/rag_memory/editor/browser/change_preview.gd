@tool
extends ConfirmationDialog
## Shows what will be merged, or undone of an exchange, and does it on OK.

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const MemoryEdits := preload("res://addons/rag_memory/editor/browser/memory_edits.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const _QUESTION := 'Undo this exchange of %s?\n\n"%s"\n"%s"\n\n'
const _CONSEQUENCES := (
	"Its turn and its memories (%d) are deleted, and what it changed is again what it was. "
	+ "The undo of the editor cannot take this back."
)
const _TOO_OLD := "Only the last 20 exchanges of an NPC can be undone."
const _MERGED := "%d memories of %s become the following summaries (%d), and are archived."
const _NOTHING := "Nothing to merge: %s has neither enough old conversations nor too many memories."

## The summaries, and below each the memories that it stands for.
var summaries := Tree.new()

var _session: RAGSaveSession
var _edits: MemoryEdits
var _on_confirmed := Callable()


func _init(session: RAGSaveSession, edits: MemoryEdits) -> void:
	_session = session
	_edits = edits
	dialog_autowrap = true
	add_child(summaries)
	confirmed.connect(func() -> void: _on_confirmed.call())


## Asks about the exchange that a memory comes from.
func show_exchange(npc_id: String, exchange_id: String) -> void:
	var exchanges: Variant = await _session.ask(npc_id, &"get_exchanges", [20])
	summaries.clear()
	_on_confirmed = Callable()
	dialog_text = _TOO_OLD
	for exchange: Dictionary in exchanges if exchanges is Array else []:
		if exchange.exchange == exchange_id:
			var memories: Array = exchange.memories
			dialog_text = _QUESTION % [npc_id, exchange.line, exchange.answer]
			dialog_text += _CONSEQUENCES % memories.size()
			_on_confirmed = _edits.undo_exchange.bind(npc_id, exchange_id)
	_open("Undo Exchange", Vector2(460.0, 160.0))


## Lists the summaries that merging would make, with their sources.
func show_merge(npc_id: String) -> void:
	var groups: Variant = await _session.ask(npc_id, &"preview_consolidation")
	if not groups is Array:
		return
	summaries.clear()
	_on_confirmed = Callable()
	dialog_text = _NOTHING % npc_id
	if groups:
		var ids := PackedStringArray()
		var root := summaries.create_item()
		for group: Dictionary in groups:
			var summary := _add(root, group.extract as String)
			for source: Dictionary in group.sources:
				var time := RAGGameTime.text_of(source.metadata.timestamp as float)
				_add(summary, "%s  ·  %s" % [time, source.document_full])
				ids.append(source.id as String)
		root.set_text(0, _MERGED % [ids.size(), npc_id, (groups as Array).size()])
		dialog_text = ""
		_on_confirmed = _edits.merge.bind(npc_id, ids)
	_open("Merge Old Memories", Vector2(460.0, 160.0) if dialog_text else Vector2(760.0, 480.0))


func _add(parent: TreeItem, text: String) -> TreeItem:
	var item := summaries.create_item(parent)
	item.set_text(0, text)
	item.set_autowrap_mode(0, TextServer.AUTOWRAP_WORD_SMART)
	return item


func _open(action: String, room: Vector2) -> void:
	title = action
	ok_button_text = action
	get_ok_button().disabled = not _on_confirmed.is_valid()
	summaries.visible = summaries.get_root() != null
	popup_centered(Vector2i(room * EditorInterface.get_editor_scale()))

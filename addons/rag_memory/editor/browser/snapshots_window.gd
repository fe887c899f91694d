@tool
extends AcceptDialog
## The snapshots of the open save: take, restore, and compare two of them, or one with now.

## The save is another one now; what it was is the snapshot [param kept].
signal restored(slot: String, backup: String)

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const BEFORE_RESTORE := "before_restore"
const _EMPTY := "No snapshots yet. Take one before a change, and compare or restore it later."
const _SAME := "Nothing differs."
const _COPIES := "Each is a whole copy of the save, a file in %s. Delete those you do not need."
const _CHOOSE := "Choose one snapshot to compare it with now, or two (Ctrl or Shift)."
const _LABELS := {"added": "Added", "removed": "Removed", "changed": "Changed"}
const _COLORS := {"added": &"success_color", "removed": &"error_color", "changed": &"warning_color"}

var _session: RAGSaveSession
var _confirmation := ConfirmationDialog.new()

@onready var slots: ItemList = %Slots
@onready var slot_name: LineEdit = %SlotName
@onready var result: Tree = %Result
@onready var _hint: Label = %Hint
@onready var _take: Button = %Take
@onready var _compare: Button = %Compare
@onready var _restore: Button = %Restore


func _ready() -> void:
	_take.pressed.connect(take)
	_compare.pressed.connect(compare)
	_restore.pressed.connect(_confirm_restore)
	slot_name.text_changed.connect(func(_text: String) -> void: _refresh_buttons())
	slot_name.text_submitted.connect(func(_text: String) -> void: take())
	slots.multi_selected.connect(func(_index: int, _is_on: bool) -> void: _refresh_buttons())
	slots.item_activated.connect(func(_index: int) -> void: compare())
	_confirmation.confirmed.connect(restore)
	_confirmation.ok_button_text = "Restore"
	add_child(_confirmation)
	register_text_enter(slot_name)
	result.columns = 2
	result.set_column_expand_ratio(0, 1)
	result.set_column_expand_ratio(1, 2)


func set_up(session: RAGSaveSession) -> void:
	_session = session


func open() -> void:
	title = "Snapshots of %s" % _session.save_id
	popup_centered(Vector2i(Vector2(760.0, 480.0) * EditorInterface.get_editor_scale()))
	_show_message(_CHOOSE)
	await refresh()


func refresh() -> void:
	var slot_names: Variant = await _session.ask_server(&"list_snapshots")
	slots.clear()
	for slot: String in slot_names if slot_names is PackedStringArray else PackedStringArray():
		slots.add_item(slot)
	var copies := _COPIES % RAGSavesFolder.snapshots_of(_session.save_id)
	_hint.text = _EMPTY if slots.item_count == 0 else copies
	_refresh_buttons()


## Takes a snapshot under the name that was typed.
func take() -> void:
	var slot := slot_name.text.strip_edges()
	if slot and await _session.ask_server(&"snapshot", [slot]) == OK:
		slot_name.clear()
		await refresh()


## Goes back to the chosen snapshot; what there is now is kept as one of its own.
func restore() -> void:
	var slot := _chosen()[0]
	var backup := await _session.keep(BEFORE_RESTORE)
	if backup and await _session.ask_server(&"restore", [slot]) == OK:
		await refresh()
		restored.emit(slot, backup)


func compare() -> void:
	var chosen := _chosen()
	if chosen.is_empty() or chosen.size() > 2:
		return
	var after := chosen[1] if chosen.size() == 2 else ""
	_show_message("Comparing …")
	var difference: Variant = await _session.ask_server(&"compare_snapshots", [chosen[0], after])
	if difference is Dictionary:
		_show_difference(difference as Dictionary, chosen[0], after if after else "now")
	else:
		_show_message("The snapshots could not be compared; the reason is in the output.")


func _chosen() -> PackedStringArray:
	var chosen := PackedStringArray()
	for index in slots.get_selected_items():
		chosen.append(slots.get_item_text(index))
	return chosen


func _confirm_restore() -> void:
	var words := 'Make "%s" what it was in the snapshot "%s"?\n'
	words += 'What it is now is kept as a snapshot named "%s" and the time.'
	_confirmation.dialog_text = words % [_session.save_id, _chosen()[0], BEFORE_RESTORE]
	_confirmation.popup_centered()


func _show_message(text: String) -> void:
	result.clear()
	result.hide_root = true
	var item := result.create_item(result.create_item())
	item.set_text(0, text)
	item.set_autowrap_mode(0, TextServer.AUTOWRAP_WORD_SMART)
	item.set_expand_right(0, true)
	item.set_selectable(0, false)
	item.set_selectable(1, false)


func _show_difference(difference: Dictionary, before: String, after: String) -> void:
	if (difference.npcs as Dictionary).is_empty():
		_show_message(_SAME)
		return
	result.clear()
	result.hide_root = false
	var root := result.create_item()
	root.set_text(0, "%s → %s" % [before, after])
	root.set_text(1, _counts(difference, ""))
	for npc_id: String in difference.npcs:
		var of_npc: Dictionary = difference.npcs[npc_id]
		var item := result.create_item(root)
		item.set_text(0, npc_id)
		item.set_text(1, _counts(of_npc, "_count"))
		item.collapsed = (difference.npcs as Dictionary).size() > 3
		for kind: String in _LABELS:
			_add_memories(item, kind, of_npc)


func _add_memories(parent: TreeItem, kind: String, of_npc: Dictionary) -> void:
	var theme_color := get_theme_color(_COLORS[kind] as StringName, &"Editor")
	var color := RAGLegible.on_panel(theme_color, result)
	var listed: Array = of_npc[kind]
	for memory: Dictionary in listed:
		var item := result.create_item(parent)
		item.set_text(0, _LABELS[kind] as String)
		item.set_custom_color(0, color)
		item.set_text(1, (memory.text as String).replace("\n", " "))
		item.set_tooltip_text(1, "%s\n%s" % [memory.id, memory.text])
		item.collapsed = true
		for field: String in memory.get("before", {}):
			var change := result.create_item(item)
			change.set_text(0, field)
			var before := _shown(field, memory.before[field])
			change.set_text(1, "%s → %s" % [before, _shown(field, memory.after[field])])
			change.set_tooltip_text(1, change.get_text(1))
	var missing: int = of_npc[kind + "_count"] - listed.size()
	if missing > 0:
		var more := result.create_item(parent)
		more.set_text(0, _LABELS[kind] as String)
		more.set_text(1, "and %d more" % missing)


func _shown(field: String, value: Variant) -> String:
	var is_time := field.ends_with("timestamp") or field.ends_with("_at")
	return RAGGameTime.text_of(value as float) if is_time and value is float else str(value)


func _counts(of: Dictionary, suffix: String) -> String:
	var words := "%d added, %d removed, %d changed"
	return words % [of["added" + suffix], of["removed" + suffix], of["changed" + suffix]]


func _refresh_buttons() -> void:
	var count := slots.get_selected_items().size()
	_take.disabled = not slot_name.text.strip_edges()
	_compare.disabled = count not in [1, 2]
	_restore.disabled = count != 1

@tool
extends PanelContainer
## One memory to read and to change. Ctrl+Enter applies, Escape takes back what was typed.

signal changes_made(id: String, changes: Dictionary)
signal pin_requested
signal forget_requested
signal restore_requested
signal memory_chosen(id: String)
## Undo and redo are for the memories, and no field here may take the keys.
signal focus_given_up

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGTableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")
const _EMPTY := "Choose a memory in the table to read and change it."
# Of the metadata what has no field of its own below.
const _IN_FIELDS: Array[String] = [
	"importance", "memory_tier", "event_type", "emotion", "location", "participants", "topics"
]
const _ELSEWHERE: Array[String] = [
	"npc_id",
	"timestamp",
	"superseded_by",
	"superseded_at",
	"source_ids",
	"last_accessed",
	"evidence",
]
# Keys that a mind sets, shown before the others.
const _OF_MIND: Array[String] = ["kind", "sentiment"]

var _memory: Dictionary = {}
# The text as the field shows it: it has line ends of its own.
var _shown_text := ""
# True while an edit is on its way to the worker.
var _is_applied := false

@onready var text: TextEdit = %Text
@onready var importance: SpinBox = %Importance
@onready var tier: OptionButton = %Tier
@onready var apply_button: Button = %Apply
@onready var _title: Label = %Title
@onready var _empty: Label = %Empty
@onready var _content: Control = %Content
@onready var _links: VBoxContainer = %Links
@onready var _rest: Label = %Rest
@onready var _revert: Button = %Revert
@onready var _pin: Button = %Pin
@onready var _forget: Button = %Forget
@onready var _restore: Button = %Restore
@onready var _texts: Dictionary[String, LineEdit] = {
	"event_type": %EventType, "emotion": %Emotion, "location": %Location
}
@onready
var _lists: Dictionary[String, LineEdit] = {"participants": %Participants, "topics": %Topics}


func _ready() -> void:
	_empty.text = _EMPTY
	text.text_changed.connect(_on_typed)
	importance.value_changed.connect(func(_value: float) -> void: _on_typed())
	tier.item_selected.connect(func(_index: int) -> void: _on_typed())
	for field: LineEdit in _texts.values() + _lists.values():
		field.text_changed.connect(func(_text: String) -> void: _on_typed())
		field.text_submitted.connect(func(_text: String) -> void: apply())
	apply_button.pressed.connect(apply)
	_revert.pressed.connect(revert)
	_pin.pressed.connect(pin_requested.emit)
	_forget.pressed.connect(forget_requested.emit)
	_restore.pressed.connect(restore_requested.emit)
	text.custom_minimum_size.y = 80.0 * EditorInterface.get_editor_scale()
	show_memory({})


# Before the text field, for which Ctrl+Enter is an empty line.
func _input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed or not _has_focus_inside():
		return
	if key.keycode == KEY_ENTER and key.is_command_or_control_pressed():
		apply()
		get_viewport().set_input_as_handled()
	elif key.keycode == KEY_ESCAPE and is_changed():
		revert()
		get_viewport().set_input_as_handled()
	elif (key.is_action(&"ui_undo") or key.is_action(&"ui_redo")) and not is_changed():
		focus_given_up.emit()


## Shows a row of RAGMemory.browse(), or nothing.
func show_memory(memory: Dictionary) -> void:
	_memory = memory
	_is_applied = false
	_empty.visible = memory.is_empty()
	_content.visible = not memory.is_empty()
	if not memory.is_empty():
		_fill()


func memory() -> Dictionary:
	return _memory


## Puts the cursor into the text.
func edit() -> void:
	if not _memory.is_empty() and text.editable:
		text.grab_focus()
		text.select_all()


func is_changed() -> bool:
	return not _memory.is_empty() and not _is_applied and not changes().is_empty()


## Returns what was typed, as the changes of RAGMemory.update_memory().
func changes() -> Dictionary:
	var edited := {}
	var metadata: Dictionary = _memory.metadata
	if text.text != _shown_text:
		edited["text"] = text.text
	if int(importance.value) != metadata.importance:
		edited["importance"] = int(importance.value)
	if tier.selected != metadata.memory_tier:
		edited["memory_tier"] = tier.selected
	for key in _texts:
		if _texts[key].text != metadata[key]:
			edited[key] = _texts[key].text
	for key in _lists:
		if _lists[key].text != _joined(metadata[key] as Array):
			edited[key] = _names_in(_lists[key].text)
	return edited


func apply() -> void:
	if is_changed() and text.text.strip_edges():
		var made := changes()
		_is_applied = true
		_on_typed()
		changes_made.emit(_memory.id, made)


func revert() -> void:
	if not _memory.is_empty():
		_fill()


func _fill() -> void:
	var metadata: Dictionary = _memory.metadata
	var is_archived := _memory.has("archived")
	_title.text = "%s  ·  %s" % [RAGGameTime.text_of(metadata.timestamp as float), _memory.id]
	_title.tooltip_text = _memory.id
	text.text = _memory.document_full
	_shown_text = text.text
	importance.set_value_no_signal(metadata.importance as float)
	tier.select(metadata.memory_tier as int)
	for key in _texts:
		_texts[key].text = metadata[key]
	for key in _lists:
		_lists[key].text = _joined(metadata[key] as Array)
	for field: Control in [text, importance] + _texts.values() + _lists.values():
		field.set(&"editable", not is_archived)
	tier.disabled = is_archived
	_pin.text = "Unpin" if metadata.memory_tier == 0 else "Pin"
	for button: Button in [apply_button, _revert, _pin, _forget]:
		button.visible = not is_archived
	_restore.visible = is_archived
	_show_links(metadata)
	_show_rest(metadata)
	_on_typed()


func _show_links(metadata: Dictionary) -> void:
	for child in _links.get_children():
		child.queue_free()
	if metadata.superseded_by:
		_add_link("Superseded by", metadata.superseded_by as String)
	if _memory.has("archived"):
		var why: String = RAGTableColumns.REASONS.get(
			_memory.archived.reason, _memory.archived.reason
		)
		if _memory.archived.by:
			_add_link("%s by" % why, _memory.archived.by as String)
	var evidence: Variant = metadata.get("evidence")
	if evidence is Array:
		for id: Variant in evidence as Array:
			_add_link("Concluded from", str(id))
	var sources: Variant = metadata.get("source_ids")
	if sources is Array and not (sources as Array).is_empty():
		var label := Label.new()
		label.text = "Summary of %d memories, now archived." % (sources as Array).size()
		label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
		_links.add_child(label)


func _add_link(what: String, id: String) -> void:
	if not id or id == _memory.id:
		return
	var link := LinkButton.new()
	link.text = "%s %s" % [what, id]
	link.tooltip_text = "Show it"
	link.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	link.pressed.connect(func() -> void: memory_chosen.emit(id))
	_links.add_child(link)


func _show_rest(metadata: Dictionary) -> void:
	var lines := PackedStringArray()
	var keys: Array = _OF_MIND.filter(func(key: String) -> bool: return metadata.has(key))
	keys.append_array(metadata.keys().filter(func(key: String) -> bool: return key not in _OF_MIND))
	for key: String in keys:
		var value: Variant = metadata[key]
		var is_told: bool = not (value is bool and not value) and str(value) not in ["", "[]", "{}"]
		if key not in _IN_FIELDS and key not in _ELSEWHERE and is_told:
			var shown: String = value if value is String else JSON.stringify(value)
			if key.ends_with("timestamp") and value is float:
				shown = RAGGameTime.text_of(value as float)
			lines.append("%s: %s" % [key, shown])
	if metadata.last_accessed != metadata.timestamp:
		lines.append("last recalled: %s" % RAGGameTime.text_of(metadata.last_accessed as float))
	if _memory.exchange_id:
		lines.append("exchange: %s" % _memory.exchange_id)
	_rest.text = "\n".join(lines)
	_rest.visible = not lines.is_empty()


func _on_typed() -> void:
	var has_changes := is_changed()
	apply_button.disabled = not has_changes or not text.text.strip_edges()
	_revert.disabled = not has_changes


func _has_focus_inside() -> bool:
	var focus := get_viewport().gui_get_focus_owner()
	return focus != null and is_ancestor_of(focus)


static func _joined(names: Array) -> String:
	return ", ".join(PackedStringArray(names))


static func _names_in(typed: String) -> Array:
	var names := []
	for name in typed.split(",", false):
		if name.strip_edges():
			names.append(name.strip_edges())
	return names

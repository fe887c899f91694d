@tool
extends ConfirmationDialog
## Shows what a file would bring into the open save, asks what the columns of a table are, and
## imports it on OK. The undo of the editor takes it back.

## An NPC remembers more, or less after an undo.
signal imported(npc_id: String)
signal done(message: String)
## It is no file with memories: it becomes files of the project.
signal lore_found(path: String)

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const _LEFT_OUT := "left out"
const _KEYS: Array[String] = [
	_LEFT_OUT,
	"text",
	"npc",
	"importance",
	"timestamp",
	"day",
	"topics",
	"participants",
	"location",
	"event_type",
	"emotion",
	"id",
]
const _NPC_HINT := "Who remembers it: the npc_id of the RAGMemory node"
const _NAME_HINT := "The name of the NPC in the lines of a chat or a dialogue"
const _PLAYER_HINT := "The name of the player in the lines of a chat"
const _KEY_HINT := "What this column is in a memory"
const _NO_SAVE := "Open a save first: %s goes into it."

var undo_redo: EditorUndoRedoManager
## A choice for each column of a table, and below it the first rows.
var grid := GridContainer.new()
var npc := LineEdit.new()
var character := LineEdit.new()
var player := LineEdit.new()

var _session: RAGSaveSession
var _text := RichTextLabel.new()
var _path := ""
# What the game would pass as the option of that name.
var _columns := {}
var _asking: MemoryRequest
# The fields that a table has no use for.
var _of_lines: Array[Control] = []


func _init() -> void:
	title = "Import into the Save"
	ok_button_text = "Import"
	var box := VBoxContainer.new()
	var fields := GridContainer.new()
	fields.columns = 2
	_add_field(fields, "NPC", npc, _NPC_HINT)
	_add_field(fields, "Name in the file", character, _NAME_HINT)
	_add_field(fields, "Player in the file", player, _PLAYER_HINT)
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	scroll.size_flags_stretch_ratio = 2.0
	scroll.add_child(grid)
	_text.size_flags_vertical = Control.SIZE_EXPAND_FILL
	for part: Control in [fields, scroll, _text]:
		box.add_child(part)
	add_child(box)
	confirmed.connect(_bring_in)


func set_up(session: RAGSaveSession) -> void:
	_session = session
	session.closed.connect(hide)


## Reads a file and shows what it would bring; `npc_id` is who is chosen now. Await it.
func open(path: String, npc_id: String) -> void:
	_path = path
	_columns = {}
	npc.text = npc_id
	character.text = ""
	player.text = ""
	if not await _preview():
		return
	if _session.save_id:
		popup_centered(Vector2i(Vector2(760.0, 460.0) * EditorInterface.get_editor_scale()))
	else:
		done.emit(_NO_SAVE % path.get_file())


## Says what a column is, a key of a memory; "" leaves it out. Await it.
func set_column(heading: String, before: String, key: String) -> void:
	if before:
		_columns[before] = ""
	if key:
		_columns[key] = heading
	await _preview()


## Returns the text that is shown before the import.
func preview_text() -> String:
	return _text.text


## Imports a file; undo and redo call it. `made` keeps what an undo has to take back.
func bring_in(save_id: String, path: String, options: Dictionary, made: Dictionary) -> void:
	if _session.save_id != save_id and not await _session.open(save_id):
		return
	var result: Variant = await _session.ask_world(&"import_file", [path, options])
	if result == null:
		return
	made.assign(result as Dictionary)
	done.emit("%s is imported: %s" % [path.get_file(), _summary(made)])
	imported.emit(_npc_of(made))


## Takes an import back; undo calls it.
func take_back(save_id: String, made: Dictionary) -> void:
	if not made or (_session.save_id != save_id and not await _session.open(save_id)):
		return
	if await _session.ask_world(&"undo_import", [made["import"]]) == OK:
		imported.emit(_npc_of(made))


func _add_field(fields: GridContainer, label: String, field: LineEdit, hint: String) -> void:
	var name_label := Label.new()
	name_label.text = label
	field.tooltip_text = hint
	field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	field.text_changed.connect(func(_new: String) -> void: _preview())
	fields.add_child(name_label)
	fields.add_child(field)
	if field != npc:
		_of_lines.append_array([name_label, field])


func _options() -> Dictionary:
	var options := {"columns": _columns.duplicate()}
	var fields := {"npc": npc, "character": character, "player": player}
	for option: String in fields:
		var entered: String = (fields[option] as LineEdit).text.strip_edges()
		if entered:
			options[option] = entered
	return options


# Returns whether there is something to show here.
func _preview() -> bool:
	var request := MemoryServer.preview_import_async(_path, _options())
	_asking = request
	var plan: Dictionary = await request.completed
	if request != _asking:
		return false
	if plan and not plan.table and (plan.lore or plan.personality):
		hide()
		lore_found.emit(_path)
		return false
	get_ok_button().disabled = plan.is_empty()
	var lines := PackedStringArray(["%s: %s" % [_path.get_file(), request.get_error()]])
	if plan:
		lines = PackedStringArray(["%s, %s: %s" % [_path.get_file(), plan.format, _summary(plan)]])
		for line: String in plan.not_kept:
			lines.append("  –  %s" % line)
		_show_table(plan.table as Dictionary)
	_text.text = "\n".join(lines)
	return true


func _show_table(table: Dictionary) -> void:
	for cell in grid.get_children():
		grid.remove_child(cell)
		cell.queue_free()  # one of them may be telling of a choice
	(grid.get_parent() as Control).visible = not table.is_empty()
	for control in _of_lines:
		control.visible = table.is_empty()
	if table.is_empty():
		return
	var headings: Array = table.headings
	grid.columns = maxi(1, headings.size())
	for heading: String in headings:
		var key: Variant = (table.columns as Dictionary).find_key(heading)
		grid.add_child(_choice(heading, key if key != null else ""))
	for row: Array in [headings] + (table.rows as Array):
		for value: String in row:
			var cell := Label.new()
			cell.text = value.left(40)
			cell.tooltip_text = value
			cell.mouse_filter = Control.MOUSE_FILTER_PASS
			grid.add_child(cell)


func _choice(heading: String, key: String) -> OptionButton:
	var choice := OptionButton.new()
	choice.tooltip_text = _KEY_HINT
	for item in _KEYS:
		choice.add_item(item)
	if key and key not in _KEYS:
		choice.add_item(key)
	for index in choice.item_count:
		if choice.get_item_text(index) == (key if key else _LEFT_OUT):
			choice.select(index)
	choice.item_selected.connect(
		func(index: int) -> void:
			var item := choice.get_item_text(index)
			set_column(heading, key, "" if item == _LEFT_OUT else item)
	)
	return choice


func _bring_in() -> void:
	undo_redo.create_action("Import %s" % _path.get_file())
	var made := {}
	undo_redo.add_do_method(self, &"bring_in", _session.save_id, _path, _options(), made)
	undo_redo.add_undo_method(self, &"take_back", _session.save_id, made)
	undo_redo.commit_action()


func _npc_of(plan: Dictionary) -> String:
	var memories: Array = plan.memories
	return plan.id if plan.turns or memories.is_empty() else memories[0].npc_id


func _summary(plan: Dictionary) -> String:
	var npcs := {}
	for memory: Dictionary in plan.memories:
		npcs[memory.npc_id if memory.npc_id else "?"] = true
	if plan.turns:
		npcs[plan.id] = true
	var counts := [(plan.memories as Array).size(), (plan.turns as Array).size()]
	return (
		"memories: %d, turns: %d, NPCs: %s" % (counts + [", ".join(PackedStringArray(npcs.keys()))])
	)

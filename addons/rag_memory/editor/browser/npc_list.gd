@tool
extends Tree
## The NPCs of the open save, with how much each remembers.

signal npc_chosen(npc_id: String)
signal event_types_read

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
# More than these are not seen at a glance.
const _MOST_UNFILTERED := 12
const _NARROWEST := 130.0
const _WIDEST := 280.0
const _NOBODY := "No NPC of this save remembers anything yet. Play the game, or add a memory above."

## The id of the selected NPC, or "".
var npc_id := ""
## The event types that occur in the chosen NPC's memories.
var event_types: Array = []

var _session: RAGSaveSession
var _filter: LineEdit
var _wanted := ""


func _ready() -> void:
	columns = 2
	hide_root = true
	hide_folding = true
	add_theme_constant_override(&"item_margin", 0)
	select_mode = Tree.SELECT_ROW
	set_column_expand(1, false)
	_fit_widths()
	item_selected.connect(_on_item_selected)


## The field [param filter] is shown when there are many NPCs.
func set_up(session: RAGSaveSession, filter: LineEdit) -> void:
	_session = session
	_filter = filter
	_filter.text_changed.connect(func(_text: String) -> void: _show_matches())


func forget_choice() -> void:
	npc_id = ""
	event_types = []


## Reads the NPCs again, keeping the choice; await it.
func refresh() -> void:
	var npcs: Variant = await _session.ask_server(&"list_npcs")
	if npcs is Array:
		_session.clock.take(npcs as Array)
		_fill(npcs as Array)
		await _read_event_types()


## Returns how many memories the chosen NPC has, without archived ones.
func count() -> int:
	var item := _item_of(npc_id) if npc_id else null
	return int(item.get_text(1)) if item != null else 0


## Everybody in the list.
func npc_ids() -> PackedStringArray:
	var ids := PackedStringArray()
	for item in get_root().get_children() if get_root() != null else []:
		if item.get_metadata(0) is String:
			ids.append(item.get_metadata(0) as String)
	return ids


## Chooses an NPC, now or when a save with it is open.
func choose(id: String) -> void:
	var item := _item_of(id)
	_wanted = "" if item != null else id
	if item != null:
		item.select(0)
		scroll_to_item(item)


## Returns whether an NPC is to be chosen as soon as it is in the list.
func is_waiting() -> bool:
	return _wanted != ""


func show_nobody() -> void:
	forget_choice()
	clear()
	_filter.clear()
	_filter.hide()


func _fill(npcs: Array) -> void:
	clear()
	var root := create_item()
	for npc: Dictionary in npcs:
		var item := create_item(root)
		item.set_text(0, npc.npc_id as String)
		item.set_metadata(0, npc.npc_id)
		item.set_text(1, str(npc.total))
		item.set_text_alignment(1, HORIZONTAL_ALIGNMENT_RIGHT)
		item.set_selectable(1, true)
		var words := "%s\n%d pinned, %d important, %d regular, %d superseded, %d archived"
		var numbers := [
			npc.npc_id, npc.pinned, npc.important, npc.regular, npc.superseded, npc.archived
		]
		for column in 2:
			item.set_tooltip_text(column, words % numbers)
	_filter.visible = npcs.size() > _MOST_UNFILTERED
	_fit_widths()
	_show_matches()
	if npcs.is_empty():
		var item := create_item(root)
		item.set_text(0, _NOBODY)
		item.set_autowrap_mode(0, TextServer.AUTOWRAP_WORD_SMART)
		item.set_selectable(0, false)
		item.set_selectable(1, false)
	if npc_id and _item_of(npc_id) == null:
		forget_choice()
		npc_chosen.emit("")
	elif npc_id:
		_item_of(npc_id).select(0)
	if _wanted and _item_of(_wanted) != null:
		choose(_wanted)
	elif not npc_id and npcs.size() == 1:
		choose(npcs[0].npc_id as String)


# As wide as the longest id, within limits.
func _fit_widths() -> void:
	var id_width := 0.0
	var number_width := _width_of("00")
	for item in get_root().get_children() if get_root() != null else []:
		id_width = maxf(id_width, _width_of(item.get_text(0)))
		number_width = maxf(number_width, _width_of(item.get_text(1)))
	number_width += _width_of("00")
	set_column_custom_minimum_width(1, int(number_width))
	var scale := EditorInterface.get_editor_scale()
	var wanted := id_width + number_width + _width_of("0000")
	custom_minimum_size.x = clampf(wanted, _NARROWEST * scale, _WIDEST * scale)


func _width_of(text: String) -> float:
	var font_size := get_theme_font_size(&"font_size")
	return get_theme_font(&"font").get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x


func _show_matches() -> void:
	var words := _filter.text.strip_edges().to_lower() if _filter.visible else ""
	for item in get_root().get_children() if get_root() != null else []:
		item.visible = not words or words in item.get_text(0).to_lower()


func _item_of(id: String) -> TreeItem:
	if get_root() == null:
		return null
	for item in get_root().get_children():
		if item.get_metadata(0) == id:
			return item
	return null


func _on_item_selected() -> void:
	var id: String = get_selected().get_metadata(0)
	if id == npc_id:
		return
	npc_id = id
	_wanted = ""
	event_types = []
	npc_chosen.emit(npc_id)
	_read_event_types()


func _read_event_types() -> void:
	var asked := npc_id
	if not asked:
		return
	var stats: Variant = await _session.ask(asked, &"get_memory_stats")
	if stats is Dictionary and asked == npc_id:
		event_types = (stats.event_types as Dictionary).keys()
		event_types_read.emit()

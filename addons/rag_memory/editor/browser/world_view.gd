@tool
extends VBoxContainer
## The world of the open save, to read: one list for each kind of thing in it, with a filter.

const RAGColumnHeadings := preload("res://addons/rag_memory/editor/column_headings.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const RAGWorldRows := preload("res://addons/rag_memory/editor/browser/world_rows.gd")
const _MOST_ROWS := 500
# The share of each column; a text has what is left.
const _RATIOS: Array[int] = [3, 8, 3, 3]
const _ADVICE: Dictionary[String, String] = {
	"Rumors": "No rumors yet. MemoryWorld.spread_rumor() spreads an event by word of mouth.",
	"Open matters": "Nothing is open. Promises, debts, appointments and the like appear here.",
}
const _NOTHING := "No %s yet. Your game adds them with MemoryWorld.%s()."
const _NO_MATCH := "None of the %d rows matches the filter."

var _session: RAGSaveSession
var _source: RAGWorldRows
var _rows: Array = []
var _npc_id := ""
var _npc_ids := PackedStringArray()
var _asked := 0

@onready var kind: OptionButton = %WorldKind
@onready var only_npc: CheckBox = %Known
@onready var filter: LineEdit = %WorldFilter
@onready var list: Tree = %WorldList
@onready var details: RichTextLabel = %WorldDetails
@onready var _count: Label = %WorldCount
@onready var _empty: Label = %WorldEmpty
@onready var _help: Button = %WorldHelp


func _ready() -> void:
	for name in RAGWorldRows.KINDS:
		kind.add_item(name)
	kind.item_selected.connect(func(_index: int) -> void: refresh())
	only_npc.toggled.connect(func(_is_on: bool) -> void: refresh())
	filter.text_changed.connect(func(_text: String) -> void: _fill())
	list.item_selected.connect(_on_row_selected)
	_help.pressed.connect(_on_help_pressed)
	visibility_changed.connect(refresh)


func set_up(session: RAGSaveSession) -> void:
	_session = session
	_source = RAGWorldRows.new(session)


## Says who is chosen, and who else there is.
func show_npc(npc_id: String, npc_ids: PackedStringArray) -> void:
	_npc_id = npc_id
	_npc_ids = npc_ids
	only_npc.text = "Only what %s knows" % npc_id
	only_npc.visible = npc_id != ""
	refresh()


## Reads the world again; await it.
func refresh() -> void:
	if not is_visible_in_tree() or _session == null:
		return
	_asked += 1
	var asked := _asked
	var of := _npc_id if only_npc.visible and only_npc.button_pressed else ""
	var rows := await _source.of(_name(), of)
	if asked == _asked:
		_rows = rows
		_fill()


func _fill() -> void:
	var titles: Array = RAGWorldRows.KINDS[_name()][0]
	var words := filter.text.strip_edges().to_lower()
	var shown := _rows.filter(
		func(row: RAGWorldRows.RAGRow) -> bool:
			return not words or words in " ".join(row.cells).to_lower()
	)
	list.clear()
	details.hide()
	list.columns = titles.size()
	for column in titles.size():
		RAGColumnHeadings.set_heading(list, column, titles[column] as String)
		list.set_column_expand_ratio(column, _RATIOS[column] if titles[column] else 0)
		list.set_column_clip_content(column, true)
	var root := list.create_item()
	for row: RAGWorldRows.RAGRow in shown.slice(0, _MOST_ROWS):
		var item := list.create_item(root)
		item.set_metadata(0, row)
		for column in row.cells.size():
			item.set_text(column, row.cells[column])
			item.set_tooltip_text(column, row.tooltip if column == 1 else row.cells[column])
	list.set_column_custom_minimum_width(0, _first_width())
	_count.text = str(shown.size())
	_count.tooltip_text = "How many rows this list has"
	if shown.size() > _MOST_ROWS:
		_count.text = "%d of %d" % [_MOST_ROWS, shown.size()]
		_count.tooltip_text = "Only the first rows are listed. Filter to see others."
	_empty.text = _advice() if _rows.is_empty() else _NO_MATCH % _rows.size()
	(_empty.get_parent() as Control).visible = shown.is_empty()
	_help.visible = _rows.is_empty()


# The first column, a time in most lists, is shown in full.
func _first_width() -> int:
	var font := list.get_theme_font(&"font")
	var font_size := list.get_theme_font_size(&"font_size")
	var widest := 0.0
	for item in list.get_root().get_children():
		var text := item.get_text(0) + "nn"
		var width := font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x
		widest = maxf(widest, width)
	return ceili(minf(widest, list.size.x / list.columns))


func _name() -> String:
	return kind.get_item_text(maxi(kind.selected, 0))


func _advice() -> String:
	return _ADVICE.get(_name(), _NOTHING % [_name().to_lower(), RAGWorldRows.KINDS[_name()][1]])


func _on_row_selected() -> void:
	var row: RAGWorldRows.RAGRow = list.get_selected().get_metadata(0)
	details.text = row.tooltip
	details.show()
	if not row.event.is_empty():
		details.text += "\nKnown to …"
		var asked := _asked
		var knowers := await _source.knowers(row.event, _npc_ids)
		var selected := list.get_selected()
		if asked == _asked and selected != null and selected.get_metadata(0) == row:
			details.text = "%s\nKnown to %s." % [row.tooltip, knowers]


func _on_help_pressed() -> void:
	EditorInterface.set_main_screen_editor("Script")
	var method: String = RAGWorldRows.KINDS[_name()][1]
	EditorInterface.get_script_editor().goto_help("class_method:MemoryWorld:" + method)

@tool
extends RefCounted
## The columns of the table, their widths, and the text of a memory in each.

enum RAGKind { MEMORIES, FOUND, ARCHIVED }

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const TIERS: Array[String] = ["Pinned", "Important", "Regular"]
const REASONS: Dictionary[String, String] = {
	"slot_update": "Replaced",
	"info_update": "Updated",
	"updated": "Edited",
	"consolidated": "Merged",
}
# Key for sorting, title, width in letters (0: what is left), whether the worker sorts by it.
const _COLUMNS: Dictionary[RAGKind, Array] = {
	RAGKind.MEMORIES:
	[
		["timestamp", "When", 18, true],
		["memory_tier", "Tier", 10, true],
		["importance", "Imp.", 6, true],
		["event_type", "Event", 17, true],
		["text", "Memory", 0, true],
	],
	RAGKind.FOUND:
	[
		["similarity", "Similar", 9, false],
		["timestamp", "When", 18, false],
		["memory_tier", "Tier", 10, false],
		["importance", "Imp.", 6, false],
		["event_type", "Event", 17, false],
		["text", "Memory", 0, false],
	],
	RAGKind.ARCHIVED:
	[
		["archived_at", "Archived", 18, true],
		["archived_reason", "Why", 10, true],
		["timestamp", "When", 18, true],
		["importance", "Imp.", 6, true],
		["event_type", "Event", 17, true],
		["text", "Memory", 0, true],
	],
}
const _TIMES: Array[String] = ["timestamp", "archived_at"]
const _MOST_TIME_LETTERS := 28.0
# In a narrow table the text keeps its share: these columns go, in this order.
const _GIVEN_UP: Array[String] = [
	"event_type", "memory_tier", "archived_reason", "importance", "timestamp"
]
const _MOST_FIXED := 0.65
# More is on no screen, and long texts take long to shape.
const _SHAPED_LETTERS := 400


class RAGColumn:
	var key: String
	var title: String
	var x: float
	var width: float
	var is_sortable: bool


class RAGCell:
	var line: TextLine
	var x: float
	var color := Color.WHITE


var kind := RAGKind.MEMORIES:
	set(value):
		kind = value
		forget_layout()

var _layout: Array[RAGColumn] = []
var _layout_width := -1.0


## The font or its size is another one.
func forget_layout() -> void:
	_layout_width = -1.0


## The columns in a table of this width.
func laid_out(table: Control, width: float) -> Array[RAGColumn]:
	if width != _layout_width:
		_layout = _lay_out(table, width)
		_layout_width = width
	return _layout


func _lay_out(table: Control, width: float) -> Array[RAGColumn]:
	var font := table.get_theme_font(&"font", &"Tree")
	var letter := font.get_string_size(
		"n", HORIZONTAL_ALIGNMENT_LEFT, -1, table.get_theme_font_size(&"font_size", &"Tree")
	)
	var shown: Array = _COLUMNS[kind].duplicate(true)
	var fixed := 0.0
	for entry: Array in shown:
		if entry[0] in _TIMES:
			var widest := font.get_string_size(
				RAGGameTime.longest_text(),
				HORIZONTAL_ALIGNMENT_LEFT,
				-1,
				table.get_theme_font_size(&"font_size", &"Tree")
			)
			entry[2] = clampf(widest.x / letter.x + 1.0, entry[2] as float, _MOST_TIME_LETTERS)
		fixed += entry[2] * letter.x
	for key in _GIVEN_UP:
		var at := shown.find_custom(func(entry: Array) -> bool: return entry[0] == key)
		if fixed > width * _MOST_FIXED and at >= 0:
			fixed -= shown[at][2] * letter.x
			shown.remove_at(at)
	var shrink := minf(1.0, width * _MOST_FIXED / fixed)
	var columns: Array[RAGColumn] = []
	var x := 0.0
	for entry: Array in shown:
		var column := RAGColumn.new()
		column.key = entry[0]
		column.title = entry[1]
		column.x = x
		column.width = entry[2] * letter.x * shrink if entry[2] else width - x
		column.is_sortable = entry[3]
		columns.append(column)
		x += column.width
	return columns


## The shaped cells of a memory.
func texts_of(row: Dictionary, table: Control, width: float) -> Array[RAGCell]:
	var font := table.get_theme_font(&"font", &"Tree")
	var font_size := table.get_theme_font_size(&"font_size", &"Tree")
	var gap := 4.0 * EditorInterface.get_editor_scale()
	var cells: Array[RAGCell] = []
	for column in laid_out(table, width):
		var cell := RAGCell.new()
		cell.line = shaped(text_of(row, column.key), font, font_size, column.width - 2.0 * gap)
		cell.x = column.x + gap
		if column.key == "memory_tier" and row.metadata.memory_tier == 0:
			cell.color = table.get_theme_color(&"accent_color", &"Editor")
		cells.append(cell)
	return cells


## A line that ends in an ellipsis where it does not fit.
static func shaped(text: String, font: Font, font_size: int, width: float) -> TextLine:
	var line := TextLine.new()
	line.add_string(text.left(_SHAPED_LETTERS), font, font_size)
	if line.get_size().x > width:
		line.width = maxf(width, 1.0)
		line.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	return line


## Returns what a memory says in a column.
static func text_of(row: Dictionary, key: String) -> String:
	var metadata: Dictionary = row.metadata
	match key:
		"timestamp":
			return RAGGameTime.text_of(metadata.timestamp as float)
		"archived_at":
			return RAGGameTime.text_of(row.archived.at as float)
		"archived_reason":
			return REASONS.get(row.archived.reason, row.archived.reason)
		"memory_tier":
			return TIERS[metadata.memory_tier]
		"similarity":
			return "%.2f" % row.get("similarity", 0.0)
		"text":
			var text: String = row.document_full
			return text.replace("\r", "").replace("\n", " ").replace("\t", " ")
		_:
			return str(metadata[key])


## Superseded memories are drawn fainter.
static func is_faint(row: Dictionary) -> bool:
	return row.metadata.superseded_by != ""

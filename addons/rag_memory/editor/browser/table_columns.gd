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
	"over_limit": "Above the limit",
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
const _SHOWN_LETTERS := 400


class RAGColumn:
	var key: String
	var title: String
	## 0 for what is left.
	var width: float
	var is_sortable: bool


## The columns in a table of its present width.
static func laid_out(kind: RAGKind, table: Tree) -> Array[RAGColumn]:
	var letter := _width_of("n", table)
	var shown: Array = _COLUMNS[kind].duplicate(true)
	var fixed := 0.0
	for entry: Array in shown:
		if entry[0] in _TIMES:
			var widest := _width_of(RAGGameTime.longest_text(), table)
			entry[2] = clampf(widest / letter + 1.0, entry[2] as float, _MOST_TIME_LETTERS)
		fixed += entry[2] * letter
	var most := table.size.x * _MOST_FIXED
	for key in _GIVEN_UP:
		var at := shown.find_custom(func(entry: Array) -> bool: return entry[0] == key)
		if fixed > most and at >= 0:
			fixed -= shown[at][2] * letter
			shown.remove_at(at)
	var columns: Array[RAGColumn] = []
	for entry: Array in shown:
		var column := RAGColumn.new()
		column.key = entry[0]
		column.title = entry[1]
		column.width = entry[2] * letter * minf(1.0, most / fixed)
		column.is_sortable = entry[3]
		columns.append(column)
	return columns


static func _width_of(text: String, table: Tree) -> float:
	var font_size := table.get_theme_font_size(&"font_size")
	var font := table.get_theme_font(&"font")
	return font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x


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
			var text := (row.document_full as String).left(_SHOWN_LETTERS)
			text = text.replace("\r", "").replace("\n", " ").replace("\t", " ")
			return "×%d %s" % [metadata.repeat_count, text] if metadata.repeat_count > 1 else text
		_:
			return str(metadata[key])


## Superseded memories are drawn fainter.
static func is_faint(row: Dictionary) -> bool:
	return row.metadata.superseded_by != ""

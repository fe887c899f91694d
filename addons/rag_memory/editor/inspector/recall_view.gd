@tool
extends VBoxContainer
## The recalled memories: each memory with its score, the form that was used and its tokens, and
## what was left out.

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGScoreBars := preload("res://addons/rag_memory/editor/inspector/score_bars.gd")
const RAGTextRows := preload("res://addons/rag_memory/editor/inspector/text_rows.gd")

const _CAPTION := (
	"Protected: part of every answer. Score: memories with a higher score come first. Form: the "
	+ "full text, or a short form if that is all that fits. Tokens: its share of the token budget."
)
const _FACTORS: Dictionary[String, String] = {
	"tier": "How firmly it is kept in mind: pinned, important or regular",
	"importance": "How much the event mattered, 1 to 10",
	"recency": "How fresh it is: 1 when new, fading with the game's time",
	"relevance": "How well it fits what the player says, 0 to 1",
	"in force": "1, unless a later memory has replaced it",
}

@onready var _legend: HFlowContainer = %Legend
@onready var _rows: RAGTextRows = %Rows


## Shows memories as [method RAGMemory.retrieve_scored] returns them, and lines of what is not among
## them.
func show_memories(memories: Array, left_out: PackedStringArray = []) -> void:
	clear()
	var best_score := 0.0
	var largest_weight := 0.0
	for memory: Dictionary in memories:
		if not memory.get("protected", false):
			best_score = maxf(best_score, memory.get("score", 0.0))
		var breakdown: Dictionary = memory.get("breakdown", {})
		largest_weight = maxf(largest_weight, breakdown.get("tier_weight", 0.0))
	for memory: Dictionary in memories:
		_add_row(memory, best_score, largest_weight)
	for line in left_out:
		_rows.add_note(line).tooltip_text = _CAPTION
	_show_legend()
	visible = not memories.is_empty() or not left_out.is_empty()


func clear() -> void:
	visible = false
	_rows.clear()


func _add_row(memory: Dictionary, best_score: float, largest_weight: float) -> void:
	var text: String = memory.get("rendered_text", memory.get("document", memory.get("text", "")))
	_rows.add_text(text).tooltip_text = memory.get("document", text)
	var caption := PackedStringArray()
	if memory.get("protected", false):
		caption.append("protected")
	else:
		var bars := RAGScoreBars.new()
		_rows.add_child(bars)
		bars.show_score(memory, best_score, largest_weight)
		caption.append("score %.2f" % memory.get("score", 0.0))
	var timestamp: Variant = memory.get("timestamp", memory.get("metadata", {}).get("timestamp"))
	if timestamp is float:
		caption.append(RAGGameTime.text_of(timestamp as float))
	if memory.get("used_form", ""):
		caption.append("%s form" % memory.used_form)
	if memory.has("tokens"):
		caption.append("%d tokens" % memory.tokens)
	_rows.add_note(" · ".join(caption)).tooltip_text = _CAPTION
	_rows.add_child(HSeparator.new())


func _show_legend() -> void:
	for entry in _legend.get_children():
		_legend.remove_child(entry)
		entry.queue_free()
	var names: Array[String] = RAGScoreBars.FACTORS.values()
	for factor in names.size():
		var label := Label.new()
		label.text = names[factor]
		label.tooltip_text = _FACTORS[names[factor]]
		label.mouse_filter = Control.MOUSE_FILTER_PASS
		label.add_theme_color_override(&"font_color", RAGScoreBars.color_of(factor, self))
		_legend.add_child(label)

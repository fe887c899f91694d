@tool
extends Control
## The score of one memory as a bar, and below it a small bar for each of the five factors.

const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
## The factors by the names that a memory's [code]breakdown[/code] has, and as they are shown.
const FACTORS: Dictionary[String, String] = {
	"tier_weight": "tier",
	"importance": "importance",
	"recency": "recency",
	"relevance": "relevance",
	"supersession": "in force",
}

var _score := 0.0
var _best_score := 1.0
var _shares: Array[float] = []


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED:
		custom_minimum_size.y = 12.0 * EditorInterface.get_editor_scale()


## Shows a memory's score beside the best one, and its factors beside their largest value.
func show_score(memory: Dictionary, best_score: float, largest_tier_weight: float) -> void:
	_score = memory.get("score", 0.0)
	_best_score = maxf(best_score, 0.000001)
	var breakdown: Dictionary = memory.get("breakdown", {})
	var lines := PackedStringArray(["score %.3f" % _score])
	_shares.clear()
	for factor: String in FACTORS:
		var value: float = breakdown.get(factor, 0.0)
		_shares.append(
			value / maxf(largest_tier_weight, 0.001) if factor == "tier_weight" else value
		)
		lines.append("%s %.2f" % [FACTORS[factor], value])
	tooltip_text = "\n".join(lines)
	queue_redraw()


## The colour of a factor, the same everywhere.
static func color_of(factor: int, control: Control) -> Color:
	var accent := control.get_theme_color(&"accent_color", &"Editor")
	var hue := Color.from_hsv(fposmod(accent.h + factor * 0.17, 1.0), accent.s, accent.v)
	var softened := hue.lerp(control.get_theme_color(&"font_color", &"Label"), 0.25)
	return RAGLegible.on_panel(softened, control)


func _draw() -> void:
	var text := get_theme_color(&"font_color", &"Label")
	var trough := Color(text, text.a * 0.12)
	var gap := 2.0 * EditorInterface.get_editor_scale()
	var height := (size.y - gap) * 0.5
	draw_rect(Rect2(0.0, 0.0, size.x, height), trough)
	var share := clampf(_score / _best_score, 0.0, 1.0)
	draw_rect(Rect2(0.0, 0.0, size.x * share, height), Color(text, text.a * 0.7))
	var width := (size.x - gap * (_shares.size() - 1)) / maxi(1, _shares.size())
	for factor in _shares.size():
		var place := Vector2(factor * (width + gap), height + gap)
		draw_rect(Rect2(place, Vector2(width, height)), trough)
		var filled := Vector2(width * clampf(_shares[factor], 0.0, 1.0), height)
		draw_rect(Rect2(place, filled), color_of(factor, self))

@tool
extends Control
## A feeling towards somebody as a bar from 0 to 100. It grows from the middle, which is
## indifference.

const _HIGHEST := 100.0
const _COLORS: Dictionary[String, StringName] = {
	"friendly": &"success_color", "hostile": &"error_color"
}

## From 0 to 100.
var strength := 50.0
## As [method NPCMind.get_disposition] names it; it decides the colour.
var feeling := "neutral"


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED:
		custom_minimum_size.y = 8.0 * EditorInterface.get_editor_scale()


## The bar's colour on this theme.
func color() -> Color:
	var text := get_theme_color(&"font_color", &"Label")
	if not _COLORS.has(feeling):
		return Color(text, text.a * 0.7)
	# Towards the colour of text, which stands out on any theme.
	return get_theme_color(_COLORS[feeling], &"Editor").lerp(text, 0.15)


func _draw() -> void:
	var text := get_theme_color(&"font_color", &"Label")
	var middle := size.x * 0.5
	var end := size.x * clampf(strength / _HIGHEST, 0.0, 1.0)
	draw_rect(Rect2(Vector2.ZERO, size), Color(text, text.a * 0.12))
	draw_rect(Rect2(minf(middle, end), 0.0, absf(end - middle), size.y), color())
	var width := maxf(1.0, roundf(EditorInterface.get_editor_scale()))
	draw_rect(Rect2(middle - width * 0.5, 0.0, width, size.y), text)

@tool
extends Control
## A plot of curves over one axis, in the colours, fonts and scale of the editor.

const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const _GRID_LINES := 4
const _HEIGHT_IN_LINES := 9.0
const _SMALLEST_TOP := 0.001

## Up to which value the horizontal axis goes.
var axis_end := 1.0

var _names := PackedStringArray()
var _curves: Array[PackedFloat64Array] = []


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED:
		custom_minimum_size.y = _HEIGHT_IN_LINES * _line_height()


## Shows curves: values at equal distances along the axis, by the names that the plot writes beside
## them.
func show_curves(curves: Dictionary[String, PackedFloat64Array]) -> void:
	_names = PackedStringArray(curves.keys())
	_curves.assign(curves.values())
	queue_redraw()


## Returns whether there are curves to be seen.
func has_curves() -> bool:
	return not _curves.is_empty()


## The largest value of all curves that are shown.
func top() -> float:
	var largest := _SMALLEST_TOP
	for values in _curves:
		for value in values:
			largest = maxf(largest, value)
	return largest


func _draw() -> void:
	if not has_curves():
		_write("…", size * 0.5, get_theme_color(&"font_color", &"Label"))
		return
	var highest := top()
	var area := _area(highest)
	_draw_grid(area, highest)
	for curve in _curves.size():
		var points := PackedVector2Array()
		var values := _curves[curve]
		for point in values.size():
			var share := float(point) / (values.size() - 1)
			var place := Vector2(share, 1.0 - values[point] / highest)
			points.append(area.position + place * area.size)
		draw_polyline(points, color_of(curve), 2.0 * EditorInterface.get_editor_scale(), true)
	_draw_names(area)


func _area(highest: float) -> Rect2:
	var left := 0.0
	for line in _GRID_LINES + 1:
		left = maxf(left, _width(_number(highest * line / _GRID_LINES)))
	left += _gap()
	var lines := 1.0 if _names.size() < 2 else 2.0
	var above := _line_height() * 0.5
	var below := lines * _line_height() + _gap()
	return Rect2(left, above, size.x - left - _gap(), size.y - above - below)


func _draw_grid(area: Rect2, highest: float) -> void:
	var text := get_theme_color(&"font_color", &"Label")
	var grid := Color(text, text.a * 0.15)
	var width := maxf(1.0, roundf(EditorInterface.get_editor_scale()))
	for line in _GRID_LINES + 1:
		var share := float(line) / _GRID_LINES
		var y := area.end.y - share * area.size.y
		draw_line(Vector2(area.position.x, y), Vector2(area.end.x, y), grid, width)
		var height := _number(highest * share)
		var beside := area.position.x - _gap() * 0.5 - _width(height)
		_write(height, Vector2(beside, y + _ascent() * 0.4), text)
		var x := area.position.x + share * area.size.x
		draw_line(Vector2(x, area.position.y), Vector2(x, area.end.y), grid, width)
		var place := _number(axis_end * share)
		var start := clampf(x - _width(place) * 0.5, 0.0, size.x - _width(place))
		_write(place, Vector2(start, area.end.y + _line_height()), text)


func _draw_names(area: Rect2) -> void:
	if _names.size() < 2:
		return
	var place := Vector2(area.position.x, size.y - _gap() * 0.5)
	for curve in _names.size():
		_write(_names[curve], place, color_of(curve))
		place.x += _width(_names[curve]) + 2.0 * _gap()


## Of a curve and its name: hues beside the accent colour.
func color_of(curve: int) -> Color:
	var accent := get_theme_color(&"accent_color", &"Editor")
	var share := float(curve) / maxi(1, _curves.size())
	var hue := Color.from_hsv(fposmod(accent.h + share * 0.8, 1.0), accent.s, accent.v)
	return RAGLegible.on_panel(hue.lerp(get_theme_color(&"font_color", &"Label"), 0.25), self)


func _number(value: float) -> String:
	return String.num(value, 1 if value >= 10.0 else 3).trim_suffix(".0")


func _write(text: String, at: Vector2, color: Color) -> void:
	draw_string(_font(), at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size(), color)


func _width(text: String) -> float:
	return _font().get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size()).x


func _gap() -> float:
	return 6.0 * EditorInterface.get_editor_scale()


func _line_height() -> float:
	return _font().get_height(_font_size())


func _ascent() -> float:
	return _font().get_ascent(_font_size())


func _font() -> Font:
	return get_theme_font(&"font", &"Label")


func _font_size() -> int:
	return roundi(get_theme_font_size(&"font_size", &"Label") * 0.85)

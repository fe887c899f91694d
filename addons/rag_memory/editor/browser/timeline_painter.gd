@tool
extends RefCounted
## Draws an NPC's life on the timeline, and knows where everything is.

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const RAGTableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")
const RAGTimelineScale := preload("res://addons/rag_memory/editor/browser/timeline_scale.gd")
const LANES: Array[String] = ["Pinned", "Important", "Regular", "Archived"]
const _LINK_POINTS := 24

## The result of RAGMemory.get_timeline().
var life: Dictionary = {}
## The visible range; the counts may still be those of an earlier view.
var span := RAGTimelineScale.new()
## The positions of the lanes.
var area := Rect2(0.0, 0.0, 1.0, 1.0)
var chosen_id := ""
var hovered_id := ""

var _canvas: Control


func _init(canvas: Control) -> void:
	_canvas = canvas


func lay_out() -> void:
	var font := _font()
	var gutter := 0.0
	for lane in LANES:
		gutter = maxf(gutter, _width_of(lane))
	var left := gutter + 12.0 * _scale()
	var bottom := font.get_height(_font_size()) + 4.0 * _scale()
	var top := 6.0 * _scale()
	var width := maxf(1.0, _canvas.size.x - left - 8.0 * _scale())
	area = Rect2(left, top, width, maxf(1.0, _canvas.size.y - bottom - top))


func draw() -> void:
	_draw_lanes()
	_draw_axis()
	_draw_links()
	_draw_marks()


func draw_message(message: String) -> void:
	var paragraph := TextParagraph.new()
	paragraph.add_string(message, _font(), _font_size())
	paragraph.width = maxf(_canvas.size.x - 16.0 * _scale(), 1.0)
	paragraph.alignment = HORIZONTAL_ALIGNMENT_CENTER
	var top := maxf(0.0, (_canvas.size.y - paragraph.get_size().y) / 2.0)
	paragraph.draw(_canvas.get_canvas_item(), Vector2(8.0 * _scale(), top), _faint())


func mark_at(at: Vector2) -> Dictionary:
	for mark: Dictionary in life.get("marks", []):
		var reach := _radius(mark) + 3.0 * _scale()
		if place(mark, mark.memory_tier as int).distance_to(at) <= reach:
			return mark
	return {}


func place(memory: Dictionary, lane: int) -> Vector2:
	var rect := _lane(lane)
	var height: float = memory.get("importance", 5) / 11.0
	return Vector2(
		span.x_of(memory.timestamp as float, area), lerpf(rect.end.y, rect.position.y, height)
	)


func _draw_lanes() -> void:
	var font := _font()
	var line_color := _canvas.get_theme_color(&"guide_color", &"Tree")
	for lane in LANES.size():
		var rect := _lane(lane)
		_canvas.draw_line(Vector2(rect.position.x, rect.end.y), rect.end, line_color)
		var middle := rect.get_center().y + font.get_ascent(_font_size()) / 2.0
		_write(LANES[lane], Vector2(4.0 * _scale(), middle))
		_draw_counts(rect, life.archived if lane == 3 else life.counts[lane], color_of(lane))


func _draw_counts(lane: Rect2, counts: Array, color: Color) -> void:
	var most: int = maxi(1, counts.max() as int)
	color.a = 0.35
	var width: float = (life.end - life.begin) / counts.size()
	for bucket in counts.size():
		if counts[bucket] == 0:
			continue
		var left := span.x_of(life.begin + bucket * width, area)
		var right := maxf(span.x_of(life.begin + (bucket + 1) * width, area), left + 2.0)
		var height: float = lane.size.y * 0.9 * sqrt(float(counts[bucket]) / most)
		var rect := Rect2(left, lane.end.y - height, right - left, height)
		_canvas.draw_rect(rect.intersection(lane), color)


func _draw_axis() -> void:
	var font := _font()
	var line_color := _canvas.get_theme_color(&"guide_color", &"Tree")
	for tick in span.ticks(area, _label_width()):
		var x := span.x_of(tick, area)
		_canvas.draw_line(Vector2(x, area.position.y), Vector2(x, area.end.y), line_color)
		var at := Vector2(x + 3.0 * _scale(), area.end.y + font.get_ascent(_font_size()))
		var label := RAGGameTime.text_of(tick)
		if at.x + _width_of(label) <= _canvas.size.x:
			_write(label, at)


# The smallest distance of two labels of the axis.
func _label_width() -> float:
	var width := 110.0 * _scale()
	for moment: float in [span.begin, span.end]:
		width = maxf(width, _width_of(RAGGameTime.text_of(moment)))
	return width + 20.0 * _scale()


func _draw_links() -> void:
	for link: Dictionary in life.links:
		var is_merge: bool = link.kind == "consolidated"
		var from := place(link.from as Dictionary, 3 if is_merge else int(link.from.memory_tier))
		var to := place(link.to as Dictionary, link.to.memory_tier as int)
		var color := _canvas.get_theme_color(
			&"accent_color" if is_merge else &"warning_color", &"Editor"
		)
		var is_near: bool = link.to.id == chosen_id or link.from.id == chosen_id
		color.a = 1.0 if is_near else 0.5
		var lift := Vector2(0.0, -minf(absf(to.x - from.x) * 0.3 + 8.0, 40.0) * _scale())
		var points := PackedVector2Array()
		for step in _LINK_POINTS + 1:
			points.append(
				from.bezier_interpolate(from + lift, to + lift, to, step / float(_LINK_POINTS))
			)
		_canvas.draw_polyline(points, color, (2.0 if is_near else 1.0) * _scale(), true)
		_canvas.draw_circle(to, 2.5 * _scale(), color)


func _draw_marks() -> void:
	for mark: Dictionary in life.marks:
		var at := place(mark, mark.memory_tier as int)
		if not area.grow(8.0).has_point(at):
			continue
		var color := color_of(mark.memory_tier as int)
		if mark.superseded_by:
			color.a = 0.5
		_canvas.draw_circle(at, _radius(mark), color)
		if mark.is_milestone:
			_canvas.draw_arc(
				at, _radius(mark) + 2.0 * _scale(), 0.0, TAU, 24, color, _scale(), true
			)
		if mark.id == chosen_id or mark.id == hovered_id:
			var ring := _canvas.get_theme_color(&"font_color", &"Label")
			_canvas.draw_arc(
				at, _radius(mark) + 4.0 * _scale(), 0.0, TAU, 24, ring, 2.0 * _scale(), true
			)


func _radius(mark: Dictionary) -> float:
	return (2.5 + mark.importance * 0.25) * _scale()


func _lane(number: int) -> Rect2:
	var height := area.size.y / LANES.size()
	return Rect2(area.position.x, area.position.y + number * height, area.size.x, height)


## The colour of a lane: of what is in it, and of its memories.
func color_of(lane: int) -> Color:
	var color := _canvas.get_theme_color(&"font_color", &"Label")
	if lane == 0:
		color = _canvas.get_theme_color(&"accent_color", &"Editor")
	elif lane == 1:
		color = _canvas.get_theme_color(&"success_color", &"Editor")
	elif lane == 3:
		color = _faint()
	return RAGLegible.on_panel(color, _canvas, RAGLegible.GRAPHICS)


func _faint() -> Color:
	var color := _canvas.get_theme_color(&"font_color", &"Label")
	color.a = 0.6
	return color


func _write(text: String, at: Vector2) -> void:
	_canvas.draw_string(_font(), at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size(), _faint())


func _width_of(text: String) -> float:
	return _font().get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size()).x


func _font() -> Font:
	return _canvas.get_theme_font(&"font", &"Label")


func _font_size() -> int:
	return _canvas.get_theme_font_size(&"font_size", &"Label")


func _scale() -> float:
	return EditorInterface.get_editor_scale()

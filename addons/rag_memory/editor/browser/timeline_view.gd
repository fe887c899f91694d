@tool
extends Control
## An NPC's life: how many memories of each tier when, the most telling ones, and what superseded or
## summed up what. The wheel zooms, dragging moves, the arrow keys go from mark to mark.

signal memory_chosen(id: String)

const SaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const TableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")
const TimelineScale := preload("res://addons/rag_memory/editor/browser/timeline_scale.gd")
const _LANES: Array[String] = ["Pinned", "Important", "Regular", "Archived"]
const _ZOOM := 1.25
const _LINK_POINTS := 24
const _EMPTY := "Choose an NPC to see its life."
const _NOTHING := "This NPC remembers nothing yet."

var chosen_id := ""

var _session: SaveSession
var _npc_id := ""
var _life: Dictionary = {}
# What is on the screen; the counts of `_life` may still be those of an earlier view.
var _view := TimelineScale.new()
var _asking := Timer.new()
var _generation := 0
var _hovered: Dictionary = {}


func _init() -> void:
	focus_mode = Control.FOCUS_ALL
	clip_contents = true
	_asking.one_shot = true
	_asking.wait_time = 0.1
	_asking.timeout.connect(_ask)
	add_child(_asking)


func set_up(session: SaveSession) -> void:
	_session = session


## Shows the life of an NPC, or of nobody.
func show_npc(npc_id: String) -> void:
	_npc_id = npc_id
	_life = {}
	_view.is_whole = true
	queue_redraw()
	refresh()


func refresh() -> void:
	if _npc_id and is_visible_in_tree():
		_ask()


## The drawn data, for tests.
func life() -> Dictionary:
	return _life


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_VISIBILITY_CHANGED:
			refresh()
		NOTIFICATION_RESIZED:
			if _asking.is_inside_tree():
				_asking.start()
		NOTIFICATION_FOCUS_ENTER, NOTIFICATION_FOCUS_EXIT, NOTIFICATION_THEME_CHANGED:
			queue_redraw()


func _ask() -> void:
	if not _npc_id or not is_visible_in_tree():
		return
	_generation += 1
	var generation := _generation
	var options := {"buckets": clampi(int(_plot().size.x / (3.0 * _scale())), 1, 1000)}
	if not _view.is_whole:
		options.merge({"begin": _view.begin, "end": _view.end})
	var answer: Variant = await _session.ask(_npc_id, &"get_timeline", [options])
	if generation == _generation and answer is Dictionary:
		_life = answer
		if _view.is_whole:
			_view.take_whole(_life.begin as float, _life.end as float)
		queue_redraw()


func _gui_input(event: InputEvent) -> void:
	if event is InputEventMouseButton and event.is_pressed():
		_use_button(event as InputEventMouseButton)
	elif event is InputEventMouseMotion:
		_use_motion(event as InputEventMouseMotion)
	elif event is InputEventKey and event.is_pressed() and _use_key(event as InputEventKey):
		accept_event()


func _use_button(event: InputEventMouseButton) -> void:
	match event.button_index:
		MOUSE_BUTTON_WHEEL_UP:
			_zoom(1.0 / _ZOOM, event.position.x)
		MOUSE_BUTTON_WHEEL_DOWN:
			_zoom(_ZOOM, event.position.x)
		MOUSE_BUTTON_LEFT:
			grab_focus()
			if event.double_click:
				_show_whole()
			else:
				_choose(_mark_at(event.position))
		_:
			return
	accept_event()


func _use_motion(event: InputEventMouseMotion) -> void:
	if event.button_mask & (MOUSE_BUTTON_MASK_LEFT | MOUSE_BUTTON_MASK_MIDDLE):
		if _life and event.relative.x:
			_view.move(-event.relative.x, _plot())
			_changed_view()
	var mark := _mark_at(event.position)
	if mark.get("id") != _hovered.get("id"):
		_hovered = mark
		queue_redraw()


func _use_key(event: InputEventKey) -> bool:
	match event.keycode:
		KEY_LEFT:
			_choose_beside(-1)
		KEY_RIGHT:
			_choose_beside(1)
		KEY_PLUS, KEY_EQUAL, KEY_KP_ADD:
			_zoom(1.0 / _ZOOM, _plot().get_center().x)
		KEY_MINUS, KEY_KP_SUBTRACT:
			_zoom(_ZOOM, _plot().get_center().x)
		KEY_HOME:
			_show_whole()
		_:
			return false
	return true


func _zoom(factor: float, x: float) -> void:
	if _life:
		_view.zoom(factor, x, _plot())
		_changed_view()


func _show_whole() -> void:
	_view.is_whole = true
	_ask()


func _changed_view() -> void:
	queue_redraw()
	if _asking.is_stopped():
		_asking.start()


func _choose(mark: Dictionary) -> void:
	if mark:
		chosen_id = mark.id
		memory_chosen.emit(chosen_id)
		queue_redraw()


func _choose_beside(direction: int) -> void:
	var marks := _marks_in_order()
	if marks.is_empty():
		return
	var at := marks.find_custom(func(mark: Dictionary) -> bool: return mark.id == chosen_id)
	if at < 0:
		at = -1 if direction > 0 else marks.size()
	_choose(marks[clampi(at + direction, 0, marks.size() - 1)] as Dictionary)


func _marks_in_order() -> Array:
	var marks: Array = _life.get("marks", []).duplicate()
	marks.sort_custom(func(a: Dictionary, b: Dictionary) -> bool: return a.timestamp < b.timestamp)
	return marks


func _draw() -> void:
	draw_style_box(get_theme_stylebox(&"panel", &"Tree"), Rect2(Vector2.ZERO, size))
	if _life.is_empty() or not _has_memories():
		_draw_message(_NOTHING if _npc_id and _life else _EMPTY)
		return
	_draw_lanes()
	_draw_axis()
	_draw_links()
	_draw_marks()
	if has_focus():
		draw_style_box(get_theme_stylebox(&"focus", &"Tree"), Rect2(Vector2.ZERO, size))


func _draw_lanes() -> void:
	var font := get_theme_font(&"font", &"Label")
	var line_color := get_theme_color(&"guide_color", &"Tree")
	for lane in _LANES.size():
		var rect := _lane(lane)
		draw_line(Vector2(rect.position.x, rect.end.y), rect.end, line_color)
		var middle := rect.get_center().y + font.get_ascent(_font_size()) / 2.0
		draw_string(
			font,
			Vector2(4.0 * _scale(), middle),
			_LANES[lane],
			HORIZONTAL_ALIGNMENT_LEFT,
			-1,
			_font_size(),
			_faint()
		)
		_draw_counts(rect, _life.archived if lane == 3 else _life.counts[lane], _color(lane))


# The height is that of the square root: one memory beside a thousand is still seen.
func _draw_counts(lane: Rect2, counts: Array, color: Color) -> void:
	var most: int = maxi(1, counts.max() as int)
	color.a = 0.35
	var width: float = (_life.end - _life.begin) / counts.size()
	for bucket in counts.size():
		if counts[bucket] == 0:
			continue
		var left := _view.x_of(_life.begin + bucket * width, _plot())
		var right := maxf(_view.x_of(_life.begin + (bucket + 1) * width, _plot()), left + 2.0)
		var height: float = lane.size.y * 0.9 * sqrt(float(counts[bucket]) / most)
		var rect := Rect2(left, lane.end.y - height, right - left, height)
		draw_rect(rect.intersection(lane), color)


func _draw_axis() -> void:
	var font := get_theme_font(&"font", &"Label")
	var plot := _plot()
	for tick in _view.ticks(plot, 130.0 * _scale()):
		var x := _view.x_of(tick, plot)
		var top := Vector2(x, plot.position.y)
		draw_line(top, Vector2(x, plot.end.y), get_theme_color(&"guide_color", &"Tree"))
		var at := Vector2(x + 3.0 * _scale(), plot.end.y + font.get_ascent(_font_size()))
		var label := TableColumns.moment(tick)
		var room := font.get_string_size(label, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size()).x
		if at.x + room <= size.x:
			draw_string(font, at, label, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size(), _faint())


func _draw_links() -> void:
	for link: Dictionary in _life.links:
		var is_merge: bool = link.kind == "consolidated"
		var from := _place(link.from as Dictionary, 3 if is_merge else int(link.from.memory_tier))
		var to := _place(link.to as Dictionary, link.to.memory_tier as int)
		var color := get_theme_color(&"accent_color" if is_merge else &"warning_color", &"Editor")
		var is_near: bool = link.to.id == chosen_id or link.from.id == chosen_id
		color.a = 1.0 if is_near else 0.5
		var lift := Vector2(0.0, -minf(absf(to.x - from.x) * 0.3 + 8.0, 40.0) * _scale())
		var points := PackedVector2Array()
		for step in _LINK_POINTS + 1:
			points.append(
				from.bezier_interpolate(from + lift, to + lift, to, step / float(_LINK_POINTS))
			)
		draw_polyline(points, color, (2.0 if is_near else 1.0) * _scale(), true)
		draw_circle(to, 2.5 * _scale(), color)


func _draw_marks() -> void:
	for mark: Dictionary in _life.marks:
		var at := _place(mark, mark.memory_tier as int)
		if not _plot().grow(8.0).has_point(at):
			continue
		var color := _color(mark.memory_tier as int)
		if mark.superseded_by:
			color.a = 0.5
		draw_circle(at, _radius(mark), color)
		if mark.is_milestone:
			draw_arc(at, _radius(mark) + 2.0 * _scale(), 0.0, TAU, 24, color, _scale(), true)
		if mark.id == chosen_id or mark.id == _hovered.get("id"):
			var ring := get_theme_color(&"font_color", &"Label")
			draw_arc(at, _radius(mark) + 4.0 * _scale(), 0.0, TAU, 24, ring, 2.0 * _scale(), true)


func _draw_message(message: String) -> void:
	var paragraph := TextParagraph.new()
	paragraph.add_string(message, get_theme_font(&"font", &"Label"), _font_size())
	paragraph.width = maxf(size.x - 16.0 * _scale(), 1.0)
	paragraph.alignment = HORIZONTAL_ALIGNMENT_CENTER
	var top := maxf(0.0, (size.y - paragraph.get_size().y) / 2.0)
	paragraph.draw(get_canvas_item(), Vector2(8.0 * _scale(), top), _faint())


func _get_tooltip(at: Vector2) -> String:
	var mark := _mark_at(at)
	if mark:
		return "%s\n%s, importance %d" % [mark.text, mark.event_type, mark.importance]
	return ""


func _get_minimum_size() -> Vector2:
	return Vector2(200.0, 140.0) * _scale()


func _mark_at(at: Vector2) -> Dictionary:
	for mark: Dictionary in _life.get("marks", []):
		var reach := _radius(mark) + 3.0 * _scale()
		if _place(mark, mark.memory_tier as int).distance_to(at) <= reach:
			return mark
	return {}


func _has_memories() -> bool:
	return _life.last > 0.0 or _life.first != 0.0 or not (_life.marks as Array).is_empty()


# Importance decides the height within the lane.
func _place(memory: Dictionary, lane: int) -> Vector2:
	var rect := _lane(lane)
	var height: float = memory.get("importance", 5) / 11.0
	return Vector2(
		_view.x_of(memory.timestamp as float, _plot()), lerpf(rect.end.y, rect.position.y, height)
	)


func _radius(mark: Dictionary) -> float:
	return (2.5 + mark.importance * 0.25) * _scale()


func _plot() -> Rect2:
	var font := get_theme_font(&"font", &"Label")
	var gutter := 0.0
	for lane in _LANES:
		var text_size := font.get_string_size(lane, HORIZONTAL_ALIGNMENT_LEFT, -1, _font_size())
		gutter = maxf(gutter, text_size.x)
	var left := gutter + 12.0 * _scale()
	var bottom := font.get_height(_font_size()) + 4.0 * _scale()
	var top := 6.0 * _scale()
	return Rect2(
		left, top, maxf(1.0, size.x - left - 8.0 * _scale()), maxf(1.0, size.y - bottom - top)
	)


func _lane(number: int) -> Rect2:
	var plot := _plot()
	var height := plot.size.y / _LANES.size()
	return Rect2(plot.position.x, plot.position.y + number * height, plot.size.x, height)


func _color(lane: int) -> Color:
	match lane:
		0:
			return get_theme_color(&"accent_color", &"Editor")
		1:
			return get_theme_color(&"success_color", &"Editor")
		2:
			return get_theme_color(&"font_color", &"Label")
		_:
			return _faint()


func _faint() -> Color:
	var color := get_theme_color(&"font_color", &"Label")
	color.a = 0.6
	return color


func _font_size() -> int:
	return get_theme_font_size(&"font_size", &"Label")


func _scale() -> float:
	return EditorInterface.get_editor_scale()

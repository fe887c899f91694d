@tool
extends Control
## An NPC's life: how many memories of each tier when, the most telling ones, and what superseded or
## summed up what. The wheel zooms, dragging moves, the arrow keys go from mark to mark.

signal memory_chosen(id: String)

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const RAGTimelinePainter := preload("res://addons/rag_memory/editor/browser/timeline_painter.gd")
const _ZOOM := 1.25
const _EMPTY := "Choose an NPC to see its life."
const _NOTHING := "This NPC remembers nothing yet. Play the game, or press Add memory …"

## The memory with the ring, or "".
var chosen_id := "":
	set(value):
		chosen_id = value
		_painter.chosen_id = value
		queue_redraw()

var _session: RAGSaveSession
var _npc_id := ""
var _painter := RAGTimelinePainter.new(self)
var _asking := Timer.new()
var _generation := 0


func _init() -> void:
	focus_mode = Control.FOCUS_ALL
	clip_contents = true
	_asking.one_shot = true
	_asking.wait_time = 0.1
	_asking.timeout.connect(_ask)
	add_child(_asking)


func set_up(session: RAGSaveSession) -> void:
	_session = session


## Shows the life of an NPC, or of nobody.
func show_npc(npc_id: String) -> void:
	_npc_id = npc_id
	_painter.life = {}
	_painter.span.is_whole = true
	queue_redraw()
	refresh()


func refresh() -> void:
	if _npc_id and is_visible_in_tree():
		_ask()


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_VISIBILITY_CHANGED:
			refresh()
		NOTIFICATION_RESIZED:
			_painter.lay_out()
			if _asking.is_inside_tree():
				_asking.start()
		NOTIFICATION_THEME_CHANGED:
			_painter.lay_out()
			queue_redraw()
		NOTIFICATION_FOCUS_ENTER, NOTIFICATION_FOCUS_EXIT:
			queue_redraw()


func _ask() -> void:
	if not _npc_id or not is_visible_in_tree():
		return
	_generation += 1
	var generation := _generation
	var options := {
		"buckets":
		clampi(int(_painter.area.size.x / (3.0 * EditorInterface.get_editor_scale())), 1, 1000)
	}
	if not _painter.span.is_whole:
		options.merge({"begin": _painter.span.begin, "end": _painter.span.end})
	var answer: Variant = await _session.ask(_npc_id, &"get_timeline", [options])
	if generation == _generation and answer is Dictionary:
		_painter.life = answer
		if _painter.span.is_whole:
			_painter.span.take_whole(_painter.life.begin as float, _painter.life.end as float)
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
				_choose(_painter.mark_at(event.position))
		_:
			return
	accept_event()


func _use_motion(event: InputEventMouseMotion) -> void:
	if event.button_mask & (MOUSE_BUTTON_MASK_LEFT | MOUSE_BUTTON_MASK_MIDDLE):
		if _painter.life and event.relative.x:
			_painter.span.move(-event.relative.x, _painter.area)
			_changed_view()
	var mark := _painter.mark_at(event.position)
	if mark.get("id", "") != _painter.hovered_id:
		_painter.hovered_id = mark.get("id", "")
		queue_redraw()


func _use_key(event: InputEventKey) -> bool:
	match event.keycode:
		KEY_LEFT:
			_choose_beside(-1)
		KEY_RIGHT:
			_choose_beside(1)
		KEY_PLUS, KEY_EQUAL, KEY_KP_ADD:
			_zoom(1.0 / _ZOOM, _painter.area.get_center().x)
		KEY_MINUS, KEY_KP_SUBTRACT:
			_zoom(_ZOOM, _painter.area.get_center().x)
		KEY_HOME:
			_show_whole()
		_:
			return false
	return true


func _zoom(factor: float, x: float) -> void:
	if _painter.life:
		_painter.span.zoom(factor, x, _painter.area)
		_changed_view()


func _show_whole() -> void:
	_painter.span.is_whole = true
	_ask()


func _changed_view() -> void:
	queue_redraw()
	if _asking.is_stopped():
		_asking.start()


func _choose(mark: Dictionary) -> void:
	if mark:
		chosen_id = mark.id
		memory_chosen.emit(chosen_id)


func _choose_beside(direction: int) -> void:
	var marks := _marks_in_order()
	if marks.is_empty():
		return
	var at := marks.find_custom(func(mark: Dictionary) -> bool: return mark.id == chosen_id)
	if at < 0:
		at = -1 if direction > 0 else marks.size()
	_choose(marks[clampi(at + direction, 0, marks.size() - 1)] as Dictionary)


func _marks_in_order() -> Array:
	var marks: Array = _painter.life.get("marks", []).duplicate()
	marks.sort_custom(func(a: Dictionary, b: Dictionary) -> bool: return a.timestamp < b.timestamp)
	return marks


func _draw() -> void:
	draw_style_box(get_theme_stylebox(&"panel", &"Tree"), Rect2(Vector2.ZERO, size))
	if _painter.life.is_empty() or not _has_memories():
		_painter.draw_message(_NOTHING if _npc_id and _painter.life else _EMPTY)
		return
	_painter.draw()
	if has_focus():
		draw_style_box(get_theme_stylebox(&"focus", &"Tree"), Rect2(Vector2.ZERO, size))


func _get_tooltip(at: Vector2) -> String:
	var mark := _painter.mark_at(at)
	if mark:
		var what: String = ", ".join([mark.kind, mark.event_type]) if mark.kind else mark.event_type
		return "%s\n%s, importance %d" % [mark.text, what, mark.importance]
	return ""


func _get_minimum_size() -> Vector2:
	return Vector2(200.0, 140.0) * EditorInterface.get_editor_scale()


func _has_memories() -> bool:
	return (
		_painter.life.last > 0.0
		or _painter.life.first != 0.0
		or not (_painter.life.marks as Array).is_empty()
	)

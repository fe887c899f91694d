@tool
extends Control
## The table of memories. It draws the rows that are on the screen and makes nothing for the others.

signal row_chosen(index: int)
## Enter, F2 or a double click.
signal edit_requested
signal forget_requested
signal menu_requested(at: Vector2)
signal sort_requested(column: String)

const MemoryPages := preload("res://addons/rag_memory/editor/browser/memory_pages.gd")
const RAGTableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")

## The column the list is sorted by, "" for none, and which way.
var sort := "timestamp"
var is_descending := true
## The row that has the cursor, or -1; a selection goes from here to `anchor`.
var cursor := -1
var anchor := -1
## The text shown when there are no rows.
var empty_text := ""
## Number of rows made for drawing since the start; for tests.
var rows_made := 0

var _pages: MemoryPages
var _columns := RAGTableColumns.new()
var _scroll := VScrollBar.new()
# Shaped texts of the rows on the screen.
var _lines: Dictionary[int, Array] = {}
var _hovered := -1


func _init() -> void:
	focus_mode = Control.FOCUS_ALL
	clip_contents = true
	_scroll.step = 1.0
	_scroll.value_changed.connect(_on_scrolled)
	add_child(_scroll)


func set_pages(pages: MemoryPages) -> void:
	_pages = pages
	_pages.list_changed.connect(_on_list_changed)
	_pages.rows_loaded.connect(_on_rows_loaded)


## Sets the columns: those of living memories, of search results, or of archived ones.
func set_columns(kind: RAGTableColumns.RAGKind) -> void:
	_columns.kind = kind
	_forget_lines()


func selected_range() -> Vector2i:
	if cursor < 0:
		return Vector2i(-1, -1)
	return Vector2i(mini(cursor, anchor), maxi(cursor, anchor))


## Moves the cursor to a row and shows it; -1 for none.
func choose(index: int, is_extending := false) -> void:
	if _pages.total == 0:
		index = -1
	elif index >= 0:
		index = clampi(index, 0, _pages.total - 1)
	cursor = index
	if not is_extending or anchor < 0:
		anchor = index
	if index >= 0:
		if index < _first():
			_scroll.value = index
		elif index >= _first() + _whole_rows():
			_scroll.value = index - _whole_rows() + 1
	queue_redraw()
	row_chosen.emit(index)


## The headings, for tests.
func column_titles() -> Array:
	return _columns.laid_out(self, size.x).map(
		func(column: RAGTableColumns.RAGColumn) -> String: return column.title
	)


## The number of rows that fit.
func visible_rows() -> int:
	return ceili((size.y - _header_height()) / _row_height())


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_RESIZED, NOTIFICATION_THEME_CHANGED:
			_columns.forget_layout()
			if is_node_ready():
				_lay_out()
		NOTIFICATION_READY:
			_lay_out()
		NOTIFICATION_FOCUS_ENTER, NOTIFICATION_FOCUS_EXIT:
			queue_redraw()
		NOTIFICATION_MOUSE_EXIT:
			_hovered = -1
			queue_redraw()


func _gui_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion:
		_hover(_row_at((event as InputEventMouseMotion).position.y))
	elif event is InputEventMouseButton and event.is_pressed():
		_use_button(event as InputEventMouseButton)
	elif event is InputEventKey and event.is_pressed() and _use_key(event as InputEventKey):
		accept_event()


func _use_button(event: InputEventMouseButton) -> void:
	match event.button_index:
		MOUSE_BUTTON_WHEEL_UP:
			_scroll.value -= 3.0 * event.factor
		MOUSE_BUTTON_WHEEL_DOWN:
			_scroll.value += 3.0 * event.factor
		MOUSE_BUTTON_LEFT, MOUSE_BUTTON_RIGHT:
			grab_focus()
			if event.position.y < _header_height():
				_sort_by_column_at(event.position.x)
				return
			var index := _row_at(event.position.y)
			var range := selected_range()
			var is_inside := index >= range.x and index <= range.y
			if not (event.button_index == MOUSE_BUTTON_RIGHT and is_inside):
				choose(index, event.shift_pressed)
			if event.button_index == MOUSE_BUTTON_RIGHT and index >= 0:
				menu_requested.emit(get_screen_position() + event.position)
			elif event.double_click and index >= 0:
				edit_requested.emit()
		_:
			return
	accept_event()


func _use_key(event: InputEventKey) -> bool:
	if event.ctrl_pressed or event.alt_pressed or event.meta_pressed:
		return false
	var page := maxi(1, _whole_rows() - 1)
	match event.keycode:
		KEY_UP:
			choose(maxi(0, cursor - 1), event.shift_pressed)
		KEY_DOWN:
			choose(cursor + 1, event.shift_pressed)
		KEY_PAGEUP:
			choose(maxi(0, cursor - page), event.shift_pressed)
		KEY_PAGEDOWN:
			choose(cursor + page, event.shift_pressed)
		KEY_HOME:
			choose(0, event.shift_pressed)
		KEY_END:
			choose(_pages.total - 1, event.shift_pressed)
		KEY_ENTER, KEY_KP_ENTER, KEY_F2:
			if cursor >= 0:
				edit_requested.emit()
		KEY_DELETE:
			if cursor >= 0:
				forget_requested.emit()
		KEY_MENU:
			if cursor >= 0:
				menu_requested.emit(get_screen_position() + Vector2(0.0, _y_of(cursor + 1)))
		_:
			return false
	return true


func _draw() -> void:
	if _pages == null:
		return
	var width := size.x - _scroll.size.x
	draw_style_box(get_theme_stylebox(&"panel", &"Tree"), Rect2(Vector2.ZERO, size))
	_draw_header(width)
	var range := selected_range()
	var last := mini(_first() + visible_rows(), _pages.total) - 1
	for index in range(_first(), last + 1):
		var rect := Rect2(0.0, _y_of(index), width, _row_height())
		var is_selected := index >= range.x and index <= range.y and range.x >= 0
		if is_selected:
			var style := &"selected_focus" if has_focus() else &"selected"
			draw_style_box(get_theme_stylebox(style, &"Tree"), rect)
		elif index == _hovered:
			draw_style_box(get_theme_stylebox(&"hovered", &"Tree"), rect)
		_draw_row(index, rect.position.y, is_selected)
	_trim_lines(_first(), last)
	if _pages.total == 0 and empty_text:
		_draw_empty(width)
	if has_focus():
		draw_style_box(get_theme_stylebox(&"focus", &"Tree"), Rect2(Vector2.ZERO, size))


func _draw_header(width: float) -> void:
	var style := get_theme_stylebox(&"title_button_normal", &"Tree")
	var font := get_theme_font(&"title_button_font", &"Tree")
	var color := get_theme_color(&"title_button_color", &"Tree")
	var room := _header_height() - font.get_height(_font_size())
	var baseline := room / 2.0 + font.get_ascent(_font_size())
	for column in _columns.laid_out(self, width):
		draw_style_box(style, Rect2(column.x, 0.0, column.width, _header_height()))
		var text: String = column.title
		if column.key == sort:
			text += " ▾" if is_descending else " ▴"
		var line := RAGTableColumns.shaped(text, font, _font_size(), column.width - 2.0 * _gap())
		# The arrow is of another font, which makes its line higher: the headings share a baseline.
		var top := baseline - line.get_line_ascent()
		line.draw(get_canvas_item(), Vector2(column.x + _gap(), top), color)


func _draw_row(index: int, y: float, is_selected: bool) -> void:
	var row := _pages.row(index)
	if row.is_empty():
		return
	if not _lines.has(index):
		_lines[index] = _columns.texts_of(row, self, size.x - _scroll.size.x)
		rows_made += 1
	var color := get_theme_color(&"font_selected_color" if is_selected else &"font_color", &"Tree")
	if RAGTableColumns.is_faint(row) and not is_selected:
		color.a *= 0.6
	for cell: RAGTableColumns.RAGCell in _lines[index]:
		var top := y + (_row_height() - cell.line.get_size().y) / 2.0
		cell.line.draw(get_canvas_item(), Vector2(cell.x, top), cell.color * color)


func _draw_empty(width: float) -> void:
	var font := get_theme_font(&"font", &"Tree")
	var paragraph := TextParagraph.new()
	paragraph.add_string(empty_text, font, _font_size())
	paragraph.width = maxf(width - 4.0 * _gap(), 1.0)
	paragraph.alignment = HORIZONTAL_ALIGNMENT_CENTER
	var top := maxf(_header_height() + _gap(), (size.y - paragraph.get_size().y) / 2.0)
	var color := get_theme_color(&"font_color", &"Tree")
	color.a *= 0.7
	paragraph.draw(get_canvas_item(), Vector2(2.0 * _gap(), top), color)


func _get_tooltip(at: Vector2) -> String:
	var index := _row_at(at.y)
	return _pages.row(index).get("document_full", "") if index >= 0 else ""


func _get_minimum_size() -> Vector2:
	return Vector2(0.0, _header_height() + 3.0 * _row_height())


func _on_list_changed() -> void:
	_forget_lines()
	if cursor >= _pages.total:
		cursor = _pages.total - 1
	anchor = cursor
	_lay_out()


func _on_rows_loaded(first: int, count: int) -> void:
	for index in range(first, first + count):
		_lines.erase(index)
	queue_redraw()


func _on_scrolled(_value: float) -> void:
	queue_redraw()


func _hover(index: int) -> void:
	if index != _hovered:
		_hovered = index
		queue_redraw()


func _sort_by_column_at(x: float) -> void:
	for column in _columns.laid_out(self, size.x - _scroll.size.x):
		if x >= column.x and x < column.x + column.width and column.is_sortable:
			sort_requested.emit(column.key)


func _lay_out() -> void:
	var bar := _scroll.get_combined_minimum_size().x
	_scroll.position = Vector2(size.x - bar, _header_height())
	_scroll.size = Vector2(bar, maxf(0.0, size.y - _header_height()))
	_scroll.page = _whole_rows()
	_scroll.max_value = _pages.total if _pages != null else 0
	_scroll.visible = _scroll.max_value > _scroll.page
	_forget_lines()


func _forget_lines() -> void:
	_lines.clear()
	queue_redraw()


func _trim_lines(first: int, last: int) -> void:
	for index: int in _lines.keys():
		if index < first or index > last:
			_lines.erase(index)


func _first() -> int:
	return int(_scroll.value)


func _whole_rows() -> int:
	return maxi(1, floori((size.y - _header_height()) / _row_height()))


func _row_at(y: float) -> int:
	if y < _header_height() or _pages == null:
		return -1
	var index := _first() + floori((y - _header_height()) / _row_height())
	return index if index < _pages.total else -1


func _y_of(index: int) -> float:
	return _header_height() + (index - _first()) * _row_height()


func _font_size() -> int:
	return get_theme_font_size(&"font_size", &"Tree")


func _gap() -> float:
	return 4.0 * EditorInterface.get_editor_scale()


func _row_height() -> float:
	return get_theme_font(&"font", &"Tree").get_height(_font_size()) + 1.5 * _gap()


func _header_height() -> float:
	return get_theme_font(&"title_button_font", &"Tree").get_height(_font_size()) + 2.0 * _gap()

@tool
extends Tree
## The table of memories. It has as many rows as there is room for, and shows in them the part of
## the list that the scroll bar has come to. Nothing is made for the others.

signal row_chosen(index: int)
## Enter, F2 or a double click.
signal edit_requested
signal forget_requested
signal menu_requested(at: Vector2)
signal copy_requested
signal sort_requested(column: String)
## The button below the text that is shown when there are no rows.
signal empty_action_chosen

const MemoryPages := preload("res://addons/rag_memory/editor/browser/memory_pages.gd")
const RAGColumnHeadings := preload("res://addons/rag_memory/editor/column_headings.gd")
const RAGTableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")
const _FAINT := 0.6

## The column the list is sorted by, "" for none, and which way.
var sort := "timestamp"
var is_descending := true
## The row that has the cursor, or -1; a selection goes from here to `anchor`.
var cursor := -1
var anchor := -1
## The text shown when there are no rows, and the button below it; "" for none.
var empty_text := ""
var empty_action := ""
## The number of memories that the NPC has, whatever the filters hide.
var all_count := 0
## Number of rows filled since the start; for tests.
var rows_made := 0

var _pages: MemoryPages
var _kind := RAGTableColumns.RAGKind.MEMORIES
var _layout: Array[RAGTableColumns.RAGColumn] = []
var _is_fill_due := false

@onready var _bar: VScrollBar = %Bar
@onready var _empty: Label = %Empty
@onready var _empty_button: Button = %EmptyAction


func _ready() -> void:
	create_item()
	_bar.value_changed.connect(func(_value: float) -> void: _fill_later())
	_empty_button.pressed.connect(empty_action_chosen.emit)
	column_title_clicked.connect(_on_title_clicked)
	empty_clicked.connect(func(_at: Vector2, _button: int) -> void: choose(-1))


func set_pages(pages: MemoryPages) -> void:
	_pages = pages
	_pages.list_changed.connect(_on_list_changed)
	_pages.rows_loaded.connect(func(_first_row: int, _count: int) -> void: _fill_later())
	_lay_out()


## Sets the columns: those of living memories, of search results, or of archived ones.
func show_columns(kind: RAGTableColumns.RAGKind) -> void:
	_kind = kind
	_lay_out()


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
		_bar.value = clampi(_first(), index - visible_rows() + 1, index)
	_fill_later()
	row_chosen.emit(index)


## The number of rows that fit.
func visible_rows() -> int:
	return get_root().get_child_count()


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_RESIZED, NOTIFICATION_THEME_CHANGED:
			_lay_out()
		NOTIFICATION_FOCUS_ENTER, NOTIFICATION_FOCUS_EXIT:
			_fill_later()


# The headings are left to the tree, and what happens below the last row.
func _gui_input(event: InputEvent) -> void:
	if event is InputEventMouseButton and event.is_pressed():
		if _use_button(event as InputEventMouseButton):
			accept_event()
	elif event is InputEventKey and event.is_pressed() and _use_key(event as InputEventKey):
		accept_event()


func _use_button(event: InputEventMouseButton) -> bool:
	match event.button_index:
		MOUSE_BUTTON_WHEEL_UP:
			_bar.value -= 3.0 * event.factor
			return true
		MOUSE_BUTTON_WHEEL_DOWN:
			_bar.value += 3.0 * event.factor
			return true
	var item := get_item_at_position(event.position)
	if item == null or event.button_index not in [MOUSE_BUTTON_LEFT, MOUSE_BUTTON_RIGHT]:
		return false
	grab_focus()
	var index := _first() + item.get_index()
	var range := selected_range()
	var is_inside := index >= range.x and index <= range.y
	if not (event.button_index == MOUSE_BUTTON_RIGHT and is_inside):
		choose(index, event.shift_pressed)
	if event.button_index == MOUSE_BUTTON_RIGHT:
		menu_requested.emit(get_screen_position() + event.position)
	elif event.double_click:
		edit_requested.emit()
	return true


func _use_key(event: InputEventKey) -> bool:
	if event.is_command_or_control_pressed():
		return _use_command(event.keycode)
	if event.ctrl_pressed or event.alt_pressed or event.meta_pressed:
		return false
	var page := maxi(1, visible_rows() - 1)
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
				var row := get_root().get_child(clampi(cursor - _first(), 0, visible_rows() - 1))
				var below := Vector2(0.0, get_item_area_rect(row).end.y)
				menu_requested.emit(get_screen_position() + below)
		_:
			return false
	return true


func _use_command(key: Key) -> bool:
	match key:
		KEY_C:
			if cursor >= 0:
				copy_requested.emit()
		KEY_A:
			choose(0)
			choose(_pages.total - 1, true)
		_:
			return false
	return true


func _on_list_changed() -> void:
	cursor = mini(cursor, _pages.total - 1)
	anchor = cursor
	_lay_out()


func _on_title_clicked(column: int, _mouse_button: int) -> void:
	grab_focus()
	if _layout[column].is_sortable:
		sort_requested.emit(_layout[column].key)


func _lay_out() -> void:
	if _pages == null:
		return
	_layout = RAGTableColumns.laid_out(_kind, self)
	columns = _layout.size()
	for index in columns:
		var column := _layout[index]
		var arrow := (" ▾" if is_descending else " ▴") if column.key == sort else ""
		var more := _count() + arrow if column.key == "text" else arrow
		RAGColumnHeadings.set_heading(self, index, column.title, more)
		set_column_custom_minimum_width(index, int(column.width))
		set_column_expand(index, column.width == 0.0)
	_make_rows()
	_bar.max_value = _pages.total
	_bar.page = visible_rows()
	_bar.visible = _bar.max_value > _bar.page
	_fill_later()


# As many as fit. Two are needed to see how high one is.
func _make_rows() -> void:
	var root := get_root()
	while root.get_child_count() < 2:
		create_item(root)
	for item in root.get_children():
		item.visible = true
	var top := get_item_area_rect(root.get_child(0)).position.y
	var height := get_item_area_rect(root.get_child(1)).position.y - top
	if height <= 0:
		return  # It is not laid out yet.
	var room := size.y - top - get_theme_stylebox(&"panel").get_minimum_size().y
	var count := maxi(2, floori(room / height))
	while root.get_child_count() < count:
		create_item(root)
	while root.get_child_count() > count:
		root.get_child(-1).free()


func _fill_later() -> void:
	if not _is_fill_due:
		_is_fill_due = true
		_fill.call_deferred()


func _fill() -> void:
	_is_fill_due = false
	_empty.text = empty_text
	_empty_button.text = empty_action
	_empty_button.visible = empty_action != ""
	(_empty.get_parent() as Control).visible = _pages.total == 0
	for item in get_root().get_children():
		var index := _first() + item.get_index()
		item.visible = index < _pages.total
		if item.visible:
			_show_row(item, index)


func _show_row(item: TreeItem, index: int) -> void:
	var row := _pages.row(index)
	rows_made += 0 if row.is_empty() else 1
	var range := selected_range()
	var is_selected := index >= range.x and index <= range.y and cursor >= 0
	var color := get_theme_color(&"font_selected_color" if is_selected else &"font_color")
	if not row.is_empty() and RAGTableColumns.is_faint(row) and not is_selected:
		color.a *= _FAINT
	for column in columns:
		var key := _layout[column].key
		item.set_text(column, "" if row.is_empty() else RAGTableColumns.text_of(row, key))
		item.set_tooltip_text(column, row.get("document_full", "") as String)
		item.set_custom_color(column, color)
		if is_selected:
			item.set_custom_bg_color(column, _selection_color())
		else:
			item.clear_custom_bg_color(column)
		if key == "memory_tier" and not row.is_empty() and row.metadata.memory_tier == 0:
			item.set_custom_color(column, get_theme_color(&"accent_color", &"Editor") * color)


func _selection_color() -> Color:
	var style := get_theme_stylebox(&"selected_focus" if has_focus() else &"selected")
	return (style as StyleBoxFlat).bg_color if style is StyleBoxFlat else Color(Color.WHITE, 0.1)


# How many are in the list, behind the heading of the texts.
func _count() -> String:
	if not _pages.is_loaded:
		return ""
	var has_less := all_count > _pages.total and _kind != RAGTableColumns.RAGKind.ARCHIVED
	return " · %d of %d" % [_pages.total, all_count] if has_less else " · %d" % _pages.total


func _first() -> int:
	return int(_bar.value)

@tool
extends VBoxContainer
## The memory browser: a save of this project, its NPCs, and what they remember, to read and change.

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const MemoryPages := preload("res://addons/rag_memory/editor/browser/memory_pages.gd")
const MemoryEdits := preload("res://addons/rag_memory/editor/browser/memory_edits.gd")
const MemoryTable := preload("res://addons/rag_memory/editor/browser/memory_table.gd")
const MemoryDetails := preload("res://addons/rag_memory/editor/browser/memory_details.gd")
const RAGAddMemoryWindow := preload("res://addons/rag_memory/editor/browser/add_memory_window.gd")
const MemoryMenu := preload("res://addons/rag_memory/editor/browser/memory_menu.gd")
const RAGDroppedFiles := preload("res://addons/rag_memory/editor/dropped_files.gd")
const RAGImportWindow := preload("res://addons/rag_memory/editor/browser/import_window.gd")
const RAGChangePreview := preload("res://addons/rag_memory/editor/browser/change_preview.gd")
const RAGBrowserKeys := preload("res://addons/rag_memory/editor/browser/browser_keys.gd")
const RAGEmptyTable := preload("res://addons/rag_memory/editor/browser/empty_table.gd")
const RAGFilterBar := preload("res://addons/rag_memory/editor/browser/filter_bar.gd")
const RAGSaveBar := preload("res://addons/rag_memory/editor/browser/save_bar.gd")
const RAGNpcList := preload("res://addons/rag_memory/editor/browser/npc_list.gd")
const RAGLanguagePackButton := preload("res://addons/rag_memory/editor/language_pack_button.gd")
const RAGRememberedSplit := preload("res://addons/rag_memory/editor/remembered_split.gd")
const RAGTimelineView := preload("res://addons/rag_memory/editor/browser/timeline_view.gd")
const RAGWorldView := preload("res://addons/rag_memory/editor/browser/world_view.gd")

const _ONE_FILE := "%s is shown. Drop the other files one by one: each has an undo of its own."

var undo_redo: EditorUndoRedoManager:
	set(value):
		undo_redo = value
		edits.undo_redo = value
		import_window.undo_redo = value

## Returns the id of the NPC that is selected in the edited scene, or "".
var selected_npc: Callable
var session := RAGSaveSession.new()
var edits := MemoryEdits.new()
var pages := MemoryPages.new(session)
var import_window := RAGImportWindow.new()
## Files that are dropped on the browser.
var dropped := RAGDroppedFiles.new()
var preview := RAGChangePreview.new(session, edits)

var _keys := RAGBrowserKeys.new()

@onready var save_bar: RAGSaveBar = %SaveBar
@onready var npc_list: RAGNpcList = %NpcList
@onready var filter_bar: RAGFilterBar = %FilterBar
@onready var table: MemoryTable = %Table
@onready var timeline: RAGTimelineView = %Timeline
@onready var show_table: Button = %ShowTable
@onready var show_timeline: Button = %ShowTimeline
@onready var show_world: Button = %ShowWorld
@onready var world: RAGWorldView = %World
@onready var details: MemoryDetails = %Details
@onready var add_window: RAGAddMemoryWindow = %AddMemory
@onready var _table_row: Control = %TableRow
@onready var _menu: MemoryMenu = %Menu
@onready var _split: SplitContainer = %Split


func _ready() -> void:
	add_child(session)
	add_child(edits)
	var pack_button := RAGLanguagePackButton.new()
	add_child(pack_button)
	move_child(pack_button, 0)
	edits.set_up(session)
	save_bar.set_up(session)
	npc_list.set_up(session, %NpcFilter as LineEdit)
	add_window.set_up(session, edits)
	timeline.set_up(session)
	world.set_up(session)
	table.set_pages(pages)
	_split.custom_minimum_size.y = 220.0 * EditorInterface.get_editor_scale()
	details.custom_minimum_size.x = 270.0 * EditorInterface.get_editor_scale()
	RAGRememberedSplit.keep(_split, "npcs")
	RAGRememberedSplit.keep(%Rest as SplitContainer, "details")
	_keys.set_up(self)
	add_child(_keys)
	session.opened.connect(_on_opened)
	session.closed.connect(_on_closed)
	npc_list.npc_chosen.connect(_on_npc_chosen)
	npc_list.event_types_read.connect(
		func() -> void: filter_bar.set_event_types(npc_list.event_types)
	)
	save_bar.refresh_requested.connect(refresh)
	save_bar.restored.connect(refresh)
	save_bar.imported.connect(_on_imported)
	save_bar.add_requested.connect(_on_add_requested)
	add_window.added.connect(_on_added)
	filter_bar.changed.connect(_show_list)
	for button: Button in [show_table, show_timeline, show_world]:
		button.toggled.connect(func(_is_on: bool) -> void: _show_view())
	pages.list_changed.connect(_on_list_changed)
	pages.rows_loaded.connect(func(_first: int, _count: int) -> void: _show_details())
	edits.changed.connect(_on_changed)
	edits.done.connect(save_bar.say)
	table.row_chosen.connect(func(_index: int) -> void: _show_details())
	table.copy_requested.connect(_on_menu_item.bind(MemoryMenu.RAGItem.COPY_TEXT))
	table.empty_action_chosen.connect(_on_empty_action_chosen)
	table.sort_requested.connect(_on_sort_requested)
	table.edit_requested.connect(details.edit)
	table.forget_requested.connect(_change_chosen.bind("Forget Memory", &"forget"))
	table.menu_requested.connect(_on_menu_requested)
	timeline.memory_chosen.connect(show_memory)
	details.memory_chosen.connect(show_memory)
	details.changes_made.connect(_on_changes_made)
	details.focus_given_up.connect(
		func() -> void: (table if table.is_visible_in_tree() else timeline as Control).grab_focus()
	)
	details.pin_requested.connect(_pin_or_unpin)
	details.forget_requested.connect(_change_chosen.bind("Forget Memory", &"forget"))
	details.restore_requested.connect(_restore_chosen)
	_menu.id_pressed.connect(_on_menu_item)
	add_child(preview)
	add_child(import_window)
	import_window.set_up(session)
	import_window.imported.connect(_on_imported)
	import_window.done.connect(save_bar.say)
	add_child(dropped)
	dropped.watch(self, [table, npc_list, timeline, details])
	dropped.dropped.connect(_on_dropped)
	save_bar.exchange.other_file_chosen.connect(
		func(path: String) -> void: import_window.open(path, npc_list.npc_id)
	)
	visibility_changed.connect(_on_visibility_changed)
	_on_closed()


## Closes the save at once, so that a game can open it.
func release() -> void:
	var npc_id := npc_list.npc_id
	save_bar.release()
	if npc_id:
		npc_list.choose(npc_id)  # when the save is open again


## Opens a save again that was closed for a game.
func take_back(save_id: String) -> void:
	if not session.has_save():
		session.open(save_id)


## Chooses an NPC, as soon as a save with it is open.
func show_npc(npc_id: String) -> void:
	session.adopt()
	if npc_id:
		npc_list.choose(npc_id)


## Shows a memory in the table, clearing the filters when they hide it. Await it.
func show_memory(id: String) -> void:
	if show_world.button_pressed:
		show_table.button_pressed = true
	timeline.chosen_id = id
	timeline.queue_redraw()
	var position_in_list := await pages.position_of(id)
	if position_in_list < 0 and not (filter_bar.is_empty() and not filter_bar.is_archive()):
		filter_bar.clear()
		position_in_list = await pages.position_of(id)
	if position_in_list < 0:
		save_bar.say("%s no longer exists." % id)
		return
	if not pages.is_loaded:
		await pages.list_changed
	table.choose(position_in_list)


## Reads everything again.
func refresh() -> void:
	save_bar.refresh()
	if session.save_id:
		npc_list.refresh()
		pages.refresh()
		timeline.refresh()
		world.refresh()


# The NPC of the node that is selected in the scene is shown, unless another one is waited for.
func _on_opened() -> void:
	if selected_npc.is_valid() and not npc_list.is_waiting():
		npc_list.choose(selected_npc.call() as String)
	await npc_list.refresh()
	world.show_npc(npc_list.npc_id, npc_list.npc_ids())
	_show_view()


func _on_closed() -> void:
	show_table.button_pressed = true
	npc_list.show_nobody()
	_on_npc_chosen("")
	save_bar.refresh()


func _on_npc_chosen(npc_id: String) -> void:
	save_bar.set_npc(npc_id)
	timeline.show_npc(npc_id)
	world.show_npc(npc_id, npc_list.npc_ids())
	_show_list()


func _show_list() -> void:
	var options := filter_bar.options()
	if not filter_bar.is_archive() and table.sort in ["archived_at", "archived_reason"]:
		table.sort = "timestamp"
	if filter_bar.is_by_meaning():
		table.sort = "similarity"
	elif table.sort == "similarity":
		table.sort = "timestamp"
	if table.sort != "similarity":
		options["sort"] = table.sort
		options["descending"] = table.is_descending
	table.show_columns(filter_bar.columns())
	table.cursor = -1
	table.anchor = -1
	details.show_memory({})
	pages.show_list(npc_list.npc_id, options)


func _on_list_changed() -> void:
	table.all_count = 0 if filter_bar.is_empty() else npc_list.count()
	var words := PackedStringArray(["", ""])
	if not session.save_id:
		words = [save_bar.advice(), save_bar.open_button.text]
	elif pages.is_loaded or not npc_list.npc_id:
		words = RAGEmptyTable.words(npc_list, filter_bar)
	table.empty_text = words[0]
	table.empty_action = words[1]
	_show_view()
	_show_details()


func _on_empty_action_chosen() -> void:
	if table.empty_action == RAGEmptyTable.ADD:
		_on_add_requested()
	elif table.empty_action == RAGEmptyTable.CLEAR:
		filter_bar.clear()
	elif not save_bar.open_button.disabled:
		save_bar.open_button.pressed.emit()


func _on_add_requested() -> void:
	add_window.open(npc_list.npc_id, npc_list.npc_ids())


# Text being typed stays while a page is loading.
func _show_details() -> void:
	var row := pages.row(table.cursor) if table.cursor >= 0 else {}
	if row == details.memory() or (row.is_empty() and table.cursor >= 0):
		return
	if details.is_changed() and details.memory().id != row.get("id"):
		details.apply()
	details.show_memory(row)
	timeline.chosen_id = row.get("id", "")
	timeline.queue_redraw()


func _show_view() -> void:
	(show_table.get_parent() as Control).visible = session.save_id != ""
	_table_row.visible = show_table.button_pressed
	timeline.visible = show_timeline.button_pressed
	world.visible = show_world.button_pressed
	details.visible = session.save_id != "" and not show_world.button_pressed
	if show_world.button_pressed:
		_keys.use(world.filter, world.list)
	else:
		_keys.use(filter_bar.search, table)
	filter_bar.visible = npc_list.npc_id != "" and show_table.button_pressed


func _on_sort_requested(column: String) -> void:
	table.is_descending = not table.is_descending if table.sort == column else column != "text"
	table.sort = column
	_show_list()


func _on_changed(npc_id: String) -> void:
	npc_list.refresh()
	if npc_id != npc_list.npc_id:
		return
	var id: String = details.memory().get("id", "")
	pages.refresh()
	timeline.refresh()
	if not id or not pages.is_loaded:
		return
	# The cursor stays with the memory, wherever its new values put it.
	var index := await pages.position_of(id)
	if index >= 0 and index != table.cursor and npc_id == npc_list.npc_id:
		table.choose(index)


func _on_imported(npc_id: String) -> void:
	await npc_list.refresh()
	npc_list.choose(npc_id)
	pages.refresh()
	timeline.refresh()


func _on_dropped(paths: PackedStringArray) -> void:
	if paths.size() > 1:
		save_bar.say(_ONE_FILE % paths[0].get_file())
	import_window.open(paths[0], npc_list.npc_id)


func _on_added(npc_id: String, id: String) -> void:
	if npc_id != npc_list.npc_id:
		await npc_list.refresh()
		npc_list.choose(npc_id)
	show_memory(id)


func _on_changes_made(id: String, changes: Dictionary) -> void:
	edits.update(npc_list.npc_id, id, changes)


func _chosen_rows() -> Array:
	var range := table.selected_range()
	return [] if range.x < 0 else await pages.rows_between(range.x, range.y)


func _ids_of(rows: Array) -> PackedStringArray:
	return PackedStringArray(rows.map(func(row: Dictionary) -> String: return row.id))


func _pin_or_unpin() -> void:
	if details.memory().metadata.memory_tier == 0:
		_change_chosen("Unpin Memory", &"unpin_memory")
	else:
		_change_chosen("Pin Memory", &"pin_memory")


func _change_chosen(title: String, method: StringName) -> void:
	if not filter_bar.is_archive():
		edits.change(title, method, npc_list.npc_id, _ids_of(await _chosen_rows()))


func _restore_chosen() -> void:
	var npc_id := npc_list.npc_id
	edits.restore(npc_id, await _chosen_rows())


func _on_menu_requested(at: Vector2) -> void:
	var memory := details.memory()
	_menu.open(at, filter_bar.is_archive(), memory.get("exchange_id", "") as String)


func _on_menu_item(item: int) -> void:
	match item:
		MemoryMenu.RAGItem.EDIT:
			details.edit()
		MemoryMenu.RAGItem.PIN:
			_change_chosen("Pin Memory", &"pin_memory")
		MemoryMenu.RAGItem.UNPIN:
			_change_chosen("Unpin Memory", &"unpin_memory")
		MemoryMenu.RAGItem.RESTORE:
			_restore_chosen()
		MemoryMenu.RAGItem.FORGET:
			_change_chosen("Forget Memory", &"forget")
		MemoryMenu.RAGItem.UNDO_EXCHANGE:
			preview.show_exchange(npc_list.npc_id, details.memory().exchange_id as String)
		MemoryMenu.RAGItem.MERGE:
			preview.show_merge(npc_list.npc_id)
		MemoryMenu.RAGItem.COPY_ID:
			DisplayServer.clipboard_set("\n".join(_ids_of(await _chosen_rows())))
		MemoryMenu.RAGItem.COPY_TEXT:
			var rows := await _chosen_rows()
			var texts := rows.map(func(row: Dictionary) -> String: return row.document_full)
			DisplayServer.clipboard_set("\n".join(PackedStringArray(texts)))


func _on_visibility_changed() -> void:
	if is_visible_in_tree():
		session.adopt()
		save_bar.refresh()
		if session.save_id:
			npc_list.refresh()
		else:
			_on_list_changed()

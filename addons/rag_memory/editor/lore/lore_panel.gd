@tool
extends VBoxContainer
## The lore of the project: the sources that an export ships, and a question to try. What is
## imported here lies in memory; no save of the game is touched.

const RAGColumnHeadings := preload("res://addons/rag_memory/editor/column_headings.gd")
const RAGDroppedFiles := preload("res://addons/rag_memory/editor/dropped_files.gd")
const RAGFileImport := preload("res://addons/rag_memory/editor/lore/file_import.gd")
const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const RAGLoreImport := preload("res://addons/rag_memory/editor/lore/lore_import.gd")
const RAGRememberedSplit := preload("res://addons/rag_memory/editor/remembered_split.gd")
const RAGSettings := preload("res://addons/rag_memory/editor/settings.gd")

const _NO_SOURCES := (
	"No lore yet. Press Add Files … to choose Markdown files of the project (Project Settings > "
	+ "Rag Memory > Lore > Sources lists them), or drop a lorebook or a character card here."
)
const _NOT_IMPORTED := "Import the lore first, then ask it something."
const _NOTHING_FOUND := "No part of the lore fits that question."
const _SOURCE_COLUMNS: Array[String] = ["Source", "State", "Chunks", "Words"]
const _HIT_COLUMNS: Array[String] = ["Relevance", "Heading", "Source"]
const _MOST_HITS := 8

## Takes lorebooks and character cards that are dropped here.
var file_import := RAGFileImport.new()
## Files that are dropped on the dock.
var dropped := RAGDroppedFiles.new()

var _import := RAGLoreImport.new()
var _asking: MemoryRequest

@onready var _sources: Tree = %Sources
@onready var _import_button: Button = %Import
@onready var _add: Button = %Add
@onready var _cancel: Button = %Cancel
@onready var _progress: ProgressBar = %Progress
@onready var _message: Label = %Message
@onready var _question: LineEdit = %Question
@onready var _hits: Tree = %Hits
@onready var _chunk: RichTextLabel = %Chunk


func _ready() -> void:
	_add_columns(_sources, _SOURCE_COLUMNS, [0, 1])
	_add_columns(_hits, _HIT_COLUMNS, [1, 2])
	_hits.set_column_expand_ratio(1, 2)
	RAGRememberedSplit.keep($Content as SplitContainer, "lore")
	RAGRememberedSplit.keep($Content/Right/Found as SplitContainer, "lore_chunk")
	_import_button.pressed.connect(import_all)
	_add.pressed.connect(func() -> void: file_import.chooser.popup_file_dialog())
	_cancel.pressed.connect(_import.cancel)
	(%Ask as Button).pressed.connect(ask)
	_question.text_submitted.connect(func(_text: String) -> void: ask())
	_hits.item_selected.connect(_show_chunk)
	add_child(file_import)
	file_import.failed.connect(_say)
	file_import.changed.connect(refresh)
	add_child(dropped)
	dropped.watch(self, [_sources, _hits, _chunk])
	dropped.dropped.connect(file_import.take)
	visibility_changed.connect(refresh)
	ProjectSettings.settings_changed.connect(refresh)
	custom_minimum_size.y = 200.0 * EditorInterface.get_editor_scale()
	_show_busy(false)
	refresh()


func _exit_tree() -> void:
	_import.cancel()


## Lists the sources and the state that each has now.
func refresh() -> void:
	if not is_node_ready() or not is_visible_in_tree():
		return
	_sources.clear()
	var root := _sources.create_item()
	for path in _paths():
		var item := _sources.create_item(root)
		var report := _import.report_of(path)
		var state := _import.state_of(path, _paths())
		item.set_text(0, path.get_file())
		item.set_tooltip_text(0, path)
		item.set_text(1, state)
		item.set_text(2, str(report.get("chunks", "–")))
		item.set_text(3, str(report.get("words", "–")))
		if state in RAGLoreImport.WRONG:
			var color := get_theme_color(&"error_color", &"Editor")
			item.set_custom_color(1, RAGLegible.on_panel(color, self))
	if _paths().is_empty():
		_say(_NO_SOURCES)
	elif _message.text == _NO_SOURCES:
		_say("")
	_import_button.disabled = _import.wanted(_paths()).is_empty()


## Imports what is new or has changed. Await it.
func import_all() -> void:
	var wanted := _import.wanted(_paths())
	var problems := PackedStringArray()
	_show_busy(true)
	_progress.max_value = wanted.size()
	for index in wanted.size():
		_progress.value = index
		_say("Importing %s (%d of %d) …" % [wanted[index], index + 1, wanted.size()])
		var problem: String = await _import.run(wanted[index])
		if not is_inside_tree():
			return
		refresh()
		if problem:
			problems.append(problem)
		if _import.is_cancelled:
			break
	_show_busy(false)
	_say("\n".join(problems))
	refresh()


## Shows the chunks that fit the question, best first. Await it.
func ask() -> void:
	var question := _question.text.strip_edges()
	var keys := _import.keys(_paths())
	if keys.is_empty():
		_say(_NOT_IMPORTED if not _paths().is_empty() else _NO_SOURCES)
		return
	if not question:
		return
	var request := _import.search(question, {"limit": _MOST_HITS, "sources": keys})
	_asking = request
	var hits: Array = await request.completed
	if request != _asking or not is_inside_tree():
		return
	_say(request.get_error() if request.get_error() or not hits.is_empty() else _NOTHING_FOUND)
	_show_hits(hits)


func _show_hits(hits: Array) -> void:
	_hits.clear()
	_chunk.text = ""
	var root := _hits.create_item()
	for hit: Dictionary in hits:
		var item := _hits.create_item(root)
		item.set_metadata(0, hit)
		item.set_text(0, "%.2f" % hit.relevance)
		item.set_text(1, " › ".join(PackedStringArray(hit.heading_path as Array)))
		item.set_tooltip_text(1, item.get_text(1))
		item.set_text(2, hit.source)
	if root.get_child_count() > 0:
		root.get_child(0).select(1)


func _show_chunk() -> void:
	var hit: Dictionary = _hits.get_selected().get_metadata(0)
	_chunk.text = hit.text


func _show_busy(is_busy: bool) -> void:
	_import_button.visible = not is_busy
	_add.visible = not is_busy
	_cancel.visible = is_busy
	_progress.visible = is_busy


func _say(text: String) -> void:
	_message.text = text
	_message.visible = text != ""


func _paths() -> PackedStringArray:
	return PackedStringArray(ProjectSettings.get_setting(RAGSettings.LORE_SOURCES, []) as Array)


func _add_columns(tree: Tree, titles: Array[String], stretched: Array[int]) -> void:
	tree.columns = titles.size()
	var font := get_theme_font(&"font", &"Tree")
	var font_size := get_theme_font_size(&"font_size", &"Tree")
	var margin := 16.0 * EditorInterface.get_editor_scale()
	for column in titles.size():
		RAGColumnHeadings.set_heading(tree, column, titles[column])
		tree.set_column_clip_content(column, true)
		tree.set_column_expand(column, column in stretched)
		var width := (
			font.get_string_size(titles[column], HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x
		)
		tree.set_column_custom_minimum_width(column, ceili(width + margin))

@tool
extends VBoxContainer
## Shows the activity of a running game: its NPCs, the last calls with what they cost and
## recalled, and what went wrong. Nothing here changes anything.

const RAGColumnHeadings := preload("res://addons/rag_memory/editor/column_headings.gd")
const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGLegible := preload("res://addons/rag_memory/editor/legible.gd")
const RAGNpcTree := preload("res://addons/rag_memory/editor/live/npc_tree.gd")
const RAGRememberedSplit := preload("res://addons/rag_memory/editor/remembered_split.gd")
const RAGRecallView := preload("res://addons/rag_memory/editor/inspector/recall_view.gd")

const _MOST_CALLS := 500
const _NOT_RUNNING := "The game is not running. Play the project to see what NPCs store and recall."
const _WAITING := "The game is running. Waiting for its first report …"
const _IDLE := "The game has used no memory yet: no RAGMemory has entered the scene tree."
# What a number looks like, and what it means.
const _STATES: Dictionary[String, Array] = {
	"state": ["Runtime: %s", "Whether the addon is ready to answer"],
	"current_save": ["Save: %s", "The save that the game has open"],
	"queue_length": ["Queue: %d", "How many calls have no answer yet"],
	"requests_per_second": ["%.1f requests/s", "How many calls the game made in the last second"],
	"last_latency_ms": ["Last latency: %.1f ms", "How long the last call took, with waiting"],
	"frame_ms": ["Frame cost: %.3f ms", "What the addon took of the game's last frame"],
	"longest_frame_ms": ["Longest: %.2f ms", "The most that the addon took of one frame so far"],
	"memories": ["Memories: %d", "How many memories the open save has, of all NPCs"],
	"failed_calls": ["Failed: %d", "How many calls returned an error; see Failed calls only"],
}
const _MAINTENANCE := "What the last MemoryWorld.run_maintenance() did, and how long it took"
const _CALL_COLUMNS: Array[String] = ["NPC", "Call", "Latency", "Wait", "Work", "Result"]
# The text that a column has room for at least.
const _WIDEST: Dictionary[String, String] = {
	"NPC": "Villager",
	"Call": "retrieve_scored_by",
	"Calls": "888 (88 failed)",
	"Result": "100 items",
}
const _WIDEST_NUMBER := "888.8 ms"
const _STRETCHED: Array[String] = ["NPC", "Call", "Result"]
const _NPC_COLUMNS: Array[String] = ["NPC", "Calls", "Last"]

## Called with whether the game should send reports.
var watch: Callable

var _is_running := false
var _labels: Dictionary[String, Label] = {}
var _maintenance := Label.new()
var _calls: Array[Dictionary] = []

@onready var _message: Label = %Message
@onready var _play: Button = %Play
@onready var _head: HBoxContainer = %Head
@onready var _states: HFlowContainer = %States
@onready var _content: HSplitContainer = %Content
@onready var _npcs: RAGNpcTree = %Npcs
@onready var _call_tree: Tree = %Calls
@onready var _failed_only: CheckBox = %FailedOnly
@onready var _details: VBoxContainer = %Details
@onready var _error: Label = %Error
@onready var _recalled: RAGRecallView = %Recalled


func _ready() -> void:
	for key: String in _STATES:
		var label := Label.new()
		label.tooltip_text = _STATES[key][1]
		label.mouse_filter = Control.MOUSE_FILTER_PASS
		_states.add_child(label)
		_labels[key] = label
	_maintenance.tooltip_text = _MAINTENANCE
	_maintenance.mouse_filter = Control.MOUSE_FILTER_PASS
	_states.add_child(_maintenance)
	_add_columns(_npcs, _NPC_COLUMNS)
	_add_columns(_call_tree, _CALL_COLUMNS)
	RAGRememberedSplit.keep(_content, "live_npcs")
	RAGRememberedSplit.keep($Content/Right as SplitContainer, "live_details")
	_apply_theme()
	_call_tree.item_selected.connect(_on_call_selected)
	_failed_only.toggled.connect(func(_is_on: bool) -> void: _list_calls())
	(%Clear as Button).pressed.connect(clear)
	_play.pressed.connect(EditorInterface.play_main_scene)
	visibility_changed.connect(_on_visibility_changed)
	_recalled.clear()
	clear()
	stop()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_node_ready():
		_apply_theme()


## A game has started to run under the debugger.
func start() -> void:
	_is_running = true
	_play.hide()
	clear()
	_show_message(_WAITING)


## The running game can hear now.
func greet() -> void:
	start()
	watch.call(is_visible_in_tree())


## The game has ended; what it did stays to be looked at.
func stop() -> void:
	_is_running = false
	_message.text = _NOT_RUNNING
	_message.show()
	_play.show()
	_content.visible = not _calls.is_empty()
	_head.visible = not _calls.is_empty()


## Forgets the calls that are listed.
func clear() -> void:
	_calls.clear()
	_list_calls()


## Shows the state a game has sent ([code]debug/live_report.gd[/code]).
func show_state(state: Dictionary) -> void:
	if state.state == "idle" and state.finished_calls == 0:
		_show_message(_IDLE)
		return
	_message.text = state.last_error
	_message.visible = state.last_error != ""
	_head.show()
	_content.show()
	for key: String in _STATES:
		var value: Variant = state[key] if state[key] is not String or state[key] else "–"
		_labels[key].text = _STATES[key][0] % value
	_maintenance.text = _last_maintenance(state.maintenance as Dictionary)
	_npcs.show_npcs(state.nodes as Array)


# Returns the last result of MemoryWorld.run_maintenance() in one line.
func _last_maintenance(maintenance: Dictionary) -> String:
	if maintenance.is_empty():
		return "Maintenance: –"
	var done := PackedStringArray()
	for step: String in maintenance:
		if maintenance[step] is Dictionary and maintenance[step].done > 0:
			done.append("%s: %d" % [step.replace("_", " "), maintenance[step].done])
	var day: float = maintenance.day
	return (
		"Maintenance: %s, %.1f ms, %s"
		% [
			RAGGameTime.text_of(day * RAGGameTime.SECONDS_PER_DAY),
			maintenance.took_ms,
			", ".join(done) if not done.is_empty() else "nothing to do",
		]
	)


## Adds calls a game has sent; [param dropped] came too fast to be sent.
func add_calls(calls: Array, dropped: int) -> void:
	for call: Dictionary in calls:
		_calls.append(call)
		if not _failed_only.button_pressed or call.error:
			_add_call(call)
	if dropped > 0:
		var item := _call_tree.create_item(_call_tree.get_root(), 0)
		item.set_text(1, "… %d more calls than could be shown" % dropped)
	while _calls.size() > _MOST_CALLS:
		_calls.pop_front()
	while _call_tree.get_root().get_child_count() > _MOST_CALLS:
		_call_tree.get_root().get_child(-1).free()


func _list_calls() -> void:
	_call_tree.clear()
	_call_tree.create_item()
	for call in _calls:
		if not _failed_only.button_pressed or call.error:
			_add_call(call)
	_details.hide()


# The newest call is the first.
func _add_call(call: Dictionary) -> void:
	var item := _call_tree.create_item(_call_tree.get_root(), 0)
	item.set_metadata(0, call)
	item.set_text(0, call.npc_id if call.npc_id else "–")
	item.set_text(1, call.method.trim_prefix("RAGMemory.").trim_suffix("_async"))
	item.set_text(2, "%.1f ms" % call.latency_ms)
	item.set_text(3, "%.1f ms" % call.waited_ms)
	item.set_text(4, "%.1f ms" % call.worked_ms)
	item.set_text(5, call.error if call.error else call.result)
	item.set_tooltip_text(5, item.get_text(5))
	var way := "The caller waited for the answer." if call.is_blocking else "The game went on."
	item.set_tooltip_text(1, "%s: %s" % [call.method, way])
	if call.error:
		var color := _error_color()
		for column in _CALL_COLUMNS.size():
			item.set_custom_color(column, color)


func _on_call_selected() -> void:
	var item := _call_tree.get_selected()
	var call: Variant = item.get_metadata(0)
	_details.visible = call is Dictionary
	if call is Dictionary:
		_error.text = call.error
		_error.visible = call.error != ""
		_recalled.show_memories(call.memories)
		_details.visible = call.error != "" or not call.memories.is_empty()


func _show_message(text: String) -> void:
	_message.text = text
	_message.show()
	_head.hide()
	_content.hide()


func _on_visibility_changed() -> void:
	if _is_running and watch.is_valid():
		watch.call(is_visible_in_tree())


func _apply_theme() -> void:
	_error.add_theme_color_override(&"font_color", _error_color())
	var gap := roundi(24.0 * EditorInterface.get_editor_scale())
	_states.add_theme_constant_override(&"h_separation", gap)
	var font := get_theme_font(&"font", &"Tree")
	var font_size := get_theme_font_size(&"font_size", &"Tree")
	for tree: Tree in [_npcs, _call_tree]:
		for column in tree.columns:
			var text: String = _WIDEST.get(tree.get_column_title(column), _WIDEST_NUMBER)
			var width := font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, font_size).x
			tree.set_column_custom_minimum_width(column, ceili(width) + gap / 2)


func _error_color() -> Color:
	return RAGLegible.on_panel(get_theme_color(&"error_color", &"Editor"), self)


func _add_columns(tree: Tree, titles: Array[String]) -> void:
	tree.columns = titles.size()
	for column in titles.size():
		RAGColumnHeadings.set_heading(tree, column, titles[column])
		tree.set_column_clip_content(column, true)
		tree.set_column_expand(column, titles[column] in _STRETCHED)

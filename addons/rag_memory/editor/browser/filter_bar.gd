@tool
extends HFlowContainer
## The filters of the table: words or meaning to search for, tier, event type, kind, importance,
## state.

## The options of RAGMemory.browse() are others now.
signal changed

enum RAGShow { ALL, VALID, SUPERSEDED, ARCHIVED }

const RAGTableColumns := preload("res://addons/rag_memory/editor/browser/table_columns.gd")
const _ANY := "Any event"
const _TYPING_SECONDS := 0.3

var _typing := Timer.new()

@onready var search: LineEdit = %Search
@onready var by_meaning: CheckBox = %ByMeaning
@onready var tier: OptionButton = %Tier
@onready var event_type: OptionButton = %EventType
@onready var kind: OptionButton = %Kind
@onready var importance: SpinBox = %Importance
@onready var show_option: OptionButton = %Show
@onready var _clear: Button = %Clear


func _ready() -> void:
	_typing.one_shot = true
	_typing.wait_time = _TYPING_SECONDS
	_typing.timeout.connect(_on_changed)
	add_child(_typing)
	search.text_changed.connect(func(_text: String) -> void: _typing.start())
	search.text_submitted.connect(func(_text: String) -> void: _on_changed())
	by_meaning.toggled.connect(func(_is_on: bool) -> void: _on_changed())
	for option: OptionButton in [tier, event_type, kind, show_option]:
		option.item_selected.connect(func(_index: int) -> void: _on_changed())
	importance.value_changed.connect(func(_value: float) -> void: _on_changed())
	_clear.pressed.connect(clear)
	search.custom_minimum_size.x = 100.0 * EditorInterface.get_editor_scale()
	event_type.custom_minimum_size.x = 116.0 * EditorInterface.get_editor_scale()
	importance.custom_minimum_size.x = 96.0 * EditorInterface.get_editor_scale()
	set_event_types([])
	_refresh()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_node_ready():
		_refresh()


## The event types that can be chosen.
func set_event_types(types: Array) -> void:
	var chosen := chosen_event_type()
	event_type.clear()
	event_type.add_item(_ANY)
	for type: String in types:
		event_type.add_item(type)
		if type == chosen:
			event_type.select(event_type.item_count - 1)


func chosen_event_type() -> String:
	return event_type.get_item_text(event_type.selected) if event_type.selected > 0 else ""


func is_archive() -> bool:
	return show_option.selected == RAGShow.ARCHIVED


func is_by_meaning() -> bool:
	return by_meaning.button_pressed and not is_archive() and search.text.strip_edges() != ""


func is_empty() -> bool:
	return (
		not search.text.strip_edges()
		and tier.selected == 0
		and event_type.selected <= 0
		and kind.selected == 0
		and importance.value <= 1.0
		and show_option.selected in [RAGShow.ALL, RAGShow.ARCHIVED]
	)


func clear() -> void:
	search.text = ""
	tier.select(0)
	event_type.select(0)
	kind.select(0)
	importance.set_value_no_signal(1.0)
	show_option.select(RAGShow.ALL)
	_on_changed()


## The options of RAGMemory.browse(), without order and page.
func options() -> Dictionary:
	var filter := {}
	if tier.selected > 0:
		filter["memory_tier"] = tier.selected - 1
	if chosen_event_type():
		filter["event_type"] = chosen_event_type()
	if kind.selected > 0:
		filter["kind"] = kind.get_item_text(kind.selected).to_lower()
	if importance.value > 1.0:
		filter["importance"] = {">=": int(importance.value)}
	if show_option.selected == RAGShow.VALID:
		filter["superseded_by"] = ""
	elif show_option.selected == RAGShow.SUPERSEDED:
		filter["superseded_by"] = {"!=": ""}
	var chosen := {"filter": filter, "archived": is_archive()}
	var text := search.text.strip_edges()
	if text:
		chosen["similar_to" if is_by_meaning() else "text"] = text
	return chosen


func columns() -> RAGTableColumns.RAGKind:
	if is_archive():
		return RAGTableColumns.RAGKind.ARCHIVED
	return RAGTableColumns.RAGKind.FOUND if is_by_meaning() else RAGTableColumns.RAGKind.MEMORIES


func _on_changed() -> void:
	_typing.stop()
	_refresh()
	changed.emit()


func _refresh() -> void:
	search.right_icon = get_theme_icon(&"Search", &"EditorIcons")
	by_meaning.disabled = is_archive()
	_clear.icon = get_theme_icon(&"Clear", &"EditorIcons")
	_clear.disabled = is_empty()

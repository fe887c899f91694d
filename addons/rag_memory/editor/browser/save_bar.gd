@tool
extends VBoxContainer
## Shows the open save and the actions for it as a whole, and the line that says what
## happened.

signal refresh_requested
signal restored
signal imported(npc_id: String)
signal add_requested

const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const RAGSnapshotsWindow := preload("res://addons/rag_memory/editor/browser/snapshots_window.gd")
const RAGNowField := preload("res://addons/rag_memory/editor/now_field.gd")
const RAGExchangeMenu := preload("res://addons/rag_memory/editor/browser/exchange_menu.gd")
const _NO_SAVES := (
	"This project has no saves yet. Run a scene in which a RAGMemory node stores something: "
	+ "its save then appears here. Or press New Save, and add or import memories."
)
const _CHOOSE := "Choose a save and press Open. The first open takes a moment while Python starts."
const _OPENING := "Opening %s …"
const _RELEASED := (
	"The save was closed for the game, and opens again when you stop the game. If you did not start "
	+ "the game here, press Open when it has ended."
)

var _session: RAGSaveSession
var _released := false
# The save that was selected or opened last; until then the newest save.
var _wanted := ""

@onready var snapshots: RAGSnapshotsWindow = %Snapshots
@onready var exchange: RAGExchangeMenu = %Exchange
@onready var saves: OptionButton = %Saves
@onready var open_button: Button = %Open
@onready var message: Label = %Message
@onready var add_button: Button = %Add
@onready var _now: RAGNowField = %Now
@onready var _refresh: Button = %Refresh
@onready var _snapshots_button: Button = %SnapshotsButton
@onready var _message_row: Control = %MessageRow
@onready var _message_icon: TextureRect = %MessageIcon
@onready var _dismiss: Button = %Dismiss


func _ready() -> void:
	open_button.pressed.connect(_on_open_pressed)
	_refresh.pressed.connect(refresh_requested.emit)
	_snapshots_button.pressed.connect(func() -> void: snapshots.open())
	_dismiss.pressed.connect(_message_row.hide)
	add_button.pressed.connect(add_requested.emit)
	saves.item_selected.connect(_on_save_chosen)
	snapshots.restored.connect(_on_restored)
	exchange.imported.connect(imported.emit)
	exchange.done.connect(say)
	_message_row.hide()
	_set_icons()


func _notification(what: int) -> void:
	if what == NOTIFICATION_THEME_CHANGED and is_node_ready():
		_set_icons()


func set_up(session: RAGSaveSession) -> void:
	_session = session
	snapshots.set_up(session)
	exchange.set_up(session)
	_now.set_up(session.clock)
	session.opened.connect(_on_opened)
	session.closed.connect(_on_closed)
	session.failed.connect(func(error: String) -> void: say(error, true))
	refresh()


func set_npc(npc_id: String) -> void:
	exchange.npc_id = npc_id


## The hint shown while no save is open.
func advice() -> String:
	if _released:
		return _RELEASED
	return _NO_SAVES if saves.item_count == 0 else _CHOOSE


## Closes the save because a game is about to start.
func release() -> void:
	_released = _released or _session.has_save()
	_session.release()


## Says something below the bar, until it is dismissed or something else is said.
func say(text: String, is_error := false) -> void:
	message.text = text
	_message_icon.texture = get_theme_icon(
		&"StatusError" if is_error else &"NodeInfo", &"EditorIcons"
	)
	_message_row.show()


## Lists the saves again.
func refresh() -> void:
	RAGSavesFolder.list_in(saves, _wanted)
	saves.visible = saves.item_count > 0
	var is_open := _session.save_id != ""
	RAGSavesFolder.name_button(open_button, saves)
	if is_open and chosen_save() == _session.save_id:
		open_button.text = "Close"
	add_button.disabled = not is_open
	_snapshots_button.disabled = not is_open
	exchange.disabled = not is_open


func chosen_save() -> String:
	return RAGSavesFolder.chosen_in(saves)


func _on_save_chosen(_index: int) -> void:
	_wanted = chosen_save()
	refresh()


func _on_open_pressed() -> void:
	if _session.save_id and chosen_save() == _session.save_id:
		_session.release()
		return
	_released = false
	_wanted = RAGSavesFolder.to_open(saves)
	open_button.disabled = true
	say(_OPENING % _wanted)
	if await _session.open(_wanted) or _released:
		_message_row.hide()
	open_button.disabled = false


func _on_opened() -> void:
	_released = false
	_wanted = _session.save_id
	refresh()


func _on_closed() -> void:
	refresh()


func _on_restored(slot: String, backup: String) -> void:
	var words := 'The save is what it was in "%s". What it was before is the snapshot "%s".'
	say(words % [slot, backup])
	restored.emit()


func _set_icons() -> void:
	_refresh.icon = get_theme_icon(&"Reload", &"EditorIcons")
	_dismiss.icon = get_theme_icon(&"Close", &"EditorIcons")

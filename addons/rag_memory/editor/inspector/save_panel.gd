@tool
extends VBoxContainer
## A panel of the inspector about the save that is open in the editor: its first row opens one.

const RAGNodeMemory := preload("res://addons/rag_memory/editor/inspector/node_memory.gd")
const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")

## Answers the questions; lasts longer than a panel. Set before the panel enters the tree.
var node_memory: RAGNodeMemory
## Called with an NPC's id: shows the memory browser.
var open_browser: Callable

@onready var _saves: OptionButton = %Saves
@onready var _open: Button = %Open
@onready var _message: Label = %Message
@onready var _content: VBoxContainer = %Content
@onready var _browse: Button = %Browse


func _ready() -> void:
	_open.pressed.connect(_on_open_pressed)
	node_memory.opened.connect(_on_opened)
	MemoryServer.save_opened.connect(_on_save_changed)
	MemoryServer.save_closed.connect(_on_save_changed)


## Shows what is known of the NPC now.
func refresh() -> void:
	pass


func _on_save_changed(_save_id: String) -> void:
	refresh()


func _on_open_pressed() -> void:
	var save_id := RAGSavesFolder.to_open(_saves)
	_set_busy(true)
	_say("Opening %s. The first time, Python and the model are loaded." % save_id)
	node_memory.open(save_id)


func _on_opened(problem: String) -> void:
	_set_busy(false)
	if problem:
		_say(problem)
	else:
		refresh()


func _set_busy(is_busy: bool) -> void:
	_open.disabled = is_busy


## Lists the saves; the open one is chosen, else the one that was chosen before, else the newest.
func _list_saves() -> void:
	var current := MemoryServer.current_save()
	RAGSavesFolder.list_in(_saves, current if current else RAGSavesFolder.chosen_in(_saves))
	_saves.disabled = _saves.item_count == 0
	RAGSavesFolder.name_button(_open, _saves)


func _say(text: String) -> void:
	_message.text = text
	_message.visible = text != ""

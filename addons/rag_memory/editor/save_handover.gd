@tool
extends Node
## A save has one user at a time, the editor or a game. This gives the save that is open here to a
## game that wants it, and takes it back when the game that was played from here has ended.

## A game wants the save that is open here.
signal wanted
signal given_back(save_id: String)

const RAGSavesFolder := preload("res://addons/rag_memory/editor/saves_folder.gd")
const _LOOK_SECONDS := 0.2

# The save that was closed for the game that is played.
var _lent := ""


func _ready() -> void:
	var timer := Timer.new()
	timer.timeout.connect(_look)
	add_child(timer)
	timer.start(_LOOK_SECONDS)
	MemoryServer.save_opened.connect(_on_save_opened)


## Remembers the save that is open, which is about to be closed for the game that is played.
func lend() -> void:
	if MemoryServer.current_save():
		_lent = MemoryServer.current_save()


func _look() -> void:
	var open_save := MemoryServer.current_save()
	if open_save and FileAccess.file_exists(RAGSavesFolder.wanted_of(open_save)):
		if EditorInterface.is_playing_scene():
			lend()
		wanted.emit()
	elif _lent and not EditorInterface.is_playing_scene():
		var save_id := _lent
		_lent = ""
		if not open_save:
			given_back.emit(save_id)


# The request of a game that was killed while it waited. One that still waits repeats it.
func _on_save_opened(save_id: String) -> void:
	DirAccess.remove_absolute(RAGSavesFolder.wanted_of(save_id))

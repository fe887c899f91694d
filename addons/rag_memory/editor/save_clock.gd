@tool
extends Node
## The time in the save that is open in the editor: the game's own clock does not run here.
## It is the time of the save's newest memory, or so many days later as was chosen.

## Another time, or another save.
signal changed
signal was_read

const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")

## The days since the newest memory.
var days_later := 0.0:
	set(value):
		days_later = value
		changed.emit()

# NAN while no memory is known: then the system's time counts.
var _newest := NAN
var _reading := 0


func _enter_tree() -> void:
	MemoryServer.save_opened.connect(_on_save_opened)
	MemoryServer.save_closed.connect(_on_save_closed)
	MemoryServer.set_clock(now)


func _exit_tree() -> void:
	MemoryServer.set_clock(Callable())


func now() -> float:
	if is_nan(_newest):
		return Time.get_unix_time_from_system()
	return _newest + days_later * RAGGameTime.SECONDS_PER_DAY


## Returns whether there is a memory to count from.
func has_time() -> bool:
	return not is_nan(_newest)


## Looks for the newest memory of the open save; await it.
func read() -> void:
	_reading += 1
	var request := MemoryServer.list_npcs_async()
	await request.completed
	_reading -= 1
	if not request.get_error():
		take(request.get_result() as Array)
	was_read.emit()


## Until the time of the save that was just opened is known; await it.
func until_read() -> void:
	while _reading > 0:
		await was_read


## Takes the time from the answer of [method MemoryServer.list_npcs].
func take(npcs: Array) -> void:
	var newest := NAN
	for npc: Dictionary in npcs:
		if npc.total > 0 and (is_nan(newest) or npc.newest > newest):
			newest = npc.newest
	var is_same := newest == _newest
	_newest = newest
	days_later = days_later if is_same else 0.0


func _on_save_opened(_save_id: String) -> void:
	read()


func _on_save_closed(_save_id: String) -> void:
	take([])

@tool
extends Node
## The save that the browser has open, and every call to the worker. Python starts with the first
## `open()`, never before.

signal opened
## After `release()`, when a failed call has closed the save, and when somebody else closed it.
signal closed
signal failed(error: String)
## While calls are on their way.
signal busy_changed(is_busy: bool)

const RAGSaveClock := preload("res://addons/rag_memory/editor/save_clock.gd")
const _LIVE := " What the game you play remembers is in Debugger > RAG Memory."

## The time in the save; set before anything is opened.
var clock: RAGSaveClock
var save_id := ""

# The last opening, until it is answered or not wanted any more.
var _opening: MemoryRequest
var _memories: Dictionary[String, RAGMemory] = {}
var _calls := 0


func _ready() -> void:
	MemoryServer.save_closed.connect(_on_save_closed)


## Opens a save; await it. Returns whether it is open now. When it was released or another one was
## opened meanwhile, nothing more is told of it.
func open(id: String) -> bool:
	var request := MemoryServer.open_save_async(id)
	_opening = request
	_count(1)
	var error: Error = await request.completed
	if error == OK:
		await clock.until_read()
	_count(-1)
	if request != _opening:
		return false
	_opening = null
	if error != OK:
		failed.emit(problem_of(request))
		return false
	save_id = id
	opened.emit()
	return true


## Why a save could not be opened, and what to do.
static func problem_of(request: MemoryRequest) -> String:
	var is_locked: bool = request.get_result() == ERR_FILE_ALREADY_IN_USE
	return request.get_error() + (_LIVE if is_locked and EditorInterface.is_playing_scene() else "")


## Takes over the save that another panel of the editor has opened.
func adopt() -> void:
	if not save_id and MemoryServer.current_save():
		save_id = MemoryServer.current_save()
		opened.emit()


## Returns whether calls are on their way.
func is_busy() -> bool:
	return _calls > 0


## Returns whether a save is open or being opened.
func has_save() -> bool:
	return save_id != "" or _opening != null


## Closes the save at once, so that a game that is about to start can open it. One that is still
## being opened is closed as soon as it is open.
func release() -> void:
	if not has_save():
		return
	save_id = ""
	_opening = null
	_forget_memories()
	MemoryServer.close_save()
	closed.emit()


## The result of a call to an NPC's memory; null after a failure, which `failed` tells of. Await it.
func ask(npc_id: String, method: StringName, arguments: Array = []) -> Variant:
	return await _ask(_memory(npc_id), method, arguments)


## The same of MemoryServer.
func ask_server(method: StringName, arguments: Array = []) -> Variant:
	return await _ask(MemoryServer, method, arguments)


## The same of MemoryWorld.
func ask_world(method: StringName, arguments: Array = []) -> Variant:
	return await _ask(MemoryWorld, method, arguments)


## Takes a snapshot before something is changed, beside those that were taken before. Returns its
## name, for example before_import_2026-11-23_18-04-59; empty after a failure. Await it.
func keep(reason: String) -> String:
	var taken: Variant = await ask_server(&"list_snapshots")
	if not taken is PackedStringArray:
		return ""
	var time := Time.get_datetime_string_from_system(false, true)
	var dated := "%s_%s" % [reason, time.replace(" ", "_").replace(":", "-")]
	var slot := dated
	var number := 1
	while slot in (taken as PackedStringArray):
		number += 1
		slot = "%s_%d" % [dated, number]
	return slot if await ask_server(&"snapshot", [slot]) == OK else ""


func _ask(object: Object, method: StringName, arguments: Array) -> Variant:
	if not save_id:
		return null
	var asked_save := save_id
	var request: MemoryRequest = object.callv(method + "_async", arguments)
	_count(1)
	var result: Variant = await request.completed
	_count(-1)
	if request.get_error():
		if asked_save == save_id:
			failed.emit(request.get_error())
		return null
	return result if asked_save == save_id else null


func _memory(npc_id: String) -> RAGMemory:
	if not _memories.has(npc_id):
		var memory := RAGMemory.new()
		memory.npc_id = npc_id
		_memories[npc_id] = memory
		add_child(memory)
	return _memories[npc_id]


func _forget_memories() -> void:
	for memory: RAGMemory in _memories.values():
		memory.queue_free()
	_memories.clear()


func _count(change: int) -> void:
	_calls += change
	busy_changed.emit(_calls > 0)


func _on_save_closed(id: String) -> void:
	if id == save_id:
		save_id = ""
		_forget_memories()
		closed.emit()

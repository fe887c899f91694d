@tool
extends RefCounted
## The rows of a list, in pages that are asked for when they are looked at. A list of 100,000
## memories costs no more than the few pages around what is on the screen.

## The list is another one, or has another length.
signal list_changed
## These rows are there now.
signal rows_loaded(first: int, count: int)

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const PAGE := 100
const KEPT_PAGES := 16

var total := 0
## [code]true[/code] if the length of the list is known.
var is_loaded := false
var npc_id := ""

var _session: RAGSaveSession
var _options: Dictionary = {}
# By number; the order is that of last use.
var _pages: Dictionary[int, Array] = {}
var _asked: Dictionary[int, bool] = {}
var _generation := 0
# The cached pages belong to an earlier state of the list.
var _is_stale := false


func _init(session: RAGSaveSession) -> void:
	_session = session


## Shows another list: the memories of an NPC, with the options of RAGMemory.browse().
func show_list(npc: String, options: Dictionary) -> void:
	npc_id = npc
	_options = options
	total = 0
	is_loaded = false
	_pages.clear()
	_start()
	list_changed.emit()
	if npc:
		_ask(0)


## Reads the list again. What is on the screen stays until the answer is there.
func refresh() -> void:
	if npc_id:
		_start()
		_ask(0)


## A row, or an empty dictionary while its page is on the way.
func row(index: int) -> Dictionary:
	var number := floori(index / float(PAGE))
	var at := index - number * PAGE
	if not _pages.has(number):
		_ask(number)
		return {}
	var page: Array = _pages[number]
	_pages.erase(number)
	_pages[number] = page
	return page[at] if at < page.size() else {}


## Whole rows that may not be on the screen; await it. At most 1000.
func rows_between(first: int, last: int) -> Array:
	var options := _options.duplicate()
	options.merge({"offset": first, "limit": mini(last - first + 1, 1000)})
	var answer: Variant = await _session.ask(npc_id, &"browse", [options])
	return answer.rows if answer is Dictionary else []


## Returns where a memory is in the list, or -1; await it.
func position_of(id: String) -> int:
	var options := _options.duplicate()
	options.merge({"locate": id, "limit": 0})
	var answer: Variant = await _session.ask(npc_id, &"browse", [options])
	return answer.position if answer is Dictionary else -1


func _start() -> void:
	_generation += 1
	_is_stale = true
	_asked.clear()


func _ask(number: int) -> void:
	if _asked.has(number) or not npc_id:
		return
	_asked[number] = true
	var generation := _generation
	var options := _options.duplicate()
	options.merge({"offset": number * PAGE, "limit": PAGE})
	var answer: Variant = await _session.ask(npc_id, &"browse", [options])
	if generation != _generation:
		return
	_asked.erase(number)
	if answer is Dictionary:
		_take(number, answer as Dictionary)


func _take(number: int, answer: Dictionary) -> void:
	var is_new: bool = _is_stale or total != answer.total
	if is_new:
		_is_stale = false
		_pages.clear()
	_pages[number] = answer.rows
	while _pages.size() > KEPT_PAGES:
		_pages.erase(_pages.keys()[0])
	total = answer.total
	is_loaded = true
	if is_new:
		list_changed.emit()
	rows_loaded.emit(number * PAGE, (answer.rows as Array).size())

@tool
extends Node
## What the memory browser costs the editor: frames at rest and while it is used, and how long lists
## take to be there. Writes its samples to the file named second on the command line.

const FrameClock := preload("res://bench/measurement/frame_clock.gd")
const MemoryBrowser := preload("res://addons/rag_memory/editor/browser/memory_browser.gd")
const _ROUNDS := 5

var _browser: MemoryBrowser
var _clock: FrameClock
var _values: Dictionary
var _samples: Dictionary = {}


func measure() -> void:
	var files := OS.get_cmdline_user_args()
	_values = JSON.parse_string(FileAccess.get_file_as_string(files[0]))
	for node in EditorInterface.get_base_control().find_children("*", "", true, false):
		if node is MemoryBrowser:
			_browser = node
	if _browser.get_parent().has_method(&"make_visible"):
		_browser.get_parent().call(&"make_visible")
	if not await _browser.session.open(_values["save"] as String):
		get_tree().quit(1)
		return
	await _settled()
	_clock = FrameClock.new(get_tree(), 1000)
	await _frames(300)
	_samples["rest_usec"] = _taken(FrameClock.Kind.IDLE)
	await _measure_lists()
	await _measure_scrolling()
	var file := FileAccess.open(files[1], FileAccess.WRITE)
	file.store_string(JSON.stringify(_samples))
	file.close()
	get_tree().quit()


# Frames that pass while the worker makes a list count as waiting ones.
func _measure_lists() -> void:
	_clock.background = FrameClock.Kind.WAITING
	for each: String in ["importance", "text", "timestamp"]:
		await _list("sorted_usec", func() -> void: _browser.table.sort_requested.emit(each))
	for round in _ROUNDS:
		var words := "%s %d" % [_values["word"], round + 2]
		await _list("words_usec", func() -> void: _search(words))
	_browser.filter_bar.by_meaning.button_pressed = true
	await _settled()
	for round in _ROUNDS:
		var question := "%s %d?" % [_values["question"], round]
		await _list("meaning_usec", func() -> void: _search(question))
	_browser.filter_bar.by_meaning.button_pressed = false
	_browser.filter_bar.clear()
	await _settled()
	_browser.show_timeline.button_pressed = true
	await _settled()
	for round in _ROUNDS:
		await _list("timeline_usec", _browser.timeline.refresh)
	_browser.show_table.button_pressed = true
	await _settled()
	_samples["waiting_usec"] = _taken(FrameClock.Kind.WAITING)


# Each frame shows another place of the list, which is on the way or just comes.
func _measure_scrolling() -> void:
	_clock.background = FrameClock.Kind.DELIVERY
	var total := _browser.pages.total
	for step: int in _values["steps"]:
		_browser.table.choose(step * 7919 % total)
		await get_tree().process_frame
	_samples["jumping_usec"] = _taken(FrameClock.Kind.DELIVERY)
	await _settled()
	_clock.background = FrameClock.Kind.CALL
	for step: int in _values["steps"]:
		_browser.table.choose(step)
		await get_tree().process_frame
	_samples["walking_usec"] = _taken(FrameClock.Kind.CALL)
	_clock.background = FrameClock.Kind.IDLE
	for step in _ROUNDS * 4:
		await _list("page_usec", func() -> void: _browser.table.choose(step * 4999 + 50))
	_samples["rows_made"] = [_browser.table.rows_made]


func _search(text: String) -> void:
	_browser.filter_bar.search.text = text
	_browser.filter_bar.search.text_submitted.emit(text)


func _list(name: String, how: Callable) -> void:
	var begun := Time.get_ticks_usec()
	how.call()
	while _browser.session.is_busy():
		await get_tree().process_frame
	var samples: Array = _samples.get_or_add(name, [])
	samples.append(Time.get_ticks_usec() - begun)
	await _settled()


func _taken(kind: FrameClock.Kind) -> Array:
	return _clock.costs_usec(kind)


func _settled() -> void:
	var quiet := 0
	while quiet < 5:
		await get_tree().process_frame
		quiet = 0 if _browser.session.is_busy() else quiet + 1


func _frames(count: int) -> void:
	for frame in count:
		await get_tree().process_frame

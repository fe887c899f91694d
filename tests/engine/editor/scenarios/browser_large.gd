@tool
# Moves through 100,000 memories, and says what was made and held for it.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"

var _frames := 0


func play() -> void:
	find_browser()
	make_visible()
	get_tree().process_frame.connect(func() -> void: _frames += 1)
	await open_save("large")
	var before := _frames
	browser.npc_list.choose("elena")
	say("at_once", [browser.pages.total, browser.pages._pages.size()])
	await settled()
	say("frames_while_listing", _frames - before)
	say("total", browser.pages.total)
	say("visible", browser.table.visible_rows())
	await look("End", KEY_END, 1)
	await look("Home", KEY_HOME, 1)
	await look("Page Down", KEY_PAGEDOWN, 30)
	for at in range(0, 100_000, 997):
		browser.table.choose(at)
		await frames(1)
	await settled()
	say("held_after_scrolling", browser.pages._pages.size())
	before = _frames
	browser.filter_bar.search.text = "barrel 77777"
	browser.filter_bar.search.text_submitted.emit("")
	await settled()
	say("found", shown_texts())
	browser.filter_bar.clear()
	await settled()
	browser.table.sort_requested.emit("text")
	await settled()
	say("sorted", browser.pages.row(0).document_full)
	browser.show_timeline.button_pressed = true
	await settled()
	say(
		"counted",
		browser.timeline._painter.life.counts[2].reduce(func(a: int, b: int) -> int: return a + b)
	)
	say("marks", (browser.timeline._painter.life.marks as Array).size())


# The row under the cursor at once, and when its page is there; and the rows made for it.
func look(name: String, key: Key, times: int) -> void:
	browser.table.grab_focus()
	var rows_made := browser.table.rows_made
	for time in times:
		press(key)
	var at_once := browser.pages.row(browser.table.cursor).is_empty()
	await settled()
	var made := browser.table.rows_made - rows_made
	var row := browser.pages.row(browser.table.cursor)
	say("look", [name, browser.table.cursor, at_once, row.document_full, made])

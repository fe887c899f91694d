@tool
# Makes every edit of the browser, and takes each back and makes it again with the editor's undo.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"


func play() -> void:
	find_browser()
	make_visible()
	await open_save("slot_1")
	await choose_npc("elena")
	await edit("add", add.bind("The well is dry.", 6))
	await edit("add again", add.bind("The ford can be crossed.", 9))
	await edit("text", edit_text)
	await edit("importance", edit_importance)
	await edit("lists", edit_lists)
	await edit("pin", pin)
	await edit("unpin", pin)
	await edit("forget", forget)
	await edit("forget two", forget_two)
	browser.filter_bar.show_option.select(FilterBar.RAGShow.ARCHIVED)
	browser.filter_bar.show_option.item_selected.emit(FilterBar.RAGShow.ARCHIVED)
	await settled()
	await edit("restore a version", restore.bind("The ford is flooded."))
	await edit("restore a slot", restore.bind("The player's name is Theron."))
	await undo_after_closing()


# What the save holds before and after an edit, after undo, and after redo.
func edit(name: String, how: Callable) -> void:
	var before := await contents()
	await how.call()
	await settled()
	var after := await contents()
	undo()
	await settled()
	var undone := await contents()
	redo()
	await settled()
	var redone := await contents()
	undo()
	await settled()
	say(
		"edit",
		{
			"name": name,
			"changed": before != after,
			"undone": undone == before,
			"redone": redone == after,
			"undone_again": await contents() == before,
			"difference": difference(before, after),
		}
	)


func contents() -> Dictionary:
	var ids := PackedStringArray()
	for is_archive: bool in [false, true]:
		var options := {"archived": is_archive, "limit": 1000}
		var page: Dictionary = await browser.session.ask("elena", &"browse", [options])
		for row: Dictionary in page.rows:
			ids.append(row.id as String)
	ids.sort()
	return await browser.session.ask("elena", &"capture_memories", [ids])


# The texts that are remembered, with tier and importance, which only one of the two has.
func difference(before: Dictionary, after: Dictionary) -> Array:
	var told: Array[Array] = []
	for contents: Dictionary in [before, after]:
		var lines := []
		for each: Dictionary in contents.memories:
			if each.memory:
				var record: Dictionary = each.memory.record
				lines.append(
					(
						"%s|%s|%s|%s"
						% [
							record.document_full,
							record.memory_tier,
							record.importance,
							record.participants
						]
					)
				)
		told.append(lines)
	return [
		told[0].filter(func(line: String) -> bool: return not line in told[1]),
		told[1].filter(func(line: String) -> bool: return not line in told[0]),
	]


func choose_text(text: String) -> void:
	browser.table.grab_focus()
	for index in browser.pages.total:
		if browser.pages.row(index).document_full == text:
			browser.table.choose(index)
	await settled()


# As a person does: the button, the fields, and Enter.
func add(text: String, importance: int) -> void:
	browser.save_bar.add_button.pressed.emit()
	var window := browser.add_window
	window.text.text = text
	window.importance.value = importance
	window.event_type.text = "rumor"
	window.get_ok_button().pressed.emit()
	await settled()
	await settled()
	say("added", [browser.details.memory().document_full, window.visible])


func edit_text() -> void:
	await choose_text("The bridge is out.")
	press(KEY_F2)
	browser.details.text.text = "The bridge is mended."
	browser.details.text.text_changed.emit()
	press(KEY_ENTER, true)


func edit_importance() -> void:
	await choose_text("The bridge is out.")
	browser.details.importance.value = 9
	browser.details.apply_button.pressed.emit()


func edit_lists() -> void:
	await choose_text("The bridge is out.")
	var field: LineEdit = browser.details.find_child("Participants")
	field.text = " Bjorn,, Tobias "
	field.text_submitted.emit(field.text)


func pin() -> void:
	await choose_text("The bridge is out.")
	browser.details.pin_requested.emit()


func forget() -> void:
	await choose_text("He never came.")
	press(KEY_DELETE)


func forget_two() -> void:
	browser.table.grab_focus()
	browser.table.choose(0)
	press(KEY_DOWN, false, true)
	press(KEY_DELETE)


func restore(text: String) -> void:
	await choose_text(text)
	browser.details.restore_requested.emit()


# Undo opens the save that it belongs to.
func undo_after_closing() -> void:
	browser.filter_bar.clear()
	await settled()
	await forget()
	await settled()
	var count := browser.pages.total
	browser.release()
	await frames(3)
	undo()
	await until(func() -> bool: return browser.session.save_id == "slot_1")
	await settled()
	await choose_npc("elena")
	say("after_closing", [count, browser.pages.total])


func undo() -> void:
	press(KEY_Z, true)


func redo() -> void:
	press(KEY_Z, true, true)

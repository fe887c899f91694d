@tool
# Adds memories by hand, with wrong input first, and takes them back with the keys.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"


func play() -> void:
	find_browser()
	make_visible()
	await frames(5)
	var button := browser.save_bar.add_button
	var was_disabled := button.disabled
	await open_save("slot_1")
	say("button", [not was_disabled, not button.disabled])
	await choose_npc("elena")
	browser.filter_bar.search.text = "bridge"
	browser.filter_bar.search.text_submitted.emit("bridge")
	await settled()
	await add("  ", "elena")
	say_bad()
	await add("I saw a wolf.", " ")
	say_bad()
	browser.add_window.hide()
	await add("The well is dry. ", "elena", 6, "rumor")
	say_added()
	await add("I saw a wolf.", "Greta")
	say_added()
	await choose_npc("elena")
	await add("The well is dry.", "elena", 6, "rumor")
	say("again", [browser.details.memory().document_full, browser.save_bar.message.text])
	say("npcs", npcs())
	browser.table.grab_focus()
	for step in 3:
		press(KEY_Z, true)
		await settled()
	say("undone", npcs())
	for step in 3:
		press(KEY_Z, true, true)
		await settled()
	say("redone", npcs())


# As a person does: the button, the fields, and the button of the window.
func add(text: String, npc_id: String, importance := 5, event_type := "") -> void:
	var window := browser.add_window
	browser.save_bar.add_button.pressed.emit()
	window.text.text = text
	window.text.text_changed.emit()
	window.npc.text = npc_id
	window.npc.text_changed.emit(npc_id)
	say("news", window.message.text)
	window.importance.value = importance
	window.event_type.text = event_type
	window.get_ok_button().pressed.emit()
	await settled()
	await settled()


func say_bad() -> void:
	say("bad", [browser.add_window.visible, browser.add_window.message.text])


func say_added() -> void:
	var memory := browser.details.memory()
	var metadata: Dictionary = memory.metadata
	say(
		"added",
		[
			browser.npc_list.npc_id,
			memory.document_full,
			metadata.event_type,
			metadata.importance,
		]
	)


func npcs() -> Dictionary:
	var found := {}
	for item in browser.npc_list.get_root().get_children():
		found[item.get_text(0)] = item.get_text(1)
	return found

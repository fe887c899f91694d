@tool
# Writes memories to a disk that has no room: a long file, and one shorter than the engine's buffer.
extends "res://tests/engine/editor/scenarios/memory_browser_scenario.gd"


func play() -> void:
	find_browser()
	make_visible()
	await open_save("slot_1")
	await choose_npc("elena")
	for ending: String in ["json", "csv"]:
		await browser.save_bar.exchange.export_to(arguments[0].path_join("elena." + ending))
		say("said", browser.save_bar.message.text)

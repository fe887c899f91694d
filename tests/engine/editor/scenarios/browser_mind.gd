@tool
# Looks at what a mind has made of memories: kinds, and what a reflection was concluded from.
extends "res://tests/engine/editor/scenarios/browser_shows.gd"

const KINDS := {"episode": 2, "reflection": 3}


func play() -> void:
	find_browser()
	make_visible()
	await frames(5)
	await open_save("slot_1")
	await choose_npc("elena")
	await choose(browser.filter_bar.kind, KINDS["episode"])
	say("episodes", shown_texts())
	await choose(browser.filter_bar.kind, KINDS["reflection"])
	say("reflections", shown_texts())
	browser.table.choose(0)
	await settled()
	say("links", _links().map(func(link: LinkButton) -> String: return link.text))
	say("rest", browser.details.get_node("%Rest").text)
	(_links()[0] as LinkButton).pressed.emit()
	await settled()
	say("followed", browser.details.memory().document_full)
	say("rest_of_evidence", browser.details.get_node("%Rest").text)
	say("emotion", browser.details.get_node("%Emotion").text)
	say("filter_cleared", browser.filter_bar.is_empty())


func _links() -> Array:
	return browser.details.find_children("*", "LinkButton", true, false).filter(
		func(link: LinkButton) -> bool: return not link.is_queued_for_deletion()
	)

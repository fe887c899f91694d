# Mira's dialogue file in the addon Dialogue Manager: says her line, the answers that are offered,
# and what she says to the first of them.
extends "res://tests/engine/scenarios/visits.gd"


func visit() -> void:
	var manager := root.get_node("DialogueManager")
	var file: Resource = load("res://mira.dialogue")
	var line: RefCounted = await manager.call("get_next_dialogue_line", file, "start")
	var offered: Array = line.get("responses").filter(_is_allowed)
	var next: RefCounted = await manager.call("get_next_dialogue_line", file, offered[0].next_id)
	var texts := offered.map(func(response: RefCounted) -> String: return response.get("text"))
	say("visit", [line.get("text"), texts, next.get("text") if next else ""])


func _is_allowed(response: RefCounted) -> bool:
	return response.get("is_allowed")

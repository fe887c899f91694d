@tool
extends RefCounted
## What an NPC feels and what happened to her as lines of text, for the console and the editor.

const _MIDDLE := 50.0


## A mood as [method NPCMind.get_emotion] returns it.
static func mood(emotion: Dictionary) -> String:
	var text := str(emotion["mood"])
	if emotion["intensity"] > 0.0:
		text += " %.0f of 100" % emotion["intensity"]
	return text + _because(emotion["reason"] as String)


## A feeling as [method NPCMind.get_disposition] returns it.
static func feeling(disposition: Dictionary) -> String:
	var told := [disposition["name"], disposition["feeling"], disposition["strength"]]
	return "%s: %s %.0f of 100" % told + _because(disposition["reason"] as String)


## Feelings with the strongest first, whether they are good or bad.
static func strongest_first(dispositions: Array) -> Array:
	var sorted := dispositions.duplicate()
	sorted.sort_custom(
		func(one: Dictionary, other: Dictionary) -> bool: return _distance(one) > _distance(other)
	)
	return sorted


## An interaction as [method NPCMind.get_interactions] returns it.
static func interaction(told: Dictionary) -> String:
	var text := str(told.get("description", ""))
	if not text:
		var source := str(told["source_name"]) if told["source_name"] else str(told["source_id"])
		text = "%s: %s" % [source if source else "somebody", told["action"]]
		text += ' "%s"' % told["content"] if told["content"] else ""
	var came_of_it := PackedStringArray()
	if told["sentiment"]:
		came_of_it.append("%+.0f" % told["sentiment"])
	if told["kind"]:
		came_of_it.append("kept as %s" % told["kind"])
	return text + _because(", ".join(came_of_it))


static func _because(reason: String) -> String:
	return " (%s)" % reason if reason else ""


static func _distance(disposition: Dictionary) -> float:
	return absf(disposition["strength"] - _MIDDLE)

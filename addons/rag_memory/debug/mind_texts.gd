@tool
extends RefCounted
## Feelings and interactions of an NPC as lines of text, for the console and the editor.

const _MIDDLE := 50.0


## A mood as [method NPCMind.get_emotion] returns it.
static func mood(emotion: Dictionary) -> String:
	var text := str(emotion["mood"])
	if emotion["intensity"] > 0.0:
		text += " %.0f of 100" % emotion["intensity"]
	return text + _because(emotion["reason"] as String)


## A feeling as [method NPCMind.get_disposition] returns it.
static func feeling(disposition: Dictionary) -> String:
	var values := [disposition["name"], disposition["feeling"], disposition["strength"]]
	return "%s: %s %.0f of 100" % values + _because(disposition["reason"] as String)


## Feelings with the strongest first, whether they are good or bad.
static func strongest_first(dispositions: Array) -> Array:
	var sorted := dispositions.duplicate()
	sorted.sort_custom(
		func(one: Dictionary, other: Dictionary) -> bool: return _distance(one) > _distance(other)
	)
	return sorted


## An interaction as [method NPCMind.get_interactions] returns it.
static func interaction(record: Dictionary) -> String:
	var text := str(record.get("description", ""))
	if not text:
		var source := (
			str(record["source_name"]) if record["source_name"] else str(record["source_id"])
		)
		text = "%s: %s" % [source if source else "somebody", record["action"]]
		text += ' "%s"' % record["content"] if record["content"] else ""
	var came_of_it := PackedStringArray()
	if record["sentiment"]:
		came_of_it.append("%+.0f" % record["sentiment"])
	if record["kind"]:
		came_of_it.append("kept as %s" % record["kind"])
	return text + _because(", ".join(came_of_it))


static func _because(reason: String) -> String:
	return " (%s)" % reason if reason else ""


static func _distance(disposition: Dictionary) -> float:
	return absf(disposition["strength"] - _MIDDLE)

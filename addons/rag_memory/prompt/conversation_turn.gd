extends RefCounted
## One turn of a conversation: who spoke, and what was said. The words for speakers are those of
## RAGMemory.store_conversation().

const PLAYER_SPEAKERS: Array[String] = ["player", "user", "you"]
const NPC_SPEAKERS: Array[String] = ["npc", "assistant"]
const _SPEAKER_KEYS: Array[String] = ["speaker", "role", "name"]
const _TEXT_KEYS: Array[String] = ["text", "content", "message"]
const _FORM := (
	"A turn is a String of the player's, or a Dictionary with speaker (or role, name) and text (or"
	+ " content, message)."
)


## Returns what is wrong with the turns of an option, in a sentence; empty when nothing is.
static func problem_of(turns: Variant) -> String:
	if not turns is Array:
		return ""
	for index: int in (turns as Array).size():
		var lack := _lack_of(turns[index])
		if lack:
			return "recent_turns[%d] %s. %s" % [index, lack, _FORM]
	return ""


## The speaker; the player when the turn does not say.
static func speaker_of(turn: Variant) -> String:
	return _value_of(turn, _SPEAKER_KEYS, PLAYER_SPEAKERS[0]).strip_edges()


## The text of the turn.
static func text_of(turn: Variant) -> String:
	return _value_of(turn, _TEXT_KEYS, "") if turn is Dictionary else str(turn)


static func _value_of(turn: Variant, keys: Array[String], otherwise: String) -> String:
	if turn is Dictionary:
		for key: String in keys:
			if turn.has(key):
				return str(turn[key])
	return otherwise


static func _lack_of(turn: Variant) -> String:
	if turn is String or turn is StringName:
		return ""
	if not turn is Dictionary:
		return "is %s" % type_string(typeof(turn))
	var present: Array[String] = []
	for keys: Array[String] in [_SPEAKER_KEYS, _TEXT_KEYS] as Array[Array]:
		for key: String in keys:
			if not turn.has(key):
				continue
			if not turn[key] is String and not turn[key] is StringName:
				return "has a %s that is %s" % [key, type_string(typeof(turn[key]))]
			present.append(key)
	if not present.any(func(key: String) -> bool: return key in _TEXT_KEYS):
		var keys := ", ".join(PackedStringArray((turn as Dictionary).keys().map(str)))
		return "has no text; its keys are: %s" % keys.left(80)
	return ""

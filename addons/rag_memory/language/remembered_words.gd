extends RefCounted
## What an NPC says without a language model: sentences around what she remembers.

const Wording := preload("res://addons/rag_memory/prompt/wording.gd")

const _PLAYER := "player"
const _LEAST_SIMILARITY := 0.35
const _FRIENDLY := 40.0
const _HOSTILE := -10.0
## What was said is no thing to say again.
const _UNSPOKEN: Array[String] = [
	"conversation", "casual_conversation", "first_meeting", "player_info", "summary"
]
const _QUESTION_MARKS: Array[String] = ["?", "？", "؟"]
const _TURNED: Dictionary[String, String] = {
	"The player's ": "Your ",
	"the player's ": "your ",
	"The player was ": "You were ",
	"the player was ": "you were ",
	"The player is ": "You are ",
	"the player is ": "you are ",
	"The player has ": "You have ",
	"the player has ": "you have ",
	"The player ": "You ",
	"the player ": "you ",
	"the player.": "you.",
	"the player,": "you,",
}


## To a line of the player. `header`: of RAGMemory.generate_relationship_header(). `player_name` may
## be empty.
static func answer(
	line: String, memories: Array, header: Dictionary, config: MemoryConfig, player_name: String
) -> String:
	var names := PackedStringArray([_PLAYER, Wording.told(config, "the_player").to_lower()])
	if player_name:
		names.append(player_name.to_lower())
	var memory := _best(memories, names)
	if not memory:
		var is_question := _QUESTION_MARKS.any(func(mark: String) -> bool: return mark in line)
		return Wording.told(
			config, "says_unknown" if is_question else _by_feeling("says_heard", header)
		)
	return Wording.told(config, _by_feeling("says_memory", header), {"memory": memory})


static func greeting(header: Dictionary, config: MemoryConfig) -> String:
	if not _relationship(header).get("met", false):
		return Wording.told(config, "says_hello_stranger")
	return Wording.told(config, _by_feeling("says_hello", header))


static func reaction(config: MemoryConfig) -> String:
	return Wording.told(config, "says_seen")


## What concerns the player: nothing else is hers to tell to anybody who asks.
static func _best(memories: Array, names: PackedStringArray) -> String:
	for each: Dictionary in memories:
		var text: String = each.get("document_full", "")
		var data: Dictionary = each.get("metadata", {})
		var is_said := str(data.get("event_type", "")) in _UNSPOKEN or '"' in text
		var is_over := str(data.get("superseded_by", "")) != ""
		var is_secret: bool = data.get("secret", false) or data.has("known_to")
		var similarity: float = each.get("similarity", 0.0)
		if is_said or is_over or is_secret or similarity < _LEAST_SIMILARITY:
			continue
		if _concerns(text.to_lower(), names):
			return _to_the_player(text)
	return ""


static func _concerns(text: String, names: PackedStringArray) -> bool:
	for name in names:
		if name in text:
			return true
	return false


## An English memory speaks of the player; she speaks to the player.
static func _to_the_player(text: String) -> String:
	for words in _TURNED:
		text = text.replace(words, _TURNED[words])
	return text


static func _by_feeling(key: String, header: Dictionary) -> String:
	var numbers := _relationship(header)
	var trust: float = numbers.get("trust", 0.0)
	var affection: float = numbers.get("affection", 0.0)
	var feeling := (trust + affection) / 2.0
	if feeling >= _FRIENDLY:
		return key + "_to_friend"
	return key + "_to_foe" if feeling <= _HOSTILE else key


static func _relationship(header: Dictionary) -> Dictionary:
	return (header.get("metadata", {}) as Dictionary).get("relationship", {})

extends RefCounted
## Answers of an NPC without a language model: sentences around what she remembers.

const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")

const _PLAYER := "player"
## Of a memory that answers a question, and of one that another line brings to mind.
const _LEAST_SIMILARITY_ASKED := 0.25
const _LEAST_SIMILARITY := 0.35
const _FRIENDLY := 40.0
const _HOSTILE := -10.0
const _NAME_SLOT := "player_name"
## Event types of conversations, which are not repeated to the player.
const _UNSPOKEN: Array[String] = [
	"conversation", "casual_conversation", "first_meeting", "player_info", "summary"
]
const _QUESTION_MARKS: Array[String] = ["?", "？", "؟"]
const _TURNED: Dictionary[String, String] = {
	"The player told me their name": "You told me your name",
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

var _config: MemoryConfig
var _header: Dictionary
var _disposition: Dictionary


## `header`: of RAGMemory.generate_relationship_header(). `disposition`: of
## NPCMind.get_disposition() for the player, or empty.
func _init(config: MemoryConfig, header: Dictionary, disposition: Dictionary) -> void:
	_config = config
	_header = header
	_disposition = disposition


## Returns whether she has met the player, by the header.
static func has_met(header: Dictionary) -> bool:
	return _relationship(header).get("met", false)


## To a line of the player. `player_name` may be empty.
func answer(line: String, memories: Array, player_name: String) -> String:
	var names := PackedStringArray([_PLAYER, RAGWording.text(_config, "the_player").to_lower()])
	if player_name:
		names.append(player_name.to_lower())
	var is_question := _QUESTION_MARKS.any(func(mark: String) -> bool: return mark in line)
	var least := _LEAST_SIMILARITY_ASKED if is_question else _LEAST_SIMILARITY
	var memory := _best(memories, names, least)
	if memory:
		return RAGWording.text(_config, _by_feeling("says_memory"), {"memory": memory})
	return RAGWording.text(_config, "says_unknown" if is_question else _by_feeling("says_heard"))


func greeting() -> String:
	if not has_met(_header):
		return RAGWording.text(_config, "says_hello_stranger")
	return RAGWording.text(_config, _by_feeling("says_hello"))


func reaction() -> String:
	return RAGWording.text(_config, "says_seen")


## Returns the best memory that concerns the player; others are not told to anybody who asks.
static func _best(memories: Array, names: PackedStringArray, least: float) -> String:
	var best := ""
	for memory: Dictionary in memories:
		var text: String = memory.get("document_full", "")
		var data: Dictionary = memory.get("metadata", {})
		var is_name: bool = str(data.get("slot_type", "")) == _NAME_SLOT
		var is_said := str(data.get("event_type", "")) in _UNSPOKEN and not is_name or '"' in text
		var is_over := str(data.get("superseded_by", "")) != ""
		var is_secret: bool = not memory.get("may_be_told", true)
		var similarity: float = memory.get("similarity", 0.0)
		if is_said or is_over or is_secret or similarity < least:
			continue
		if _concerns(text.to_lower(), names):
			best = _to_the_player(text) + _days_of(memory)
			least = similarity
	return best


static func _concerns(text: String, names: PackedStringArray) -> bool:
	for name in names:
		if name in text:
			return true
	return false


## The days that the text means by "tomorrow" and the like, in brackets, as in its rendered form.
static func _days_of(memory: Dictionary) -> String:
	var form := "document_full" if memory.get("used_form", "") == "full" else "document_short"
	var text: String = memory.get(form, "")
	var rendered: String = memory.get("rendered_text", "")
	return rendered.trim_prefix(text) if text and rendered.begins_with(text) else ""


## An English memory speaks of the player; she speaks to the player.
static func _to_the_player(text: String) -> String:
	for words in _TURNED:
		text = text.replace(words, _TURNED[words])
	return text


## Chooses the sentence by what the mind feels, and without one by the relationship.
func _by_feeling(key: String) -> String:
	if _disposition.get("is_known", false):
		match str(_disposition["feeling"]):
			"friendly":
				return key + "_to_friend"
			"hostile":
				return key + "_to_foe"
		return key
	var numbers := _relationship(_header)
	var trust: float = numbers.get("trust", 0.0)
	var affection: float = numbers.get("affection", 0.0)
	var feeling := (trust + affection) / 2.0
	if feeling >= _FRIENDLY:
		return key + "_to_friend"
	return key + "_to_foe" if feeling <= _HOSTILE else key


static func _relationship(header: Dictionary) -> Dictionary:
	return (header.get("metadata", {}) as Dictionary).get("relationship", {})

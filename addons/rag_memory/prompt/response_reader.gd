extends RefCounted
## Reads the answer of a language model: JSON as the prompt asked for, or whatever came instead.
## Between reading and the result the caller asks the MemoryConfig what is valid.

const RAGEnglish := preload("res://addons/rag_memory/prompt/english.gd")
const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")
const _CHANGES: Array[String] = [
	"trust_change", "affection_change", "fear_change", "respect_change", "familiarity_change"
]
## Keys whose value may be a text or true.
const _HAPPENINGS: Array[String] = ["promise_made", "promise_broken", "gift", "secret_revealed"]
const _LONGEST_DETAIL := 300
const _LONGEST_FACT := 200
const _LONGEST_NAME := 40
const _MOST_FACTS := 5
const _MOST_ATTEMPTS := 16
## Number of times the characters of an answer are read, all attempts together.
const _MOST_READINGS := 3
## Under which keys models put what the NPC says; the first is the one that is asked for.
const _SPEECH: Array[String] = [
	"response", "dialogue", "dialog", "speech", "reply", "answer", "message", "text", "content"
]
const _UNFINISHED := '(?s)"(?:%s)"\\s*+:\\s*+"((?:[^"\\\\]++|\\\\.)*+)'

## The type that the model proposed; "" when it named no type.
var interaction_type: String
## The changes of the relationship that the model proposed, as numbers.
var changes: Dictionary = {}

var _is_json: bool
var _spoken: String
var _proposed: Dictionary = {}
var _warnings := PackedStringArray()
var _no_words: PackedStringArray


func _init(text: String, config: MemoryConfig) -> void:
	_no_words = RAGEnglish.SENTENCES["nothing"].split(" ")
	_no_words.append_array(RAGWording.text(config, "nothing").to_lower().split(" ", false))
	var limit := config.max_answer_chars
	if text.length() > limit:
		var words := "The answer has %d characters; those after max_answer_chars, %d, were cut off."
		_warnings.append(words % [text.length(), limit])
		push_warning("NPCContextBuilder.parse_response(): " + _warnings[0])
		text = text.left(limit)
	var answer := _json_in(text)
	_is_json = not answer.is_empty()
	_spoken = _speech_of(answer) if _is_json else _spoken_in(text)
	if answer.get("analysis", {}) is Dictionary:
		_proposed = answer.get("analysis", {})
	else:
		_warnings.append("analysis is no object and was ignored.")
	if not _is_json:
		_warnings.append(
			"The answer is not the JSON object that was asked for; it is taken as speech."
		)
	var type: Variant = _proposed.get("interaction_type")
	interaction_type = "" if type == null else str(type)
	for change: String in _CHANGES:
		changes[change] = _number(_proposed.get(change, 0), change, _warnings)


## `valid_type` and `clamped` are what the config makes of `interaction_type`, if there is one, and
## of `changes`.
func result(valid_type: String, clamped: Dictionary) -> Dictionary:
	return {
		"response": RAGPlayerText.visible(_spoken, true).strip_edges(),
		"analysis": _analysis(valid_type, clamped),
		"is_json": _is_json,
		"warnings": _warnings,
	}


func _analysis(valid_type: String, clamped: Dictionary) -> Dictionary:
	if valid_type != interaction_type:
		_warnings.append(
			"interaction_type %s is not valid; %s is used." % [interaction_type, valid_type]
		)
	var read := {
		"interaction_type": valid_type if valid_type else "casual_conversation",
		"player_tone": _detail(_proposed.get("player_tone", "")),
		"emotional_impact": _detail(_proposed.get("emotional_impact", "")),
	}
	for happening: String in _HAPPENINGS:
		read[happening] = _detail(_proposed.get(happening, ""))
	read.merge(_allowed_changes(clamped))
	read["learned_about_player"] = _learned(_proposed.get("learned_about_player", {}))
	return read


func _allowed_changes(clamped: Dictionary) -> Dictionary:
	var allowed := {}
	for change: String in _CHANGES:
		allowed[change] = roundi(clamped.get(change, 0) as float)
		if allowed[change] != roundi(changes[change] as float):
			var proposed := str(changes[change]).trim_suffix(".0")
			var values := [change, proposed, allowed[change]]
			_warnings.append("%s of %s is beyond its limit; %d is used." % values)
	return allowed


## Returns what the NPC says in an answer that may have another key for it, and what else was not
## asked for.
func _speech_of(answer: Dictionary) -> String:
	var key := _speech_key(answer)
	if not key:
		var keys := ", ".join(PackedStringArray(answer.keys().map(str))).left(_LONGEST_FACT)
		_warnings.append("The answer has no response; nobody says anything. Its keys: %s" % keys)
	elif key != _SPEECH[0]:
		_warnings.append("The answer has no response; its %s is taken for it." % key)
	var others := answer.keys().filter(
		func(other: Variant) -> bool: return not other in [key, _SPEECH[0], "analysis"]
	)
	if key and not others.is_empty():
		var named := ", ".join(PackedStringArray(others.map(str))).left(_LONGEST_FACT)
		_warnings.append("These keys are not in analysis and were ignored: %s" % named)
	return answer[key] if key else ""


static func _speech_key(answer: Dictionary) -> String:
	for key: String in _SPEECH:
		if answer.get(key) is String:
			return key
	return ""


## The first JSON object in the text that has speech; fences, remarks around it and trailing text
## do not matter. One without speech is taken when there is no other text that could be it.
static func _json_in(text: String) -> Dictionary:
	var start := text.find("{")
	var left := _MOST_READINGS * text.length()
	for attempt: int in _MOST_ATTEMPTS:
		if start < 0 or left <= 0:
			break
		var end := _end_of_object(text, start)
		left -= (end if end > 0 else text.length()) - start
		if end > 0:
			var json := JSON.new()
			if json.parse(text.substr(start, end - start)) == OK:
				var answer: Dictionary = json.data
				if answer.get(_SPEECH[0]) is String or _is_all(text, start, end):
					return answer
		start = text.find("{", start + 1)
	return {}


## Returns whether there is nothing but fences around the object.
static func _is_all(text: String, start: int, end: int) -> bool:
	var around := text.left(start) + text.substr(end)
	return RegEx.create_from_string("^\\s*(?:```[a-zA-Z]*\\s*){0,2}$").search(around) != null


## Returns where the object that starts at `start` ends; 0 when it does not.
static func _end_of_object(text: String, start: int) -> int:
	var depth := 0
	var is_text := false
	var index := start
	while index < text.length():
		var code := text.unicode_at(index)
		if is_text:
			if code == 0x5C:  # a backslash hides the next character
				index += 1
			elif code == 0x22:
				is_text = false
		elif code == 0x22:
			is_text = true
		elif code == 0x7B:
			depth += 1
		elif code == 0x7D:
			depth -= 1
			if depth == 0:
				return index + 1
		index += 1
	return 0


## The speech of an answer that is no valid JSON: the response of an unfinished object, or the text.
static func _spoken_in(text: String) -> String:
	var keys := _SPEECH if text.strip_edges().begins_with("{") else _SPEECH.slice(0, 1)
	var pattern := _UNFINISHED % "|".join(PackedStringArray(keys))
	var unfinished := RegEx.create_from_string(pattern).search(text)
	if unfinished != null:
		var json := JSON.new()
		if json.parse('"%s"' % unfinished.get_string(1)) == OK:
			return json.data
		return unfinished.get_string(1)
	var spoken := text.strip_edges()
	var fence := RegEx.create_from_string("(?s)^```[a-zA-Z]*\\n(.*?)\\n?```").search(spoken)
	return fence.get_string(1) if fence != null else spoken


static func _number(value: Variant, name: String, warnings: PackedStringArray) -> float:
	if value is String and (value as String).strip_edges().trim_prefix("+").is_valid_float():
		value = (value as String).strip_edges().to_float()
	if (value is int or value is float) and not is_nan(value as float):
		return clampf(value as float, -1e9, 1e9)
	warnings.append("%s is no number and counts as 0." % name)
	return 0.0


## A text, or true, or nothing; as a text "" means nothing and "true" that it happened.
func _detail(value: Variant) -> String:
	if value is bool:
		return "true" if value else ""
	if not value is String:
		return ""
	var text := RAGPlayerText.clean(value as String)
	if text.to_lower().trim_suffix(".") in _no_words:
		return ""
	return RAGPlayerText.shortened(text, _LONGEST_DETAIL)


func _learned(value: Variant) -> Dictionary:
	var learned := {"name": "", "notable_facts": PackedStringArray()}
	if not value is Dictionary:
		return learned
	learned["name"] = _name(_detail(value.get("name", "")), _warnings)
	var facts: Variant = value.get("notable_facts", [])
	if facts is Array:
		var texts := PackedStringArray()
		for fact: Variant in facts:
			var text := RAGPlayerText.shortened(_detail(fact), _LONGEST_FACT)
			if text and text != "true" and not text in texts and texts.size() < _MOST_FACTS:
				texts.append(text)
		learned["notable_facts"] = texts
	return learned


## A name is letters, spaces and a few marks, and short; anything else is no name.
static func _name(text: String, warnings: PackedStringArray) -> String:
	if not text:
		return ""
	var pattern := "^\\p{L}[\\p{L}\\p{M} .'’-]*$"
	if text.length() > _LONGEST_NAME or RegEx.create_from_string(pattern).search(text) == null:
		warnings.append(
			"The learned name is no name and was ignored: %s" % text.left(_LONGEST_NAME)
		)
		return ""
	return text

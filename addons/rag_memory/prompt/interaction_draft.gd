extends RefCounted
## The memories that an NPC will have of one exchange with the player;
## NPCContextBuilder.record_interaction() makes it.

const RAGCalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")
const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")
const RAGPromptOptions := preload("res://addons/rag_memory/prompt/prompt_options.gd")
const RAGNameCheck := preload("res://addons/rag_memory/prompt/name_check.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")

const GIFT_FILTER := {"event_type": {"in": ["gift_received", "first_gift"]}}
const _PLAYER := "player"
const _RANGES := {
	"trust": [-100, 100],
	"respect": [-100, 100],
	"affection": [-100, 100],
	"fear": [-100, 100],
	"familiarity": [0, 100],
}
## So much of a message is remembered, unless [member MemoryConfig.max_text_chars] leaves less.
const _MOST_QUOTED := 2000
## Of the sentences around both messages.
const _AROUND_QUOTES := 200
const _CHECKED_SENTENCES: Array[String] = [
	"promise_made", "promise_broken", "gift_received", "secret_told", "learned_fact"
]

var memory: RAGMemory
var config: MemoryConfig
var problem := ""
## The memories to store, in this order: text, data, flags (what calculate_importance() is told of
## it) and, once that has answered, importance.
var memories: Array[Dictionary] = []
var rejected: Array[Dictionary] = []
var corrections: Dictionary = {}
var deltas: Dictionary = {}
var relationship: Dictionary = {}

var _npc: Object
var _options: Dictionary
var _turn: PackedStringArray
var _line: String
var _reply: String
var _analysis: Dictionary
## [code]true[/code] if the analysis says what happened. Otherwise the rules look for it.
var _is_analysed := false
var _is_from_memory := false
var _personality: RAGNPCPersonality
var _world: RAGWorldKnowledge
var _names := PackedStringArray()
# The words of the player are hearsay: the NPC may remember them, whomever they mention.
var _hearsay := PackedStringArray()
var _specific: Array[Dictionary] = []
var _learned: Array[Dictionary] = []
var _is_first := false


func _init(npc: Object, player_input: String, answer: Dictionary, options: Dictionary) -> void:
	_npc = npc
	_options = options
	memory = RAGSentOptions.memory_of(npc)
	if memory == null:
		problem = "record_interaction() needs an NPC with a memory, as build() does."
		return
	problem = RAGPromptOptions.problem_of("record_interaction()", options)
	var fault := RAGValueLimits.fault_of(answer)
	if fault:
		problem = (
			"The answer given to record_interaction() %s. Pass that of parse_response()." % fault
		)
	if problem:
		return
	config = _config_of(npc, options)
	_personality = RAGPromptOptions.given(npc, options, "personality")
	_world = RAGPromptOptions.given(npc, options, "world_knowledge")
	_turn = PackedStringArray([player_input, _text(answer.get("response"))])
	_line = _quoted(player_input)
	_is_from_memory = answer.get("from_memory", false)
	# An answer made without a model is not stored as the words of the NPC.
	_reply = "" if _is_from_memory else _quoted(_without_tone(_text(answer.get("response"))))
	_analysis = _dictionary(answer.get("analysis"))
	_is_analysed = not _analysis.is_empty() and answer.get("is_json", true)
	_hearsay.append(_line)
	_names.append(_learned_name())


func tell_initial_relationship() -> void:
	var personality: RAGNPCPersonality = RAGPromptOptions.given(_npc, _options, "personality")
	if personality != null:
		var data := personality.to_data()
		memory.set_initial_relationship(
			MemoryServer.apply_rule("personality.relationship_to_set", [data]) as Dictionary
		)


func has_gift() -> bool:
	return not _happening("gift").is_empty()


## Returns whether only a memory may know what the player is called, because the world does not.
func needs_player_name() -> bool:
	return _world != null and _world.player_name.is_empty()


func allow_names_in(records: Array) -> void:
	for record: Dictionary in records:
		_hearsay.append(record["document_full"] as String)


## Returns whether the game keeps the relationship itself, and not the memory.
func belongs_to_game() -> bool:
	return RAGPromptOptions.given(_npc, _options, "relationship") is Dictionary


func has_moved() -> bool:
	return deltas.values().any(func(change: float) -> bool: return change != 0)


## Returns whether the changes of the relationship follow from the interaction type alone.
func follows_rules() -> bool:
	return _options.get("deterministic_deltas", false)


func interaction_type() -> String:
	return _text(_analysis.get("interaction_type"))


func proposed_deltas() -> Dictionary:
	var proposed := {}
	for dimension: String in _RANGES:
		var change: Variant = _analysis.get(dimension + "_change", 0)
		proposed[dimension + "_change"] = change if change is int or change is float else 0
	return proposed


## Fills `relationship` and what is to be checked; `clamped` are the changes of the relationship.
func prepare(header: Dictionary, is_first_gift: bool, clamped: Dictionary) -> void:
	deltas = _taken(clamped)
	_write_relationship(header)
	var relationship_data: Dictionary = header.get("metadata", {}).get("relationship", {})
	_is_first = not relationship_data.get("met", true)
	_specific = _specific_memories(is_first_gift)
	_learned = _learned_facts()


## The arguments of [method MemoryServer.check_names]; empty when nothing is to be checked.
func names_to_check() -> Array:
	if _world == null or not _options.get("check_names", true):
		return []
	var questions: Array[Dictionary] = [RAGNameCheck.question(_reply, {})]
	for entry: Dictionary in _specific + _learned:
		questions.append(RAGNameCheck.question(entry["text"] as String, {}))
	var own := RAGWording.replaced(config, _CHECKED_SENTENCES)
	return [questions, _world.get_known_names() + _names, _hearsay + own]


## Fills `memories` and `rejected`; `found` is what check_names() has found.
func write(checks: Array) -> void:
	var reply := _without_invented_places(_checked(_reply, checks, 0))
	_add_conversation(reply)
	var conversation := memories[-1]
	for index: int in _specific.size():
		_add(_specific[index], _checked(_specific[index]["text"] as String, checks, index + 1))
	# A gift, a secret or a broken promise has a memory of its own, which carries the type.
	if not memories.any(
		func(entry: Dictionary) -> bool: return entry["data"].has("interaction_type")
	):
		conversation["data"]["interaction_type"] = interaction_type()
	_add_learned_name()
	for index: int in _learned.size():
		var place := 1 + _specific.size() + index
		_add(_learned[index], _checked(_learned[index]["text"] as String, checks, place))


## Returns whether anything was said that [method RAGMemory.store_turn] can keep.
func has_turn() -> bool:
	return not _turn[0].strip_edges().is_empty() or not _turn[1].strip_edges().is_empty()


## The arguments of [method RAGMemory.store_turn]. It looks for no facts where the analysis tells
## them.
func turn() -> Array:
	var data := {"memories": []} if _is_analysed else {}
	if _is_from_memory:
		data["from_memory"] = true
	if _options.get("location") != null:
		data["location"] = str(_options["location"])
	if _options.get("timestamp") != null:
		data["day"] = _options["timestamp"] / RAGCalendarText.seconds_per_day()
	var limit := config.max_text_chars
	return [_turn[0].left(limit), _turn[1].left(limit), data]


func result(ids: PackedStringArray) -> Dictionary:
	var stored: Array[Dictionary] = []
	for index: int in ids.size():
		if ids[index]:
			var entry := memories[index]
			var event_type: String = entry["data"]["event_type"]
			stored.append({"id": ids[index], "text": entry["text"], "event_type": event_type})
			stored[-1]["importance"] = entry["importance"]
	return {
		"stored": stored,
		"rejected": rejected,
		"corrections": corrections,
		"deltas": deltas,
		"relationship": relationship,
	}


func _specific_memories(is_first_gift: bool) -> Array[Dictionary]:
	var specific: Array[Dictionary] = []
	var promise := _happening("promise_made")
	if promise:
		specific.append(
			_deed(
				"promise_made",
				_wording("promise_made", {"promise": _detail(promise)}),
				["promise_made"]
			)
		)
	var broken := _happening("promise_broken")
	if broken:
		var text := _wording("promise_broken", {"promise": _detail(broken)})
		var memory_of_it := _deed("promise_broken", text, ["promise_broken"], "betrayal")
		# The promise is broken, whoever the model says it was about: then in the player's words.
		memory_of_it["otherwise"] = _wording("promise_broken", {"promise": _detail("true")})
		specific.append(memory_of_it)
	var gift := _happening("gift")
	if gift:
		var given := _deed("gift_received", _wording("gift_received", {"gift": _detail(gift)}), [])
		if is_first_gift:
			given["data"]["is_first"] = true
		given["data"]["interaction_type"] = "gift_given"
		specific.append(given)
	var secret := _revealed_secret()
	if secret:
		specific.append(
			_deed(
				"secret_revealed",
				_wording("secret_told", {"secret": _detail(secret)}),
				["secret_revealed"],
				"secret_shared"
			)
		)
	return specific


## `type`: the interaction type that says the same as this memory.
func _deed(event_type: String, text: String, flags: Array[String], type := "") -> Dictionary:
	var by_flag := {}
	for flag: String in flags:
		by_flag[flag] = true
	var data := {"event_type": event_type}
	if type and type == interaction_type():
		data["interaction_type"] = type
	return {"text": text, "data": data, "flags": by_flag}


func _detail(detail: String) -> String:
	return _sentence(_wording("quoted", {"message": _line}) if detail == "true" else detail)


func _wording(key: String, values: Dictionary = {}) -> String:
	return RAGWording.text(config, key, values)


## The secret she told, in her personality's words; her reply, when it is only said that she told
## one; empty when she told none or none that she may.
func _revealed_secret() -> String:
	var revealed := _happening("secret_revealed")
	var reply := '"%s"' % _reply if revealed == "true" and _reply else ""
	if not revealed or _personality == null:
		return reply if revealed == "true" else revealed
	for secret: Dictionary in _personality.get_unlocked_secrets(_relationship_before()):
		if reply:
			return reply
		var text: String = secret["secret"]
		if revealed == secret.get("id", "") or RAGPlayerText.clean(text).similarity(revealed) > 0.5:
			return RAGPlayerText.clean(text)
	rejected.append(
		{
			"text": revealed,
			"reason": "It is none of the secrets that the relationship has unlocked."
		}
	)
	return ""


func _add_conversation(reply: String) -> void:
	var text := _wording("player_said" if _line else "player_said_nothing", {"message": _line})
	if _is_first:
		text = _wording("first_met") + " " + text
	if reply:
		text += " " + _wording("i_answered", {"message": reply})
	var data := {"event_type": "first_meeting" if _is_first else "conversation"}
	data["player_tone"] = _text(_analysis.get("player_tone"))
	data["emotion"] = _text(_analysis.get("emotional_impact"))
	data["speaker"] = _PLAYER
	_append(text, data, deltas)


func _add_learned_name() -> void:
	var name := _learned_name()
	if name:
		var data := {
			"event_type": "player_info",
			"info_type": "player_name",
			"slot_type": "player_name",
			"entities": [name],
		}
		_append(_wording("learned_name", {"name": name}), data, {"player_name_learned": true})


func _learned_facts() -> Array[Dictionary]:
	var learned: Array[Dictionary] = []
	var facts: Variant = _dictionary(_analysis.get("learned_about_player")).get("notable_facts")
	if not facts is Array and not facts is PackedStringArray:
		return learned
	for entry: Variant in facts:
		var fact := RAGPlayerText.clean(str(entry))
		# The same fact told twice is one memory.
		var data := {"event_type": "player_info", "info_type": "fact_%x" % fact.to_lower().hash()}
		var text := _wording("learned_fact", {"fact": _sentence(fact)})
		learned.append({"text": text, "data": data, "flags": {}})
	return learned


func _add(memory_of_it: Dictionary, checked: String) -> void:
	var text: String = checked if checked else memory_of_it.get("otherwise", "")
	if text:
		_append(text, memory_of_it["data"] as Dictionary, memory_of_it["flags"] as Dictionary)


func _append(text: String, data: Dictionary, flags: Dictionary) -> void:
	data["participants"] = [_PLAYER]
	data["check_names"] = false  # checked here, where what the player said is known to be hearsay
	for key: String in ["location", "timestamp", "topics"]:
		if _options.has(key):
			data[key] = _options[key]
	memories.append({"text": text, "data": data, "flags": flags})


## The text with misspelled names corrected, or nothing when it speaks of people nobody knows.
func _checked(text: String, checks: Array, place: int) -> String:
	if checks.is_empty() or not text:
		return text
	var corrects: bool = _options.get("correct", true)
	var checked := RAGNameCheck.outcome(text, {}, checks[place] as Dictionary, corrects)
	corrections.merge(checked["corrections"] as Dictionary)
	if not checked["accepted"]:
		rejected.append({"text": text, "reason": checked["reason"]})
		return ""
	return checked["text"]


## Nothing, when the reply names an inn or a shop that does not exist. One that the player named is
## hearsay: she may say that there is none.
func _without_invented_places(reply: String) -> String:
	if _world == null or not _options.get("check_names", true):
		return reply
	var location: Variant = RAGPromptOptions.given(_npc, _options, "location")
	var checked := _world.check_establishments(reply, str(location) if location != null else "")
	for name: String in checked["unknown_establishments"]:
		if not name.to_lower() in _line.to_lower():
			rejected.append({"text": reply, "reason": checked["reason"]})
			return ""
	return reply


func _write_relationship(header: Dictionary) -> void:
	if relationship.is_empty():
		relationship = _relationship_in(header)
	relationship.merge(_relationship_before(), true)
	for dimension: String in _RANGES:
		var limits: Array = _RANGES[dimension]
		var moved: float = relationship.get(dimension, 0) + deltas.get(dimension + "_change", 0)
		relationship[dimension] = roundi(clampf(moved, limits[0] as float, limits[1] as float))


## The clamped changes as the personality takes them, within the same limits.
func _taken(clamped: Dictionary) -> Dictionary:
	if _personality == null:
		return clamped
	var taken := _personality.apply_personality_modifiers(clamped)
	for change: String in clamped:
		var limit: int = config.get("max_" + change)
		taken[change] = clampi(taken[change] as int, -limit, limit)
	return taken


func _relationship_before() -> Dictionary:
	var option: Variant = RAGPromptOptions.given(_npc, _options, "relationship")
	return option if option is Dictionary else relationship


func _learned_name() -> String:
	return RAGPlayerText.clean(
		_text(_dictionary(_analysis.get("learned_about_player")).get("name"))
	)


func _happening(name: String) -> String:
	var value: Variant = _analysis.get(name, "")
	return ("true" if value else "") if value is bool else RAGPlayerText.clean(_text(value))


## A dictionary, or an empty one: the answer may be the model's own, not what parse_response() made.
static func _dictionary(value: Variant) -> Dictionary:
	return value if value is Dictionary else {}


func _quoted(text: String) -> String:
	var room := (config.max_text_chars - _AROUND_QUOTES) >> 1
	return RAGPlayerText.shortened(RAGPlayerText.clean(text), mini(_MOST_QUOTED, room))


## "[warmly] Hello." is remembered as "Hello."
static func _without_tone(text: String) -> String:
	return RegEx.create_from_string("\\[[^\\]\\n]{1,40}\\]").sub(text, "", true)


static func _sentence(text: String) -> String:
	return text if text and text[-1] in ".!?…\"'”“»」。！？" else text + "."


static func _text(value: Variant) -> String:
	return "" if value == null else str(value)


static func _config_of(npc: Object, options: Dictionary) -> MemoryConfig:
	var given_config: MemoryConfig = options.get("config")
	if given_config == null:
		given_config = RAGSentOptions.memory_of(npc).config
	return given_config if given_config != null else MemoryConfig.new()


## The five numbers of a relationship header; empty when the memory is none.
static func _relationship_in(header_memory: Dictionary) -> Dictionary:
	var numbers: Dictionary = header_memory.get("metadata", {}).get("relationship", {})
	var relationship := {}
	for dimension: String in _RANGES:
		if numbers.has(dimension):
			relationship[dimension] = numbers[dimension]
	return relationship

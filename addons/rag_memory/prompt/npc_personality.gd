@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCPersonality
extends Resource
## The character of an NPC, which does not change during the game.
##
## Make one per NPC, save it as a [code].tres[/code] file and give it to [NPCContextBuilder].
## Secrets stay out of the prompt until the relationship unlocks them:
## [codeblock]
## var mira: NPCPersonality = load("res://demo/villagers/mira.tres")
## for secret: Dictionary in mira.get_unlocked_secrets({"trust": 60, "affection": 45}):
##     print(secret["secret"])
## [/codeblock]

const _NUMBERS: Array[int] = [TYPE_INT, TYPE_FLOAT]
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

@export_group("Identity")
## The id of the NPC, the same as [member RAGMemory.npc_id].
@export var npc_id := ""
## The NPC's name, as others use it.
@export var display_name := ""
## The role of the NPC in the world, for example [code]"blacksmith of Thornhaven"[/code].
@export var role := ""
## The origin and the history of the NPC.
@export_multiline var background := ""
## Truths about the NPC that nothing the player says can change, the most important first.
@export var anchors: Array[String] = []

@export_group("Big Five")
## Openness to new things: 0 not at all, 1 entirely.
@export_range(0.0, 1.0, 0.01) var openness := 0.5
## Conscientiousness, 0 to 1.
@export_range(0.0, 1.0, 0.01) var conscientiousness := 0.5
## Extraversion, 0 to 1.
@export_range(0.0, 1.0, 0.01) var extraversion := 0.5
## Agreeableness, warmth towards others, 0 to 1.
@export_range(0.0, 1.0, 0.01) var agreeableness := 0.5
## Neuroticism, how easily the NPC worries, 0 to 1.
@export_range(0.0, 1.0, 0.01) var neuroticism := 0.5

@export_group("Character")
## Further traits, in words: [code]"secretive"[/code], [code]"fiercely protective"[/code].
@export var traits: Array[String] = []
## Favourite topics.
@export var interests: Array[String] = []
## Topics that the NPC avoids.
@export var dislikes: Array[String] = []

@export_group("Motives")
## Values of the NPC.
@export var values: Array[String] = []
## Fears of the NPC.
@export var fears: Array[String] = []
## Goals of the NPC.
@export var goals: Array[String] = []

@export_group("Speech")
## The way of speaking: rhythm, words, manners.
@export_multiline var speech_style := ""
## Sentences that sound like the NPC.
@export var example_lines: Array[String] = []
## Phrases that the NPC never says. [method find_forbidden_phrases] looks for them in an answer.
@export var forbidden_phrases: Array[String] = []

@export_group("Secrets")
## Secrets of the NPC. Each is a dictionary:[br]
## [code]secret[/code]: the text.[br]
## [code]id[/code]: a short name for it.[br]
## [code]unlock_trust[/code] and [code]unlock_affection[/code]: the least that the player needs. One
## that is missing asks for nothing. A secret with neither stays locked.[br]
## [code]unbreakable[/code]: never told, however close the two are.[br]
## [code]known_to[/code]: ids of others who may hear it. While anybody else listens, it is not told.
@export var secrets: Array[Dictionary] = []

@export_group("Relationship")
## The relationship to a player whom the NPC has never met. It counts for the relationship header
## and for secrets until a relationship is stored or set. [NPCContextBuilder] gives it to
## [method RAGMemory.set_initial_relationship] and leaves out values of a wrong type, with a
## warning. While it has its default, the NPC's profile comes before it ([method
## MemoryWorld.ensure_profile]). Without [NPCContextBuilder], make that call after a save is opened.
## A game that keeps the relationship itself (the option [code]relationship[/code]) begins with a
## copy of it.
@export var initial_relationship: Dictionary = {
	"trust": 30, "respect": 30, "affection": 30, "fear": 0, "familiarity": 10
}

@export_group("Sensitivities")
## Factor for changes of trust. 1 is an ordinary person.
@export_range(0.5, 2.0, 0.01) var trust_sensitivity := 1.0
## Factor for changes of respect.
@export_range(0.5, 2.0, 0.01) var respect_sensitivity := 1.0
## Factor for changes of affection.
@export_range(0.5, 2.0, 0.01) var affection_sensitivity := 1.0
## Factor for changes of fear.
@export_range(0.5, 2.0, 0.01) var fear_sensitivity := 1.0
## Readiness to forgive, -100 to 100. Above 50 the NPC loses 0.7 times the trust, below -50 it loses
## 1.3 times as much.
@export_range(-100, 100) var forgiveness_tendency := 0
## Fearfulness, 0 to 100. A rise of fear is multiplied by 0.5 at 0, by 1
## at 50 and by 1.5 at 100.
@export_range(0, 100) var intimidation_susceptibility := 50

@export_group("Romance")
## If [code]true[/code], romance with the player is possible. With [code]false[/code] the prompt
## says nothing of romance: say in [member anchors] what holds instead, such as [code]"You are
## happily married."[/code]
@export var is_romantic_available := false
## The least trust for romance.
@export_range(0, 100) var romance_trust_threshold := 40
## The least affection for romance.
@export_range(0, 100) var romance_affection_threshold := 50
## The least familiarity for romance.
@export_range(0, 100) var romance_familiarity_threshold := 30

@export_group("Schedule")
## The NPC's day. The first entry that fits the hour applies. Each is a dictionary:[br]
## [code]from[/code] and [code]to[/code]: hours from 0 to 24. From 22 to 6 is over midnight.[br]
## [code]activity[/code]: what the NPC does then. [code]location[/code]: where; may be missing.
@export var schedule: Array[Dictionary] = []


## Makes a personality of the [param data] of a character card: what
## [method MemoryWorld.import_file] returns as [code]personality[/code]. A key that is no property,
## or a value of another type, is left out with a warning.
## [codeblock]
## var sera := NPCPersonality.from_data({"display_name": "Sera", "traits": ["gentle"]})
## print(sera.traits)  # -> ["gentle"]
## [/codeblock]
static func from_data(data: Dictionary) -> NPCPersonality:
	var made := NPCPersonality.new()
	for key: Variant in data:
		var property := str(key)
		var value: Variant = data[key]
		made.set(property, made._as_list(value, property) if value is Array else value)
		var taken: Variant = made.get(property)
		var is_number := typeof(taken) in _NUMBERS and typeof(value) in _NUMBERS
		if not (is_number or typeof(taken) == typeof(value)) or taken != value:
			push_warning("from_data(): %s is no property of this type; it is left out." % property)
	return made


## Returns the secrets that the NPC would tell at this [param relationship] ([code]trust[/code] and
## [code]affection[/code]; a missing one is 0), in the order of [member secrets]. Both thresholds
## have to be reached. An unbreakable secret is never among them. The dictionaries are copies.
## [codeblock]
## print(personality.get_unlocked_secrets({"trust": 20, "affection": 20}).size())  # -> 0
## print(personality.get_unlocked_secrets({"trust": 70, "affection": 60})[0]["id"])  # -> marcus
## [/codeblock]
func get_unlocked_secrets(relationship: Dictionary) -> Array[Dictionary]:
	var unlocked: Array[Dictionary] = []
	for index: int in _apply("unlocked_secrets", [_RAGValueLimits.plain(relationship)], []):
		if not _RAGValueLimits.fault_of(secrets[index]):
			unlocked.append(secrets[index].duplicate(true))
	return unlocked


## Returns whether romance is possible at this [param relationship] ([code]trust[/code],
## [code]affection[/code] and [code]familiarity[/code]; a missing one is 0). All three thresholds
## have to be reached, and [member is_romantic_available] has to be [code]true[/code]. The prompt
## says so, too.
## [codeblock]
## var elena: NPCPersonality = load("res://demo/villagers/elena.tres")
## var close := {"trust": 40, "affection": 50, "familiarity": 30}
## print(elena.is_romance_unlocked(close))  # -> true
## print(elena.is_romance_unlocked({"trust": 100, "affection": 100}))  # -> false
## [/codeblock]
func is_romance_unlocked(relationship: Dictionary) -> bool:
	return _apply("is_romance_unlocked", [_RAGValueLimits.plain(relationship)], false)


## Returns the changes of a relationship as the NPC takes them: each times its sensitivity, less
## trust lost by somebody forgiving, more fear in somebody easily frightened. They are whole
## numbers, and every step drops the fraction.[br] The keys of [param changes] are
## [code]trust[/code], [code]respect[/code],
## [code]affection[/code] and [code]fear[/code], or the same with [code]_change[/code]. One that is
## missing is 0. Other keys stay as they are, familiarity among them.[br]
## [method NPCContextBuilder.record_interaction] does this with clamped changes, and clamps the
## result again.
## [codeblock]
## var elena := NPCPersonality.new()
## elena.trust_sensitivity = 1.5
## print(elena.apply_personality_modifiers({"trust": -10})["trust"])  # -> -15
## elena.forgiveness_tendency = 60
## print(elena.apply_personality_modifiers({"trust": -10})["trust"])  # -> -10
## [/codeblock]
func apply_personality_modifiers(changes: Dictionary) -> Dictionary:
	return _apply("modified_changes", [changes], {})


## Returns the entry of [member schedule] for an [param hour] of the day, 0 to 24. Empty when there
## is none.
## [codeblock]
## var guard := NPCPersonality.new()
## guard.schedule = [{"from": 18, "to": 2, "activity": "watching the gate"}]
## print(guard.get_activity(1.5)["activity"])  # -> watching the gate
## print(guard.get_activity(12).is_empty())  # -> true
## [/codeblock]
func get_activity(hour: float) -> Dictionary:
	var index: int = _apply("activity", [hour], -1)
	if index < 0 or _RAGValueLimits.fault_of(schedule[index]):
		return {}
	return schedule[index].duplicate(true)


## Takes over what a [param profile] says ([method MemoryWorld.ensure_profile]) where this resource
## is silent: [member background], [member traits], [member speech_style], [member goals] and
## [member fears]. The option [code]profile[/code] of [NPCContextBuilder] does so with a copy.
## [codeblock]
## var anna := NPCPersonality.new()
## anna.fears = ["fire"]
## anna.fill_in({"backstory": "Anna was born at the mill.", "fears": ["rats"]})
## print(anna.background)  # -> Anna was born at the mill.
## print(anna.fears)  # -> ["fire"]
## [/codeblock]
func fill_in(profile: Dictionary) -> void:
	var values: Dictionary = _apply("filled_in", [profile], {})
	for property: String in values:
		if values[property] is Array:
			var texts: Array[String] = []
			texts.assign(values[property] as Array)
			set(property, texts)
		else:
			set(property, values[property])


## Returns the lines that describe the NPC in a prompt, the most important first. Each is one line
## and harmless, as by [method NPCContextBuilder.sanitize]: a player may have named the NPC. They
## are in the words of [member MemoryConfig.wording] of [param config], or in the game's
## language.[br] With an [param hour] from 0 to 24 they say what the NPC does then. With a [param
## relationship] they say whether the NPC is open to romance, if it can be.
func get_identity_lines(
	hour := -1.0, relationship := {}, config: MemoryConfig = null
) -> PackedStringArray:
	return PackedStringArray(
		_words(config, "identity_lines", [hour, _RAGValueLimits.plain(relationship)], []) as Array
	)


## Returns the Big Five in words, those of [param config] as in [method get_identity_lines]. A trait
## near the middle is left out.
func get_temper(config: MemoryConfig = null) -> String:
	return _words(config, "temper", [], "")


## Returns the [member forbidden_phrases] that occur in [param text], whatever their case.
## [codeblock]
## print(personality.find_forbidden_phrases("As an AI I cannot know."))  # -> ["as an AI"]
## [/codeblock]
func find_forbidden_phrases(text: String) -> PackedStringArray:
	return PackedStringArray(_apply("forbidden_phrases", [text], []) as Array)


## Returns what is wrong with this resource, one sentence each. Empty when all is well.
func get_problems() -> PackedStringArray:
	return PackedStringArray(_words(null, "problems", [], []) as Array)


## Returns the exported properties as plain data. In [member secrets], [member schedule] and
## [member initial_relationship] only texts, numbers and bools are in it; [code]null[/code] stands
## for anything else.
func to_data() -> Dictionary:
	var data := {}
	for property: Dictionary in get_property_list():
		var value: Variant = get(property["name"] as StringName)
		if property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE == 0:
			continue
		if value is Dictionary:
			data[property["name"]] = _RAGValueLimits.plain(value as Dictionary)
		elif value is Array[Dictionary]:
			data[property["name"]] = (value as Array).map(_RAGValueLimits.plain)
		elif value is Array[String] or _RAGValueLimits.is_plain(value):
			data[property["name"]] = value
	return data


# A typed Array of the texts among the values, as the properties need it.
func _as_list(values: Array, property: String) -> Variant:
	var list: Variant = get(property)
	if list is Array[String]:
		list.assign(values.filter(func(item: Variant) -> bool: return item is String))
	elif list is Array[Dictionary]:
		list.assign(values.filter(func(item: Variant) -> bool: return item is Dictionary))
	return list


func _apply(rule: String, arguments: Array, without_answer: Variant) -> Variant:
	var answer: Variant = MemoryServer.apply_rule("personality." + rule, [self] + arguments)
	return without_answer if answer == null else answer


func _words(
	config: MemoryConfig, rule: String, arguments: Array, without_answer: Variant
) -> Variant:
	var words := config if config != null else MemoryConfig.new()
	var answer: Variant = words.apply_rule("personality." + rule, [self] + arguments)
	return without_answer if answer == null else answer

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

const _RAGInitialRelationship := preload("res://addons/rag_memory/prompt/initial_relationship.gd")
const _RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const _RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")
const _RAGTemperament := preload("res://addons/rag_memory/prompt/temperament.gd")
const _RAGDailySchedule := preload("res://addons/rag_memory/prompt/daily_schedule.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

const _BIG_FIVE: Array[String] = [
	"openness",
	"conscientiousness",
	"extraversion",
	"agreeableness",
	"neuroticism",
]
## The keys of a profile by the properties that say the same.
const _OF_PROFILE: Dictionary[String, String] = {
	"background": "backstory",
	"traits": "personality",
	"speech_style": "speech_style",
	"goals": "goals",
	"fears": "fears",
}
## Of NPCContextBuilder.DEFAULT_BUDGETS.
const _IDENTITY_BUDGET := 500
## Of the tags and the rule that stand before the lines about her.
const _GROUND_RULE_LENGTH := 200
const _LOW_TRAIT := 0.35
const _HIGH_TRAIT := 0.65

@export_group("Identity")
## The id of the NPC, the same as [member RAGMemory.npc_id].
@export var npc_id := ""
## The name by which she is called.
@export var display_name := ""
## The role of the NPC in the world, for example [code]"blacksmith of Thornhaven"[/code].
@export var role := ""
## The origin and the history of the NPC.
@export_multiline var background := ""
## Truths about her that nothing the player says can change, the most important first.
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
## Sentences that sound like her.
@export var example_lines: Array[String] = []
## Phrases that the NPC never says. [method find_forbidden_phrases] looks for it in an answer.
@export var forbidden_phrases: Array[String] = []

@export_group("Secrets")
## Secrets of the NPC. Each is a dictionary:[br]
## [code]secret[/code]: the text.[br]
## [code]id[/code]: a short name for it.[br]
## [code]unlock_trust[/code] and [code]unlock_affection[/code]: the least that the player needs. One
## that is missing asks for nothing. A secret with neither stays locked.[br]
## [code]unbreakable[/code]: never told, however close the two are.
@export var secrets: Array[Dictionary] = []

@export_group("Relationship")
## The relationship to a player whom the NPC has never met. It counts for the relationship header
## and for secrets until a relationship is stored or set. [NPCContextBuilder] gives it to
## [method RAGMemory.set_initial_relationship] and leaves out values of a wrong type, with a
## warning. As it is in a new resource, her profile comes before it
## ([method MemoryWorld.ensure_profile]). Without [NPCContextBuilder], make that call after a save
## is opened. A game that keeps the relationship itself (the option [code]relationship[/code])
## begins with a copy of it.
@export var initial_relationship: Dictionary = {
	"trust": 30, "respect": 30, "affection": 30, "fear": 0, "familiarity": 10
}

@export_group("Sensitivities")
## The factor of a change of trust. 1 is an ordinary person.
@export_range(0.5, 2.0, 0.01) var trust_sensitivity := 1.0
## The factor of a change of respect.
@export_range(0.5, 2.0, 0.01) var respect_sensitivity := 1.0
## The factor of a change of affection.
@export_range(0.5, 2.0, 0.01) var affection_sensitivity := 1.0
## The factor of a change of fear.
@export_range(0.5, 2.0, 0.01) var fear_sensitivity := 1.0
## Readiness to forgive, -100 to 100. Above 50 she loses 0.7 times the trust, below -50 she loses
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
## Her day. The first entry that fits the hour counts. Each is a dictionary:[br]
## [code]from[/code] and [code]to[/code]: hours from 0 to 24. From 22 to 6 is over midnight.[br]
## [code]activity[/code]: what she does then. [code]location[/code]: where; may be missing.
@export var schedule: Array[Dictionary] = []


## Returns the secrets she would tell at this [param relationship] ([code]trust[/code] and
## [code]affection[/code]; a missing one is 0), in the order of [member secrets]. Both thresholds
## have to be reached. An unbreakable secret is never among them. The dictionaries are copies.
## [codeblock]
## print(personality.get_unlocked_secrets({"trust": 20, "affection": 20}).size())  # -> 0
## print(personality.get_unlocked_secrets({"trust": 70, "affection": 60})[0]["id"])  # -> marcus
## [/codeblock]
func get_unlocked_secrets(relationship: Dictionary) -> Array[Dictionary]:
	var unlocked: Array[Dictionary] = []
	for secret: Dictionary in secrets:
		if _is_unlocked(secret, relationship):
			if not _RAGValueLimits.fault_of(secret):
				unlocked.append(secret.duplicate(true))
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
	if not is_romantic_available:
		return false
	var least := {
		"trust": romance_trust_threshold,
		"affection": romance_affection_threshold,
		"familiarity": romance_familiarity_threshold,
	}
	for dimension: String in least:
		if not _reaches(least, dimension, relationship.get(dimension, 0)):
			return false
	return true


## Returns the changes of a relationship as she takes them: each times its sensitivity, less trust
## lost by somebody forgiving, more fear in somebody easily frightened. They are whole numbers, and
## every step drops the fraction.[br]
## The keys of [param changes] are [code]trust[/code], [code]respect[/code],
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
	return _RAGTemperament.applied(self, changes)


## Returns the entry of [member schedule] for an [param hour] of the day, 0 to 24. Empty when there
## is none.
## [codeblock]
## var guard := NPCPersonality.new()
## guard.schedule = [{"from": 18, "to": 2, "activity": "watching the gate"}]
## print(guard.get_activity(1.5)["activity"])  # -> watching the gate
## print(guard.get_activity(12).is_empty())  # -> true
## [/codeblock]
func get_activity(hour: float) -> Dictionary:
	return _RAGDailySchedule.at(schedule, hour)


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
	for property: String in _OF_PROFILE:
		var value: Variant = profile.get(_OF_PROFILE[property])
		var own: Variant = get(property)
		if own:
			continue
		if own is String and value is String:
			set(property, value)
		elif own is Array and value is Array:
			var texts: Array[String] = []
			texts.assign(
				(value as Array).filter(func(item: Variant) -> bool: return item is String)
			)
			set(property, texts)


## Returns the lines that describe her in a prompt, the most important first. Each is one line and
## harmless, as by [method NPCContextBuilder.sanitize]: a player may have named her. They are in the
## words of [member MemoryConfig.wording] of [param config], or in the game's language.[br]
## With an [param hour] from 0 to 24 they say what she does then. With a [param relationship] they
## say whether she is open to romance, if she is at all.
func get_identity_lines(
	hour := -1.0, relationship := {}, config: MemoryConfig = null
) -> PackedStringArray:
	var lines := PackedStringArray()
	var called := display_name if display_name else npc_id
	if called:
		var is_who := {
			"name": _RAGPlayerText.clean(called),
			"role": _RAGPlayerText.clean(role).trim_suffix(".")
		}
		lines.append(_RAGWording.text(config, "you_are_with_role" if role else "you_are", is_who))
	lines.append(_RAGWording.text(config, "these_stay_true" if anchors else "stay_in_character"))
	for anchor: String in anchors:
		lines.append("- " + _RAGPlayerText.clean(anchor))
	lines.append_array(_said({"never_say": {"phrases": _listed(forbidden_phrases)}}, config))
	lines.append_array(_lines_of_the_moment(hour, relationship, config))
	var parts := {
		"speech_style": {"style": _RAGPlayerText.clean(speech_style)},
		"temper": {"temper": get_temper(config)},
		"traits": {"traits": _listed(traits)},
		"values": {"values": _listed(values)},
		"fears": {"fears": _listed(fears)},
		"goals": {"goals": _listed(goals)},
		"interests": {"interests": _listed(interests)},
		"dislikes": {"dislikes": _listed(dislikes)},
		"background": {"background": _RAGPlayerText.clean(background)},
	}
	lines.append_array(_said(parts, config))
	for line: String in example_lines:
		lines.append(_RAGWording.text(config, "example_line", {"line": _RAGPlayerText.clean(line)}))
	return lines


## Returns the Big Five in words, those of [param config] as in [method get_identity_lines]. A trait
## near the middle is left out.
func get_temper(config: MemoryConfig = null) -> String:
	var parts := PackedStringArray()
	for trait_name: String in _BIG_FIVE:
		var strength: float = get(trait_name)
		if strength <= _LOW_TRAIT:
			parts.append(_RAGWording.text(config, trait_name + "_low"))
		elif strength >= _HIGH_TRAIT:
			parts.append(_RAGWording.text(config, trait_name + "_high"))
	return "; ".join(parts)


## Returns the [member forbidden_phrases] that occur in [param text], whatever their case.
## [codeblock]
## print(personality.find_forbidden_phrases("As an AI I cannot know."))  # -> ["as an AI"]
## [/codeblock]
func find_forbidden_phrases(text: String) -> PackedStringArray:
	var said := PackedStringArray()
	for phrase: String in forbidden_phrases:
		if phrase and phrase.to_lower() in text.to_lower():
			said.append(phrase)
	return said


## Returns what is wrong with this resource, one sentence each. Empty when all is well.
func get_problems() -> PackedStringArray:
	var problems := PackedStringArray()
	if not npc_id:
		problems.append("npc_id is empty: set it to the npc_id of the NPC's RAGMemory.")
	if not display_name:
		problems.append("display_name is empty: the prompt calls her by her id.")
	for index: int in secrets.size():
		problems.append_array(_problems_of_secret(index))
	problems.append_array(_RAGInitialRelationship.problems_in(initial_relationship).values())
	problems.append_array(_RAGDailySchedule.problems_in(schedule))
	problems.append_array(_problems_of_length())
	return problems


func _problems_of_length() -> PackedStringArray:
	var length := "\n".join(get_identity_lines()).length() + _GROUND_RULE_LENGTH
	var tokens := ceili(length / 3.0)
	if tokens <= _IDENTITY_BUDGET:
		return []
	return [
		(
			(
				"She is described in %d tokens, and a prompt has %d for that: what comes last is cut"
				+ ' off. Shorten her, or set the option {"budgets": {"identity": %d}}.'
			)
			% [tokens, _IDENTITY_BUDGET, tokens + 20]
		)
	]


## Returns what she does at this hour, and whether she is open to romance.
func _lines_of_the_moment(
	hour: float, relationship: Dictionary, config: MemoryConfig
) -> PackedStringArray:
	var lines := PackedStringArray()
	var entry := get_activity(hour) if hour >= 0.0 else {}
	var activity := _RAGPlayerText.clean(str(entry.get("activity", "")))
	var location := _RAGPlayerText.clean(str(entry.get("location", "")))
	if activity:
		var what := {"activity": activity, "location": location}
		lines.append(_RAGWording.text(config, "activity_at" if location else "activity", what))
	if is_romantic_available and not relationship.is_empty():
		var is_open := is_romance_unlocked(relationship)
		lines.append(_RAGWording.text(config, "romance_open" if is_open else "romance_closed"))
	return lines


func _problems_of_secret(index: int) -> PackedStringArray:
	var problems := PackedStringArray()
	var secret: Dictionary = secrets[index]
	if not secret.get("secret", "") is String or not secret.get("secret", ""):
		problems.append('secrets[%d] has no text: set its key "secret".' % index)
	for key: String in ["unlock_trust", "unlock_affection"]:
		if secret.has(key) and not (secret[key] is int or secret[key] is float):
			problems.append("secrets[%d].%s is no number, so it stays locked." % [index, key])
	if (
		not secret.get("unbreakable", false)
		and not secret.has("unlock_trust")
		and not secret.has("unlock_affection")
	):
		problems.append(
			"secrets[%d] can never be told: set unlock_trust, or unbreakable to say so." % index
		)
	return problems


static func _is_unlocked(secret: Dictionary, relationship: Dictionary) -> bool:
	if secret.get("unbreakable", false):
		return false
	if not secret.has("unlock_trust") and not secret.has("unlock_affection"):
		return false
	return (
		_reaches(secret, "unlock_trust", relationship.get("trust", 0))
		and _reaches(secret, "unlock_affection", relationship.get("affection", 0))
	)


static func _reaches(secret: Dictionary, key: String, value: Variant) -> bool:
	if not secret.has(key):
		return true
	var least: Variant = secret[key]
	var are_numbers := (least is int or least is float) and (value is int or value is float)
	return are_numbers and value >= least


## The sentences of which the value is not empty.
static func _said(sentences: Dictionary, config: MemoryConfig) -> PackedStringArray:
	var lines := PackedStringArray()
	for key: String in sentences:
		var filling: Dictionary = sentences[key]
		if filling.values()[0]:
			lines.append(_RAGWording.text(config, key, filling))
	return lines


static func _listed(items: Array[String]) -> String:
	return "; ".join(PackedStringArray(items.map(_RAGPlayerText.clean)))

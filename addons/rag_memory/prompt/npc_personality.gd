@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCPersonality
extends Resource
## Who an NPC is: what never changes, whatever happens to her.
##
## Make one per NPC, save it as a [code].tres[/code] file and give it to [ContextBuilder]. Secrets
## stay out of the prompt until the relationship unlocks them:
## [codeblock]
## var mira: NPCPersonality = load("res://demo/villagers/mira.tres")
## for secret: Dictionary in mira.get_unlocked_secrets({"trust": 60, "affection": 45}):
##     print(secret["secret"])
## [/codeblock]

## A part of this class that games need not use.
const InitialRelationship := preload("res://addons/rag_memory/prompt/initial_relationship.gd")
## A part of this class that games need not use.
const PlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
## A part of this class that games need not use.
const Wording := preload("res://addons/rag_memory/prompt/wording.gd")

const _TRAITS: Array[String] = [
	"openness",
	"conscientiousness",
	"extraversion",
	"agreeableness",
	"neuroticism",
]
const _LOW_TRAIT := 0.35
const _HIGH_TRAIT := 0.65

@export_group("Identity")
## The id of the NPC, the same as [member RAGMemory.npc_id].
@export var npc_id := ""
## The name by which she is called.
@export var display_name := ""
## What she does in the world, for example [code]"blacksmith of Thornhaven"[/code].
@export var role := ""
## Where she comes from and what made her who she is.
@export_multiline var background := ""
## Truths about her that nothing the player says can change, the most important first.
@export var anchors: Array[String] = []

@export_group("Big Five")
## How open she is to what is new: 0 not at all, 1 entirely.
@export_range(0.0, 1.0, 0.01) var openness := 0.5
## How orderly and dutiful she is, 0 to 1.
@export_range(0.0, 1.0, 0.01) var conscientiousness := 0.5
## How outgoing she is, 0 to 1.
@export_range(0.0, 1.0, 0.01) var extraversion := 0.5
## How warm she is towards others, 0 to 1.
@export_range(0.0, 1.0, 0.01) var agreeableness := 0.5
## How easily she is worried, 0 to 1.
@export_range(0.0, 1.0, 0.01) var neuroticism := 0.5

@export_group("Motives")
## What she holds dear.
@export var values: Array[String] = []
## What she is afraid of.
@export var fears: Array[String] = []
## What she wants to reach.
@export var goals: Array[String] = []

@export_group("Speech")
## How she speaks: rhythm, words, manners.
@export_multiline var speech_style := ""
## Sentences that sound like her.
@export var example_lines: Array[String] = []
## What she never says. [method find_forbidden_phrases] looks for it in an answer.
@export var forbidden_phrases: Array[String] = []

@export_group("Secrets")
## What she hides. Each is a dictionary:[br]
## [code]secret[/code]: the text.[br]
## [code]id[/code]: a short name for it.[br]
## [code]unlock_trust[/code] and [code]unlock_affection[/code]: the least that the player needs. One
## that is missing asks for nothing. A secret with neither stays locked.[br]
## [code]unbreakable[/code]: never told, however close the two are.
@export var secrets: Array[Dictionary] = []

@export_group("Relationship")
## How she stands to a player she has never met. It counts for the relationship header and for
## secrets until a relationship is stored or set. [ContextBuilder] gives it to
## [method RAGMemory.set_initial_relationship] and leaves out values of a wrong type, with a
## warning. Without [ContextBuilder], make that call after a save is opened. A game that keeps the
## relationship itself (the option [code]relationship[/code]) begins with a copy of it.
@export var initial_relationship: Dictionary = {
	"trust": 30, "respect": 30, "affection": 30, "fear": 0, "familiarity": 10
}


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
			unlocked.append(secret.duplicate(true))
	return unlocked


## Returns the lines that describe her in a prompt, the most important first. Each is one line and
## harmless, as by [method ContextBuilder.sanitize]: a player may have named her. They are in the
## words of [member MemoryConfig.wording] of [param config], or in the game's language.
func get_identity_lines(config: MemoryConfig = null) -> PackedStringArray:
	var lines := PackedStringArray()
	var called := display_name if display_name else npc_id
	if called:
		var is_who := {"name": PlayerText.clean(called), "role": PlayerText.clean(role)}
		lines.append(Wording.told(config, "you_are_with_role" if role else "you_are", is_who))
	lines.append(Wording.told(config, "stay_in_character"))
	for anchor: String in anchors:
		lines.append("- " + PlayerText.clean(anchor))
	var parts := {
		"never_say": {"phrases": _listed(forbidden_phrases)},
		"speech_style": {"style": PlayerText.clean(speech_style)},
		"temper": {"temper": get_temper(config)},
		"values": {"values": _listed(values)},
		"fears": {"fears": _listed(fears)},
		"goals": {"goals": _listed(goals)},
		"background": {"background": PlayerText.clean(background)},
	}
	for key: String in parts:
		var told: Dictionary = parts[key]
		if told.values()[0]:
			lines.append(Wording.told(config, key, told))
	for line: String in example_lines:
		lines.append(Wording.told(config, "example_line", {"line": PlayerText.clean(line)}))
	return lines


## Returns the Big Five in words, those of [param config] as in [method get_identity_lines]. A trait
## near the middle is left out.
func get_temper(config: MemoryConfig = null) -> String:
	var parts := PackedStringArray()
	for trait_name: String in _TRAITS:
		var strength: float = get(trait_name)
		if strength <= _LOW_TRAIT:
			parts.append(Wording.told(config, trait_name + "_low"))
		elif strength >= _HIGH_TRAIT:
			parts.append(Wording.told(config, trait_name + "_high"))
	return "; ".join(parts)


## Returns the [member forbidden_phrases] that occur in [param text], whatever their case.
## [codeblock]
## print(personality.find_forbidden_phrases("As an AI I cannot know."))  # -> ["as an AI"]
## [/codeblock]
func find_forbidden_phrases(text: String) -> PackedStringArray:
	var found := PackedStringArray()
	for phrase: String in forbidden_phrases:
		if phrase and phrase.to_lower() in text.to_lower():
			found.append(phrase)
	return found


## Returns what is wrong with this resource, one sentence each. Empty when all is well.
func get_problems() -> PackedStringArray:
	var problems := PackedStringArray()
	if not npc_id:
		problems.append("npc_id is empty: set it to the npc_id of the NPC's RAGMemory.")
	if not display_name:
		problems.append("display_name is empty: the prompt calls her by her id.")
	for index: int in secrets.size():
		problems.append_array(_problems_of_secret(index))
	problems.append_array(InitialRelationship.problems_in(initial_relationship).values())
	return problems


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


static func _listed(items: Array[String]) -> String:
	return "; ".join(PackedStringArray(items.map(PlayerText.clean)))

extends Area2D
## Somebody of Thornhaven: walks through her day, remembers, feels, and talks.

const Map := preload("map.gd")
const Figure := preload("figure.gd")
const Language := preload("language.gd")

const SPEED := 70.0
## What a small model answers best with.
const SPEECH := {"max_tokens": 60, "temperature": 0.8}
const PROMPT_TOKENS := 900

@export var personality: NPCPersonality
@export var coat := Color("8a4b3c")
@export var hair := Color("4a3425")
@export var wears_skirt := false
## Where she stands, where several do.
@export var number := 0
## What the player can promise her, after "promised to".
@export var wish := "carry water from the well"
## What she perceives of what others say and do.
@export_flags("Hearing", "Sight") var senses := RAGMemory.HEARING | RAGMemory.SIGHT
## What can be stolen from her.
@export var valuable := "a silver coin"

var is_talking := false
## What she does now, in words; empty without a plan for this hour.
var activity := ""
## Where she is, in the words of her schedule.
var location := ""

var _way := PackedVector2Array()

@onready var memory: RAGMemory = $Memory
@onready var mind: NPCMind = $Memory/Mind
@onready var dialogue: NPCDialogue = $Memory/Dialogue
@onready var figure: Figure = $Figure
@onready var _map: Map = %Map


func _ready() -> void:
	personality = Language.copy_of(personality) as NPCPersonality
	memory.npc_id = personality.npc_id
	memory.senses = senses
	dialogue.personality = personality
	dialogue.mind = mind
	dialogue.analysis = false
	dialogue.context_options = {"token_budget": PROMPT_TOKENS}
	figure.coat = coat
	figure.hair = hair
	figure.wears_skirt = wears_skirt
	($Name as Label).text = personality.display_name
	mind.emotion_changed.connect(func(_mood: String, _intensity: float) -> void: show_mood())


func _physics_process(delta: float) -> void:
	var is_walking := not _way.is_empty() and not is_talking
	if is_walking:
		position = position.move_toward(_way[0], SPEED * delta)
		if position == _way[0]:
			_way.remove_at(0)
	figure.is_walking = is_walking
	if visible == is_asleep():
		visible = not visible
		monitorable = visible
		memory.senses = senses if visible else 0


func display_name() -> String:
	return personality.display_name


## Goes where her day leads her at this hour; [param at_once] without walking.
func live(hour: float, at_once := false) -> void:
	var plan := personality.get_activity(hour)
	activity = plan.get("activity", "")
	var place: String = plan.get("location", tr("the well"))
	if at_once:
		position = _map.spot(place, number)
		_way.clear()
	elif place != location:
		_way = _map.route(position, _map.spot(place, number))
	location = place
	dialogue.context_options["location"] = place


## In her bed, and out of sight.
func is_asleep() -> bool:
	return _map.beds.has(location) and _way.is_empty()


## The ids of the villagers around her who are awake.
func witnesses() -> PackedStringArray:
	var near := PackedStringArray()
	for id: String in mind.get_nearby():
		if id != "player" and id != personality.npc_id:
			near.append(id)
	return near


## Shows her mood above her head.
func show_mood() -> void:
	var emotion: Dictionary = await mind.get_emotion_async().completed
	var mood: String = emotion.get("mood", "neutral")
	($Mood as Label).text = "" if mood == "neutral" else tr(mood)


## How she stands to the player changes by the rules of her MemoryConfig.
func take(event_type: String) -> void:
	var changes: Dictionary = await memory.get_deterministic_deltas_async(event_type).completed
	var header: Dictionary = await memory.generate_relationship_header_async().completed
	var stands: Dictionary = header.get("metadata", {}).get("relationship", {})
	var changed := {}
	for dimension: String in ["trust", "affection", "fear", "respect", "familiarity"]:
		var change: float = changes.get(dimension + "_change", 0.0)
		var lowest := 0.0 if dimension == "familiarity" else -100.0
		changed[dimension] = clampf(stands.get(dimension, 0.0) + change, lowest, 100.0)
	await memory.store_relationship_async("player", changed).completed

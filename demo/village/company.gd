extends Node
## What villagers say to each other while the player walks about. Whoever stands near overhears it,
## so each of them knows something else afterwards.

## Emitted when a talk is over: one of [constant TALKS].
signal held(talk: Dictionary)

const Day := preload("day.gd")
const Player := preload("player.gd")
const Villager := preload("villager.gd")

## How far words are understood, and how far some of them are, in pixels.
const CLEAR := 70.0
const REACH := 110.0
const SHOUT := 5.0
## They are held in this order, when the two are near each other, and not before so many
## [code]hours[/code] have passed since the one before, or since the beginning of the game.
const TALKS: Array[Dictionary] = [
	{
		"hours": 9.25,
		"by": "aldric",
		"to": "mira",
		"line": "The salt cart leaves in three days, by the ford.",
		"response": "Then I shall bake for the carters.",
	},
	{
		"hours": 0.5,
		"by": "bjorn",
		"to": "gregor",
		"line": "I owe you 12 silver for the iron. I will pay you within three days.",
		"response": "Twelve silver, within three days. I have your word.",
	},
	{
		"hours": 1.5,
		"by": "gregor",
		"to": "varn",
		"manner": "whisper",
		"line": "The salt cart leaves in three days, by the ford.",
		"response": "You are a good friend. Your store stays whole.",
	},
	{
		"hours": 46.0,
		"by": "bjorn",
		"to": "gregor",
		"line": "Here are 5 silver of the 12 that I owe you.",
		"response": "Seven are left.",
	},
	{
		"hours": 24.0,
		"by": "aldric",
		"to": "mira",
		"manner": "shout",
		"line": "The salt cart was robbed at the ford! Who knew of it?",
		"response": "You told me of it in this very room, Captain.",
	},
	{
		"hours": 47.0,
		"by": "bjorn",
		"to": "gregor",
		"line": "Here are the 7 silver that I still owe you.",
		"response": "That is the last of it. I thank you.",
	},
]

## How many of them were held, and when the last one was.
var count := 0
var last := Day.BEGINNING

var _villagers: Dictionary[String, Villager] = {}
var _player: Player
var _is_talking := false


## Lets these people hear each other.
func join(villagers: Array[Villager], player: Player) -> void:
	_player = player
	for villager: Villager in villagers:
		_villagers[villager.memory.npc_id] = villager
		villager.dialogue.bystander_group = &"villagers"
		villager.dialogue.can_hear = share


## The game begins, or goes on after so many talks, the last of which was then.
func begin_anew(held_talks := 0, time := Day.BEGINNING) -> void:
	count = held_talks
	last = time


## How much of the words of somebody reaches somebody else: 0.0 to 1.0.
func share(speaker: String, listener: String, manner: String) -> float:
	var distance := _place(speaker).distance_to(_place(listener))
	if manner == "shout":
		distance /= SHOUT
	return clampf((REACH - distance) / (REACH - CLEAR), 0.0, 1.0)


## Lets the next talk begin if it is time for it.
func live(now: float) -> void:
	if _is_talking or count == TALKS.size():
		return
	var talk := TALKS[count]
	var hours := (now - last) / Day.SECONDS_PER_HOUR
	if hours >= talk["hours"] and _are_together(talk["by"] as String, talk["to"] as String):
		_hold(talk, now)


## Who overhears a talk, in words.
func hearers(talk: Dictionary) -> PackedStringArray:
	var names := PackedStringArray()
	var manner: String = talk.get("manner", "say")
	for id: String in _villagers:
		var heard := share(talk["by"] as String, id, manner)
		var hears := _villagers[id].memory.senses & RAGMemory.HEARING and manner != "whisper"
		if hears and heard > 0.0 and id not in [talk["by"], talk["to"]]:
			var name := _villagers[id].display_name()
			names.append(name if heard == 1.0 else tr("%s (in part)") % name)
	return names


func _hold(talk: Dictionary, now: float) -> void:
	_is_talking = true
	var options := {"speaker": talk["by"], "response": tr(talk["response"])}
	options["manner"] = talk.get("manner", "say")
	var listener := _villagers[talk["to"]]
	var answer: Dictionary = await listener.dialogue.say(tr(talk["line"]), options).completed
	_is_talking = false
	if not answer.is_empty():
		count += 1
		last = now
		held.emit(talk)


func _are_together(one: String, other: String) -> bool:
	var both_awake := _villagers[one].visible and _villagers[other].visible
	return both_awake and share(one, other, "say") > 0.0


func _place(id: String) -> Vector2:
	return _player.position if id == "player" else _villagers[id].position

extends RefCounted
## What the player does to a villager, and what she and those around her make of it.
##
## Each function returns a sentence for the screen: what happened, or why it did not.
## [member words] is what the player says with it.

const Villager := preload("villager.gd")

const SOURCE := {"source_id": "player", "source_name": "Rowan"}
const GIFTS: Array[String] = [
	"a jar of honey", "a red rose", "a wool scarf", "a basket of apples", "a carved wooden bird"
]

## What was promised to whom, by npc_id, and not yet kept or broken.
var promises: Dictionary = {}
## How many gifts were given.
var given := 0
## What the player says with the last deed; empty for nothing.
var words := ""


func give(villager: Villager) -> String:
	var gift := GIFTS[given % GIFTS.size()]
	given += 1
	words = "Here, I brought you %s." % gift
	var event := _event(villager, "gifted", "The player gave me %s." % gift)
	var problem := await _perceive(villager, event)
	await villager.take("gift_given")
	return problem if problem else "You give %s %s." % [villager.display_name(), gift]


func promise(villager: Villager) -> String:
	var id := villager.memory.npc_id
	if promises.has(id):
		return "%s has your word already: to %s." % [villager.display_name(), promises[id]]
	var wish := villager.wish
	# She remembers the promise of these words, and the day that they name. It counts once she does.
	words = "I promise to %s." % wish
	var problem := await _perceive(villager, _event(villager, "promised"))
	return problem if problem else "You promise %s to %s." % [villager.display_name(), wish]


## A kept promise is a turning point.
func keep(villager: Villager) -> String:
	return await _end_promise(villager, "promise_kept", "keep", "I kept my word to you.")


func break_promise(villager: Villager) -> String:
	return await _end_promise(villager, "promise_broken", "break", "I broke my word to you.")


## [param witnesses]: who sees it, besides the victim.
func steal(villager: Villager, witnesses: Array[Villager]) -> String:
	var loot := villager.valuable
	var event := _event(villager, "robbed", "The player stole %s from me." % loot)
	var problem := await _perceive(villager, event)
	await villager.take("betrayal")
	for witness: Villager in witnesses:
		var theft := [loot, villager.display_name()]
		var seen := _event(witness, "saw_theft", "I saw the player steal %s from %s." % theft)
		seen["importance"] = 7
		seen["entities"] = [villager.display_name()]
		var other_problem := await _perceive(witness, seen)
		problem = problem if problem else other_problem
	if problem:
		return problem
	var told := "You steal %s from %s." % [loot, villager.display_name()]
	if witnesses.is_empty():
		return told
	var names := witnesses.map(func(each: Villager) -> String: return each.display_name())
	return "%s %s saw it." % [told, " and ".join(PackedStringArray(names))]


# Either memory takes the place of that of the promise.
func _end_promise(villager: Villager, type: String, verb: String, line: String) -> String:
	var id := villager.memory.npc_id
	if not promises.has(id):
		return "You have promised %s nothing." % villager.display_name()
	var is_kept := type == "promise_kept"
	var told := "The player %s the promise to %s." % ["kept" if is_kept else "broke", promises[id]]
	var storing: MemoryRequest
	if is_kept:
		storing = villager.memory.store_milestone_async(type, told)
	else:
		storing = villager.memory.store_player_action_async(type, told)
	await storing.completed
	if storing.get_error():
		return storing.get_error()
	promises.erase(id)
	words = line
	var problem := await _perceive(villager, _event(villager, type))
	await villager.take(type)
	return problem if problem else "You %s your word to %s." % [verb, villager.display_name()]


func _event(villager: Villager, action: String, description := "") -> Dictionary:
	var event := SOURCE.merged({"action": action, "location": villager.location})
	if description:
		event["description"] = description
	return event


# What went wrong, or an empty string.
func _perceive(villager: Villager, event: Dictionary) -> String:
	var request := villager.mind.perceive_async(event)
	await request.completed
	return request.get_error()

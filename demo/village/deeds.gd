extends RefCounted
## What the player does to a villager, and what she and those around her make of it.
##
## Each function returns a sentence for the screen: what happened, or why it did not.
## [member words] is what the player says with it.

const Villager := preload("villager.gd")

const PLAYER := "Rowan"
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
	var gift := tr(GIFTS[given % GIFTS.size()])
	given += 1
	words = tr("Here, I brought you %s.") % gift
	var event := _event(villager, "gifted", tr("The player gave me %s.") % gift)
	var problem := await _perceive(villager, event)
	await villager.take("gift_given")
	return problem if problem else _with(villager, tr("You give {name} {gift}."), {"gift": gift})


func promise(villager: Villager) -> String:
	var id := villager.memory.npc_id
	if promises.has(id):
		var promised := {"wish": tr(promises[id])}
		return _with(villager, tr("{name} has your word already: to {wish}."), promised)
	var wish := tr(villager.wish)
	# She remembers the promise of these words, and the day that they name. It counts once she does.
	words = tr("I promise to %s.") % wish
	var problem := await _perceive(villager, _event(villager, "promised"))
	var message := _with(villager, tr("You promise {name} to {wish}."), {"wish": wish})
	return problem if problem else message


## A kept promise is a turning point.
func keep(villager: Villager) -> String:
	words = tr("I kept my word to you.")
	var memory := tr("The player kept the promise to %s.")
	var done := tr("You keep your word to {name}.")
	return await _end_promise(villager, "promise_kept", memory, done)


func break_promise(villager: Villager) -> String:
	words = tr("I broke my word to you.")
	var memory := tr("The player broke the promise to %s.")
	var done := tr("You break your word to {name}.")
	return await _end_promise(villager, "promise_broken", memory, done)


## [param witnesses]: who sees it, besides the victim.
func steal(villager: Villager, witnesses: Array[Villager]) -> String:
	var loot := {"loot": tr(villager.valuable)}
	var event := _event(villager, "robbed", tr("The player stole {loot} from me.").format(loot))
	var problem := await _perceive(villager, event)
	await villager.take("betrayal")
	for witness: Villager in witnesses:
		var sight := _with(villager, tr("I saw the player steal {loot} from {name}."), loot)
		var seen := _event(witness, "saw_theft", sight)
		seen["importance"] = 7
		seen["entities"] = [villager.display_name()]
		var other_problem := await _perceive(witness, seen)
		problem = problem if problem else other_problem
	if problem:
		return problem
	var message := _with(villager, tr("You steal {loot} from {name}."), loot)
	if witnesses.is_empty():
		return message
	var names := witnesses.map(func(each: Villager) -> String: return each.display_name())
	return message + tr(" %s saw it.") % tr(" and ").join(PackedStringArray(names))


# Either memory takes the place of that of the promise.
func _end_promise(villager: Villager, type: String, memory: String, done: String) -> String:
	var id := villager.memory.npc_id
	if not promises.has(id):
		words = ""
		return _with(villager, tr("You have promised {name} nothing."))
	memory = memory % tr(promises[id])
	var storing: MemoryRequest
	if type == "promise_kept":
		storing = villager.memory.store_milestone_async(type, memory)
	else:
		storing = villager.memory.store_player_action_async(type, memory)
	await storing.completed
	if storing.get_error():
		words = ""
		return storing.get_error()
	promises.erase(id)
	var problem := await _perceive(villager, _event(villager, type))
	await villager.take(type)
	return problem if problem else _with(villager, done)


func _with(villager: Villager, sentence: String, values := {}) -> String:
	return sentence.format(values.merged({"name": villager.display_name()}))


func _event(villager: Villager, action: String, description := "") -> Dictionary:
	var event := {"source_id": "player", "source_name": tr(PLAYER), "action": action}
	event["location"] = villager.location
	if description:
		event["description"] = description
	return event


# What went wrong, or an empty string.
func _perceive(villager: Villager, event: Dictionary) -> String:
	var request := villager.mind.perceive_async(event)
	await request.completed
	return request.get_error()

extends RefCounted
## The goal of the game is a good name. What the player does becomes an event of the world, and
## villagers who stand together tell each other of it.

const Villager := preload("villager.gd")

## So many villagers are to know that the player keeps a promise, and nothing worse.
const ENOUGH := 4
const KEPT := "promise_kept"


## [param witnesses] tell of the deed first. They remember it already, as they saw it.
func note(deed: String, text: String, witnesses: Array[Villager]) -> void:
	var event := {"event_type": deed, "summary": text, "visibility": "rumor"}
	event["witnesses"] = witnesses.map(func(who: Villager) -> String: return who.memory.npc_id)
	await MemoryWorld.record_event_async(event).completed


## Everybody tells those who stand near, and hear, what the player has done.
func spread(villagers: Array[Villager]) -> void:
	for teller: Villager in villagers:
		var near := teller.witnesses()
		for event: Dictionary in await _events_of(teller):
			for hearer: Villager in villagers:
				var hears := hearer.memory.senses & RAGMemory.HEARING
				if hearer.memory.npc_id in near and hears and event not in await _events_of(hearer):
					await _tell(event, teller.memory.npc_id, hearer.memory.npc_id)


## How many think well of the player.
func friends(villagers: Array[Villager]) -> int:
	var count := 0
	for villager: Villager in villagers:
		var deeds := {}
		for event: Dictionary in await _events_of(villager):
			deeds[event["event_type"]] = true
		count += int(deeds.keys() == [KEPT])
	return count


func _tell(event: Dictionary, teller: String, hearer: String) -> void:
	var source := "" if teller in event["witnesses"] else teller
	await MemoryWorld.spread_rumor_async(event["id"] as String, hearer, source).completed


# What somebody has seen or heard of.
func _events_of(villager: Villager) -> Array:
	var id := villager.memory.npc_id
	var heard: Array = await MemoryWorld.get_events_async({"known_to": id}).completed
	var ids := heard.map(func(event: Dictionary) -> String: return event["id"])
	var events: Array = await MemoryWorld.get_events_async().completed
	return events.filter(
		func(event: Dictionary) -> bool: return id in event["witnesses"] or event["id"] in ids
	)

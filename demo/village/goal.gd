extends RefCounted
## The goal of the game is a good name. What the player does becomes an event of the world, and
## villagers who stand together tell each other of it.

const Villager := preload("villager.gd")

## So many villagers are to know that the player keeps a promise, and nothing worse.
const ENOUGH := 4
const KEPT := "promise_kept"


## [param witnesses] know of the deed first.
func note(deed: String, text: String, witnesses: Array[Villager]) -> void:
	var event := {"event_type": deed, "summary": text, "visibility": "rumor"}
	event["known_by"] = witnesses.map(func(who: Villager) -> String: return who.memory.npc_id)
	await MemoryWorld.record_event_async(event).completed


## Everybody tells those who stand near, and hear, what the player has done.
func spread(villagers: Array[Villager]) -> void:
	for teller: Villager in villagers:
		var near := teller.witnesses()
		for event: Dictionary in await _events_of(teller):
			for hearer: Villager in villagers:
				var id := hearer.memory.npc_id
				if id in near and hearer.memory.senses & RAGMemory.HEARING:
					var telling := [event["id"], id, teller.memory.npc_id]
					await MemoryWorld.spread_rumor_async.callv(telling).completed


## How many think well of the player.
func friends(villagers: Array[Villager]) -> int:
	var count := 0
	for villager: Villager in villagers:
		var deeds := {}
		for event: Dictionary in await _events_of(villager):
			deeds[event["event_type"]] = true
		count += int(deeds.keys() == [KEPT])
	return count


func _events_of(villager: Villager) -> Array:
	return await MemoryWorld.get_events_async({"known_to": villager.memory.npc_id}).completed

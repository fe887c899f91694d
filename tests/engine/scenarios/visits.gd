# The base of the scenarios in which a player visits Mira again and again, while she learns more.
# The autoload NPCs is the one of docs/dialogue.md.
extends "res://tests/engine/scenarios/scenario.gd"

const PROMISE := "The player promised to mend the [b]roof[/b] {{before}} winter."

var npcs: Node


# One talk with Mira.
func visit() -> void:
	pass


func play() -> void:
	await process_frame
	npcs = root.get_node("NPCs")
	MemoryServer.open_save("visits")
	var mira := MemoryServer.npc("mira")
	for number in 5:
		match number:
			2:
				var promise := {"event_type": "promise_made", "participants": ["player"]}
				mira.store(PROMISE, 7, promise)
				MemoryWorld.set_player_info({"name": "Rowan [b]{x}"})
			3:
				mira.store("The mill burned down.", 7)
			4:
				mira.store_player_action("promise_kept", "mended the roof")
		await visit()

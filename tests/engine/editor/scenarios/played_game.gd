# A game with two NPCs who store and recall all the time, until it is stopped. One has a mind.
extends Node

const LINES: Array[String] = [
	"Do you remember what I promised you about the roof?",
	"What really happened to your husband Marcus?",
	"Who forged the swords that the bandits carried?",
]
const PATROL := {
	"assignee": "elena", "summary": "Patrol at the mill.", "status": "active", "due_day": 1.0
}

var _turn := 0


func _ready() -> void:
	for npc_id: String in ["mira", "elena"]:
		var memory := RAGMemory.new()
		memory.name = npc_id.capitalize()
		memory.npc_id = npc_id
		add_child(memory)
	var mind := NPCMind.new()
	mind.name = "Mind"
	$Mira.add_child(mind)
	await MemoryServer.open_save_async("slot_1").completed
	_tell(mind, "gifted", "Rowan", "Rowan gave me a warm cloak.")
	_tell(mind, "attacked", "Kael", "Kael attacked me at the old mill.")
	await MemoryWorld.add_task_async(PATROL).completed
	await MemoryWorld.run_maintenance_async().completed
	while true:
		await _take_turn()


func _tell(mind: NPCMind, action: String, who: String, description: String) -> void:
	(
		mind
		. perceive_async(
			{
				"action": action,
				"source_id": who.to_lower(),
				"source_name": who,
				"description": description,
			}
		)
	)


func _take_turn() -> void:
	_turn += 1
	var mira: RAGMemory = $Mira
	await mira.retrieve_scored_async(LINES[_turn % LINES.size()]).completed
	var elena: RAGMemory = $Elena
	elena.store("Rowan said: " + LINES[_turn % LINES.size()], 4)
	if _turn == 2:
		elena.store("")
	await get_tree().create_timer(0.2).timeout

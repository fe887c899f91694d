# A game with two NPCs who store and recall all the time, until it is stopped.
extends Node

const LINES: Array[String] = [
	"Do you remember what I promised you about the roof?",
	"What really happened to your husband Marcus?",
	"Who forged the swords that the bandits carried?",
]

var _turn := 0


func _ready() -> void:
	for npc_id: String in ["mira", "elena"]:
		var memory := RAGMemory.new()
		memory.name = npc_id.capitalize()
		memory.npc_id = npc_id
		add_child(memory)
	await MemoryServer.open_save_async("slot_1").completed
	while true:
		await _take_turn()


func _take_turn() -> void:
	_turn += 1
	var mira: RAGMemory = $Mira
	await mira.retrieve_scored_async(LINES[_turn % LINES.size()]).completed
	var elena: RAGMemory = $Elena
	elena.store("Rowan said: " + LINES[_turn % LINES.size()], 4)
	if _turn == 2:
		elena.store("")
	await get_tree().create_timer(0.2).timeout

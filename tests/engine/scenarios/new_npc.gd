# Plays the scene of the template as a player does: promises, saves, says more, and loads.
extends "scenario.gd"

const ROOF := "I promise to mend your roof."
const RIVER := "I promise to swim through the river."


func play() -> void:
	var npc: Node = load("res://npc_who_remembers/npc_who_remembers.tscn").instantiate()
	root.add_child(npc)
	await _until(func() -> bool: return npc.get_node("%Answer").text != "")
	say("greeting", npc.get_node("%Answer").text)
	npc.say(ROOF)
	var line: LineEdit = npc.get_node("%Line")
	say("waits", not line.editable)
	await _until(func() -> bool: return line.editable)
	var can_load := [not npc.get_node("%Load").disabled]
	await npc.save_game()
	can_load.append(not npc.get_node("%Load").disabled)
	say("can_load", can_load)
	await npc.say(RIVER)
	await npc.load_game()
	var memories: Array = npc.get_node("RAGMemory").get_recent(20)
	var texts := JSON.stringify(memories)
	say("remembers", ["mend your roof" in texts, "river" in texts])


func _until(condition: Callable) -> void:
	while not condition.call():
		await process_frame

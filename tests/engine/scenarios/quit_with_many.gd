# Asks for more than can be written while a game quits. Arguments: how many for each NPC, "wait" to
# wait for them.
extends "scenario.gd"


func play() -> void:
	var npc_ids := (
		["elena", "Zoë", "tom"] + range(10).map(func(n: int) -> String: return "crowd_%d" % n)
	)
	for number in int(arguments[0]):
		for npc_id: String in npc_ids.slice(0, 3):
			MemoryServer.npc(npc_id).store_async("Event %d." % number)
	for npc_id: String in npc_ids.slice(3):
		MemoryServer.npc(npc_id).store_async("The crowd cheered.")
		MemoryServer.npc(npc_id).get_memory_count_async()
	if "wait" in arguments:
		say("closed", await MemoryServer.close_save_async().completed)

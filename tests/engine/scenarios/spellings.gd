# Calls of one NPC whose nodes have its id in two spellings, in the order in which they were asked.
extends "scenario.gd"


func play() -> void:
	say("open", MemoryServer.open_save("village"))
	for pair: Array in [
		["Zoë", "Zoe\u0308"],
		["olaf", " olaf "],
		["가온", "\u1100\u1161\u110b\u1169\u11ab"],
		["\u212bse", "A\u030ase\u200b"],
		["\u3000李", "李\u2028"],
	]:
		var one := make_memory(pair[0])
		var other := make_memory(pair[1])
		for i in 300:
			one.store_async("Visit %d." % i)
			other.store_async("Gift %d." % i)
		say("counted", other.get_memory_count())
		say("counted", one.get_memory_count())
		say("counted", await other.get_memory_count_async().completed)
		one.clear_all_memories_async()
		say("counted", other.get_memory_count())
		MemoryServer.npc(pair[1]).store_async("Seen.")
		say("counted", one.get_memory_count())

# The world in which the examples' NPCs live.
extends RefCounted


static func world() -> NPCWorldKnowledge:
	var knowledge := NPCWorldKnowledge.new()
	for id: String in ["aldric", "bjorn", "elena", "gregor", "mathias", "mira", "varn"]:
		knowledge.add_npc(id, id.capitalize())
	knowledge.other_names = ["Thornhaven", "Iron Hollow"]
	knowledge.define_flag("bandits_defeated", false)
	return knowledge

# Says what the rules of the project make of an event, a memory and a question.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	say("importance", memory.calculate_importance("harvest", {}, {}))
	say("own_importance", memory.calculate_importance("small_talk", {}, {}))
	memory.store("The barn burned down.", 5, {"event_type": "harvest"})
	memory.store("The player sang a song.", 5)
	var found := memory.retrieve_relevant_raw("Who sang a song?")
	say("first", found[0].document_full)
	say("tier", found[0].metadata.memory_tier)
	var mind := NPCMind.new()
	memory.add_child(mind)
	say("sentiment", mind.analyze_sentiment("Howdy", "spoke"))

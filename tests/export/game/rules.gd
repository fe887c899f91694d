extends Node
# Asks every rule in Python of the exported game, and one of them for an error.


func _ready() -> void:
	var memory := RAGMemory.new()
	memory.npc_id = "mira"
	add_child(memory)
	var mind := NPCMind.new()
	memory.add_child(mind)
	say("importance", memory.calculate_importance("harvest", {}, {}))
	memory.store("The barn burned down.", 5, {"event_type": "harvest"})
	memory.store("The player sang a song.", 5)
	var found := memory.retrieve_relevant_raw("Who sang a song?")
	say("first", found[0].document_full)
	say("tier", found[0].metadata.memory_tier)
	say("sentiment", mind.analyze_sentiment("Howdy", "spoke"))
	say("insight", memory.get_memory(mind.reflect(true)[0]).document_full)
	memory.store_turn("My name is Tom.", "Hello, Tom.")
	say("fact", memory.get_recent(1)[0].document_full)
	say("sale", memory.calculate_importance("sale", {}, {}))
	say("letter", memory.calculate_importance("letter", {}, {}))
	say("flood", memory.calculate_importance("flood", {}, {}))
	say("endless", memory.calculate_importance("endless", {}, {}))
	get_tree().quit()


func say(name: String, value: Variant) -> void:
	print("@", name, " ", JSON.stringify(value))

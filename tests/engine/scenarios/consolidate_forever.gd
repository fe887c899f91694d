# Stores and consolidates until it is killed; says the ids of what is stored.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	var rounds := 0
	while true:
		rounds += 1
		for id: String in memory.store_batch(sentences(60).map(_of_round.bind(rounds))):
			say("stored", id)
		await memory.consolidate_async().completed
		say("consolidated", memory.get_memory_count())


func _of_round(memory: Dictionary, number: int) -> Dictionary:
	return {"text": "%s It was winter %d." % [memory["text"], number]}

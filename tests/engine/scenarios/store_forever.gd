# Stores memories until it is killed; says the id of each once store() has returned.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	var number := 0
	while true:
		say("stored", memory.store("Event %d of a long night." % number, 5, {"number": number}))
		number += 1
		if number % 10 == 0:
			for id in memory.store_batch(sentences(5, number)):
				say("stored", id)

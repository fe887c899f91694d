# Quits while one call (put into the core by the test) keeps the sentence model busy for longer than
# the engine waits at its end.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	say("stored", memory.store("The mill burned down."))
	var request := memory.get_recent_async(25)
	request.completed.connect(listener.say_number.bind("completed", 0))
	await frames(30)

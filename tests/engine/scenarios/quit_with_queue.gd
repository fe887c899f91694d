# Queues store_async calls, says the id of each that was acknowledged, and quits meanwhile.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	for number in 100:
		var request := memory.store_async("Event %d." % number, 5, {"number": number})
		request.completed.connect(listener.say.bind("stored"))
	await frames(int(arguments[0]))

# Quits in the frame in which a batch was asked for that is too long to be encoded in that frame.
extends "scenario.gd"


func play() -> void:
	var batch := sentences(int(arguments[0]))
	var request := make_memory("elena").store_batch_async(batch)
	request.completed.connect(listener.say.bind("stored"))
	batch.clear()

# Quits after as many frames as the argument says, with blocking, long and queued calls behind and
# before it.
extends "scenario.gd"


func play() -> void:
	var wait := int(arguments[0])
	var requests: Array[MemoryRequest] = []
	for number in 3:
		var memory := make_memory("npc %d" % number)
		requests.append(memory.store_batch_async(sentences(40)))
		requests.append(memory.retrieve_scored_async("What do you remember of the winter?"))
		requests.append(memory.get_memory_count_async())
	requests.append(MemoryServer.open_save_async("another"))
	requests.append(MemoryServer.preload())
	for number in requests.size():
		requests[number].completed.connect(listener.say_number.bind("completed", number))
	say("asked", requests.size())
	await frames(wait)

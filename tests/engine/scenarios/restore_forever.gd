# Restores two snapshots in turn until it is killed; says which one once it is restored.
extends "scenario.gd"


func play() -> void:
	var memory := make_memory("elena")
	for slot: String in ["first", "second"]:
		memory.clear_all_memories()
		memory.store_batch(sentences(int(arguments[0])).map(_marked.bind(slot)))
		MemoryServer.snapshot(slot)
	while true:
		for slot: String in ["first", "second"]:
			MemoryServer.restore(slot)
			say("restored", slot)


func _marked(memory: Dictionary, slot: String) -> Dictionary:
	return {"text": "%s In the %s story." % [memory["text"], slot]}

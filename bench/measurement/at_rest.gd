extends Node
## What the extension costs each frame while its memories are loaded and nobody asks.

const IdleFrames := preload("idle_frames.gd")


func measure(input: Dictionary) -> Dictionary:
	var save_id: String = input["save"]
	if MemoryServer.open_save(save_id) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	var memory := RAGMemory.new()
	memory.npc_id = input["npc"]
	add_child(memory)
	memory.retrieve_scored("Good morning.")
	var rounds: int = input["idle_rounds"]
	var frames: int = input["idle_frames"]
	return {"idle_usec": await IdleFrames.means_usec(get_tree(), rounds, frames)}

extends Node
## What an engine without the extension needs: the memory and the frame to compare with.

const IdleFrames := preload("idle_frames.gd")
const ProcessMemory := preload("process_memory.gd")


func measure(input: Dictionary) -> Dictionary:
	var rounds: int = input["idle_rounds"]
	var frames: int = input["idle_frames"]
	var means: Array[float] = await IdleFrames.means_usec(get_tree(), rounds, frames)
	return {"idle_usec": means, "resident_kb": ProcessMemory.resident_kb()}

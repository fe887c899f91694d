# A whole exchange while the worker hangs (put into the core by the test): frames go on meanwhile.
extends "scenario.gd"

var _options: Dictionary = {"deterministic_deltas": true}


func play() -> void:
	await MemoryServer.preload().completed
	var memory := make_memory("elena")
	memory.store("The mill burned down.")
	var reply := (
		JSON
		. stringify(
			{
				"response": "A ring!",
				"analysis": {"interaction_type": "gift_given", "gift": "a ring", "trust_change": 3},
			}
		)
	)
	memory.get_recent_async(3)
	var frames_before := Engine.get_process_frames()
	var prompt := await ContextBuilder.build_async(memory, "Good morning.", _options)
	say("built", ["The mill burned down." in (prompt["prompt"] as String), _frames(frames_before)])
	memory.get_recent_async(3)
	await frames(1)  # it has begun: what needs no memories does not wait for what has not
	frames_before = Engine.get_process_frames()
	var answer := await ContextBuilder.parse_response_async(reply)
	say("parsed", [answer["analysis"]["interaction_type"], _frames(frames_before)])
	memory.get_recent_async(3)
	await frames(1)  # it has begun: what needs no memories does not wait for what has not
	frames_before = Engine.get_process_frames()
	var recorded := await ContextBuilder.record_interaction_async(
		memory, "I have a ring for you.", answer, _options
	)
	say("recorded", [recorded["stored"].size(), _frames(frames_before)])


func _frames(before: int) -> int:
	return Engine.get_process_frames() - before

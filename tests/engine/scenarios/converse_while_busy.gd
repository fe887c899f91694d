# A whole exchange while the test holds the worker up: frames go on meanwhile.
extends "scenario.gd"

var _options: Dictionary = {"deterministic_deltas": true}
var _calls := 100


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
	var prompt := await _while_busy(
		"built",
		memory,
		func() -> Dictionary:
			return await (
				NPCContextBuilder
				. new(memory, _options)
				. build_prompt_async("Good morning.")
				. completed
			)
	)
	say("prompt", "The mill burned down." in (prompt["prompt"] as String))
	var answer := await _while_busy(
		"parsed",
		memory,
		func() -> Dictionary:
			return await NPCContextBuilder.new().read_answer_async(reply).completed
	)
	say("answer", answer["analysis"]["interaction_type"])
	var recorded := await _while_busy(
		"recorded",
		memory,
		func() -> Dictionary:
			return await (
				NPCContextBuilder
				. new(memory, _options)
				. record_exchange_async("I have a ring for you.", answer)
				. completed
			)
	)
	say("stored", recorded["stored"].size())


# The answer to what is asked while a call keeps the worker from everything else. Says whether
# frames came before it: the call is released only after some.
func _while_busy(name: String, memory: RAGMemory, ask: Callable) -> Dictionary:
	_calls += 1
	memory.get_recent_async(_calls)
	await held(_calls)
	var answers: Array[Dictionary] = []
	var wait := func() -> void: answers.append(await ask.call())
	wait.call()
	await frames(30)
	say(name, answers.is_empty())
	release(_calls)
	while answers.is_empty():
		await process_frame
	return answers[0]

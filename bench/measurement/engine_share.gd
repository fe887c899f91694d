extends Node
## What a question costs in the engine besides its time in Python, and the parts of each call. Every
## question was asked before, so that none is embedded.

var _memory: RAGMemory
var _report: Dictionary


func measure(input: Dictionary) -> Dictionary:
	var now: float = input["now"]
	MemoryServer.set_clock(func() -> float: return now)
	if MemoryServer.open_save(input["save"] as String) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	_memory = RAGMemory.new()
	_memory.npc_id = input["npc"]
	add_child(_memory)
	var questions: Array = input["questions"]
	for question: String in questions:
		_memory.retrieve_scored(question)
	MemoryServer.call_finished.connect(func(report: Dictionary) -> void: _report = report)
	var samples := {"latency_ms": [], "waited_ms": [], "worked_ms": []}
	for question: String in questions:
		await get_tree().process_frame
		OS.delay_usec(input["sleep_usec"] as int)
		_memory.retrieve_scored(question)
		for part: String in samples:
			samples[part].append(_report[part])
		# Freed here: it must not count as a part of the next answer.
		_report = {}
	return samples

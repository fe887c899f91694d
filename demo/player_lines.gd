extends RefCounted
## Asks an NPC the lines of a player, prints what came back, and counts what was expected of it.

const RecallReport := preload("recall_report.gd")

var _speaker: String
var _expected_count := 0
var _recalled_count := 0
var _times_ms: Array[float] = []


func _init(speaker: String) -> void:
	_speaker = speaker


## Asks all lines. Returns what went wrong, or an empty string.
func ask(memory: RAGMemory, player_lines: Array) -> String:
	for index: int in player_lines.size():
		RecallReport.print_heading("%d of %d" % [index + 1, player_lines.size()])
		var problem: String = await _ask(memory, player_lines[index])
		if not problem.is_empty():
			return problem
	return ""


## Prints which model answers.
static func print_model() -> void:
	var health: Dictionary = MemoryServer.health()
	print("Embedding model: %s, %d dimensions" % [health.get("model"), health.get("dimension", 0)])
	if health.get("model_is_fallback", false):
		print("This is the fallback, which compares spelling, not meaning: expect poor recall.")
		print("`python3 build.py model` makes the real model.")


## Prints how much of what was expected came back, and where the save is.
func print_summary(npc_name: String, memory_count: int, save_id: String) -> void:
	RecallReport.print_heading("Summary")
	print(("Memories of %s:" % npc_name).rpad(28) + str(memory_count))
	print("Expected memories recalled: %d of %d" % [_recalled_count, _expected_count])
	print(
		(
			"Median time to an answer:   %.1f ms (slowest %.1f ms)"
			% [RecallReport.median(_times_ms), _times_ms.max()]
		)
	)
	print("Save: %s" % ProjectSettings.globalize_path("user://rag_memory/%s.sqlite3" % save_id))


func _ask(memory: RAGMemory, player_line: Dictionary) -> String:
	var line: String = player_line["line"]
	var expected: Array = player_line["expected"]
	var started_usec: int = Time.get_ticks_usec()
	var request: MemoryRequest = memory.retrieve_scored_async(line)
	var recalled: Array = await request.completed
	var elapsed_ms: float = (Time.get_ticks_usec() - started_usec) / 1000.0
	if not request.get_error().is_empty():
		return request.get_error()

	var missed: Array = expected.duplicate()
	for each: Dictionary in recalled:
		var metadata: Dictionary = each["metadata"]
		missed.erase(metadata.get("key", ""))
	_times_ms.append(elapsed_ms)
	_expected_count += expected.size()
	_recalled_count += expected.size() - missed.size()

	RecallReport.print_wrapped('%s: "%s"' % [_speaker, line], "")
	var found: int = expected.size() - missed.size()
	print(
		(
			"%d memories in %.1f ms; %d of %d expected ones (*) among them"
			% [recalled.size(), elapsed_ms, found, expected.size()]
		)
	)
	if not missed.is_empty():
		RecallReport.print_wrapped("expected but not recalled: " + ", ".join(missed), "")
	RecallReport.print_memories(recalled, "key", expected)
	return ""

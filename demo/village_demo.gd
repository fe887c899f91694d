extends RefCounted
## Mira of the Copper Kettle in Thornhaven remembers eight weeks and hears ten player lines.

const DemoSave := preload("demo_save.gd")
const JsonFile := preload("json_file.gd")
const MemoryLoader := preload("memory_loader.gd")
const RecallReport := preload("recall_report.gd")

const SAVE_ID := "demo"
const MEMORIES_FILE := "res://demo/memories/mira.json"
const PLAYER_LINES_FILE := "res://demo/player_lines.json"
## How Mira stands to the player at the end of the eighth week.
const RELATIONSHIP := {"trust": 62, "affection": 48, "fear": 12, "respect": 70, "familiarity": 85}
const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0
## The clock stands still at the midnight that ends day 56, so every run gives the same scores.
const NOW := 57 * SECONDS_PER_DAY

var _expected_count := 0
var _recalled_count := 0
var _times_ms: Array[float] = []


## Stores what Mira does not remember yet, asks the player lines and prints what came back. Returns
## what went wrong and what to do about it, or an empty string.
func run(memory: RAGMemory) -> String:
	var lines_file := JsonFile.new(PLAYER_LINES_FILE)
	var player_lines: Array[Dictionary] = lines_file.records()
	var memories_file := JsonFile.new(MEMORIES_FILE)
	var memories: Array[Dictionary] = _with_timestamps(memories_file.records())
	if not lines_file.problem.is_empty() or not memories_file.problem.is_empty():
		return lines_file.problem + memories_file.problem

	MemoryServer.set_clock(func() -> float: return NOW)
	RecallReport.print_heading("Mira of Thornhaven, end of week eight")
	var problem: String = await DemoSave.open(SAVE_ID)
	if not problem.is_empty():
		return problem
	_print_model()
	problem = await MemoryLoader.new().store_missing(memory, memories, "key")
	if not problem.is_empty():
		return problem
	memory.set_relationship_state(RELATIONSHIP)

	for index: int in player_lines.size():
		problem = await _ask(memory, player_lines[index], index + 1, player_lines.size())
		if not problem.is_empty():
			return problem
	_print_summary(memories.size())
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()


func _ask(memory: RAGMemory, player_line: Dictionary, number: int, total: int) -> String:
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

	RecallReport.print_heading("%d of %d" % [number, total])
	RecallReport.print_wrapped('Rowan: "%s"' % line, "")
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


func _with_timestamps(records: Array[Dictionary]) -> Array[Dictionary]:
	for each: Dictionary in records:
		each["timestamp"] = each["day"] * SECONDS_PER_DAY + each["hour"] * SECONDS_PER_HOUR
		for whole: String in ["importance", "day", "hour"]:
			each[whole] = int(each[whole])
	return records


func _print_model() -> void:
	var health: Dictionary = MemoryServer.health()
	print("Embedding model: %s, %d dimensions" % [health.get("model"), health.get("dimension", 0)])
	if health.get("model_is_fallback", false):
		print("This is the fallback, which compares spelling, not meaning: expect poor recall.")
		print("`python3 build.py model` makes the real model.")


func _print_summary(memory_count: int) -> void:
	var slowest: float = _times_ms.max()
	RecallReport.print_heading("Summary")
	print("Memories of Mira:           %d" % memory_count)
	print("Expected memories recalled: %d of %d" % [_recalled_count, _expected_count])
	print(
		(
			"Median time to an answer:   %.1f ms (slowest %.1f ms)"
			% [RecallReport.median(_times_ms), slowest]
		)
	)
	print("Save: %s" % ProjectSettings.globalize_path("user://rag_memory/%s.sqlite3" % SAVE_ID))

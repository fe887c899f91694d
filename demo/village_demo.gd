extends RefCounted
## Mira of the Copper Kettle in Thornhaven remembers eight weeks and hears ten player lines.

const DemoSave := preload("demo_save.gd")
const JsonFile := preload("json_file.gd")
const MemoryLoader := preload("memory_loader.gd")
const PlayerLines := preload("player_lines.gd")
const RecallReport := preload("recall_report.gd")

const SAVE_ID := "demo"
const MEMORIES_FILE := "res://demo/memories/mira.json"
const PLAYER_LINES_FILE := "res://demo/player_lines.json"
## How Mira stands to the player at the end of the eighth week.
const RELATIONSHIP := {"trust": 62, "affection": 48, "fear": 12, "respect": 70, "familiarity": 85}
## The clock stands still at the midnight that ends day 56, so every run gives the same scores.
const NOW := 57 * MemoryLoader.SECONDS_PER_DAY


## Stores what Mira does not remember yet, asks the player lines and prints what came back. Returns
## what went wrong and what to do about it, or an empty string.
func run(memory: RAGMemory) -> String:
	var lines_file := JsonFile.new(PLAYER_LINES_FILE)
	var player_lines: Array[Dictionary] = lines_file.records()
	var memories_file := JsonFile.new(MEMORIES_FILE)
	var memories: Array[Dictionary] = MemoryLoader.with_timestamps(memories_file.records())
	if not lines_file.problem.is_empty() or not memories_file.problem.is_empty():
		return lines_file.problem + memories_file.problem

	MemoryServer.set_clock(func() -> float: return NOW)
	RecallReport.print_heading("Mira of Thornhaven, end of week eight")
	var problem: String = await DemoSave.open(SAVE_ID)
	if not problem.is_empty():
		return problem
	PlayerLines.print_model()
	problem = await MemoryLoader.new().store_missing(memory, memories, "key")
	if not problem.is_empty():
		return problem
	memory.set_relationship_state(RELATIONSHIP)

	var asked := PlayerLines.new("Rowan")
	problem = await asked.ask(memory, player_lines)
	if not problem.is_empty():
		return problem
	asked.print_summary("Mira", memories.size(), SAVE_ID)
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()

extends RefCounted
## Lets one NPC per conversation remember a transcript turn by turn, asks its questions, and counts
## how many of the turns that hold the answers came back.

const DemoSave := preload("demo_save.gd")
const JsonFile := preload("json_file.gd")
const MemoryLoader := preload("memory_loader.gd")
const RecallReport := preload("recall_report.gd")
const RecallShare := preload("recall_share.gd")
const Transcript := preload("transcript.gd")

## For this many questions of each conversation everything that came back is printed.
const QUESTIONS_IN_FULL := 3
const SECONDS_PER_DAY := 86400.0

var _now := 0.0
var _share := RecallShare.new()


## Runs the demo on the transcript in [param path]; NPCs become children of [param parent]. Returns
## what went wrong and what to do about it, or an empty string.
func run(parent: Node, path: String) -> String:
	var file := JsonFile.new(path)
	var records: Array[Dictionary] = file.records()
	if not file.problem.is_empty():
		return file.problem
	var save_id: String = "transcript_" + FileAccess.get_sha256(path).left(16)
	MemoryServer.set_clock(func() -> float: return _now)
	RecallReport.print_heading("Transcript %s" % path.get_file())
	var opening_problem: String = await DemoSave.open(save_id)
	if not opening_problem.is_empty():
		return opening_problem

	for index: int in records.size():
		var transcript := Transcript.new(records[index], index + 1)
		if not transcript.problem.is_empty():
			return transcript.problem
		RecallReport.print_heading("%s (%d of %d)" % [transcript.npc_id, index + 1, records.size()])
		var problem: String = await _remember_and_ask(parent, transcript)
		if not problem.is_empty():
			return problem
	_share.print_table()
	print("Save: %s" % ProjectSettings.globalize_path("user://rag_memory/%s.sqlite3" % save_id))
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()


func _remember_and_ask(parent: Node, transcript: Transcript) -> String:
	_now = transcript.last_session + SECONDS_PER_DAY
	var memory := RAGMemory.new()
	memory.npc_id = transcript.npc_id
	parent.add_child(memory)
	var problem: String = await MemoryLoader.new().store_missing(
		memory, transcript.memories, "dia_id"
	)
	for index: int in transcript.questions.size():
		if not problem.is_empty():
			break
		problem = await _ask(
			memory, transcript.questions[index], index, transcript.questions.size()
		)
	memory.queue_free()
	return problem


func _ask(memory: RAGMemory, question: Dictionary, index: int, total: int) -> String:
	var line: String = question["question"]
	var evidence: Array = question.get("evidence", [])
	var started_usec: int = Time.get_ticks_usec()
	var request: MemoryRequest = memory.retrieve_scored_async(line)
	var recalled: Array = await request.completed
	var elapsed_ms: float = (Time.get_ticks_usec() - started_usec) / 1000.0
	if not request.get_error().is_empty():
		return request.get_error()

	var found: int = _count_found(evidence, recalled)
	var category: int = int(question.get("category", 0))
	_share.add(category, found, evidence.size(), recalled.size(), elapsed_ms)
	var row: String = (
		"%4d/%d  %-11s  %d/%d  %5.1f ms  %s"
		% [
			index + 1,
			total,
			RecallShare.category_name(category),
			found,
			evidence.size(),
			elapsed_ms,
			line,
		]
	)
	print(row.left(RecallReport.COLUMNS))
	if index < QUESTIONS_IN_FULL:
		RecallReport.print_memories(recalled, "dia_id", evidence)
	return ""


func _count_found(evidence: Array, recalled: Array) -> int:
	var turns: Dictionary[String, bool] = {}
	for each: Dictionary in recalled:
		var metadata: Dictionary = each["metadata"]
		turns[str(metadata.get("dia_id", ""))] = true
	var found: int = 0
	for id: Variant in evidence:
		if turns.has(str(id)):
			found += 1
	return found

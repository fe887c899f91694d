extends Node
## What a game that was just started pays for its first answer, and what its memory holds then.

const ProcessMemory := preload("process_memory.gd")
const TASKS := "/proc/self/task"
const WARM_UP_FRAMES := 5


func measure(input: Dictionary) -> Dictionary:
	var now: float = input["now"]
	var save_id: String = input["save"]
	var questions: Array = input["questions"]
	for _frame: int in WARM_UP_FRAMES:
		await get_tree().process_frame

	var begun_usec: int = _processor_usec()
	MemoryServer.set_clock(func() -> float: return now)
	var opened: Error = MemoryServer.open_save(save_id)
	var opened_usec: int = _processor_usec()
	var memory := RAGMemory.new()
	memory.npc_id = input["npc"]
	add_child(memory)
	var recalled: Array[Dictionary] = memory.retrieve_scored(questions[0] as String)
	var answered_usec: int = _processor_usec()
	if opened != OK or recalled.is_empty():
		return {"problem": "There was no answer; the messages above say why."}
	for question: String in questions.slice(1):
		await get_tree().process_frame
		recalled = memory.retrieve_scored(question)
	return {
		"opened_usec": opened_usec - begun_usec,
		"answered_usec": answered_usec - begun_usec,
		"resident_kb": ProcessMemory.resident_kb(),
		"engine": Engine.get_version_info()["string"],
	}


## Processor time of all threads that run. Threads that ended meanwhile are not counted; none of
## the addon does.
func _processor_usec() -> int:
	var nanoseconds: int = 0
	for task: String in DirAccess.get_directories_at(TASKS):
		var file: FileAccess = FileAccess.open("%s/%s/schedstat" % [TASKS, task], FileAccess.READ)
		nanoseconds += file.get_line().get_slice(" ", 0).to_int() if file != null else 0
	return nanoseconds / 1000

extends Node
## An innkeeper who remembers three weeks in German or Chinese hears ten player lines in the same
## language. Exit code 0 when it went through.

const DemoSave := preload("demo_save.gd")
const JsonFile := preload("json_file.gd")
const MemoryLoader := preload("memory_loader.gd")
const PlayerLines := preload("player_lines.gd")
const RecallReport := preload("recall_report.gd")

const FILES := "res://demo/languages/%s.json"
const LANGUAGE_SETTING := "rag_memory/embedding/language"
## The midnight that ends day 21.
const NOW := 22 * MemoryLoader.SECONDS_PER_DAY


func _ready() -> void:
	# A game has it in project.godot; this project's other demos are English.
	ProjectSettings.set_setting(LANGUAGE_SETTING, "multilingual")
	var problem: String = await _run(OS.get_cmdline_user_args())
	if not problem.is_empty():
		printerr("\nThe demo stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run(arguments: PackedStringArray) -> String:
	if arguments.size() != 1:
		return "It needs one argument, the language: de or zh."
	var file := JsonFile.new(FILES % arguments[0])
	if not file.problem.is_empty():
		return file.problem
	var story: Dictionary = file.content
	var listed: Array[Dictionary] = []
	listed.assign(story["memories"] as Array)
	var memories: Array[Dictionary] = MemoryLoader.with_timestamps(listed)
	var save_id: String = "demo_" + arguments[0]
	MemoryServer.set_clock(func() -> float: return NOW)
	RecallReport.print_heading(story["title"])
	var problem: String = await DemoSave.open(save_id)
	if not problem.is_empty():
		return problem
	PlayerLines.print_model()
	var memory := RAGMemory.new()
	memory.npc_id = story["npc"]
	add_child(memory)
	problem = await MemoryLoader.new().store_missing(memory, memories, "key")
	if not problem.is_empty():
		return problem
	var asked := PlayerLines.new(story["speaker"])
	problem = await asked.ask(memory, story["lines"] as Array)
	if not problem.is_empty():
		return problem
	asked.print_summary(memory.npc_id.capitalize(), memories.size(), save_id)
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()

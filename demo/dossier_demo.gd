extends Node
## The lord of Thornhaven is asked about the raids at his border, headless. Prints the dossier that
## a language model gets for his answer, the tokens of each section, and what was left out and why.
## Exit code 0 when it went through.

const RecallReport := preload("recall_report.gd")

const SAVE_ID := "demo_dossier"
const WORLD_FILE := "res://demo/marches.json"
const LORE_FILE := "res://demo/marches.md"
const SECONDS_PER_DAY := 86400.0
const TODAY := 72.5
const QUESTION := "The raiders have burned farms again, my lord. Will you hold the ford with me?"
const SCENE := {
	"description": "Lord Halvard speaks with the player in the hall of the keep, after the raids.",
	"location": "Thornhaven",
	"time": "dusk",
	"nearby": ["osric"],
	"weather": "smoke over the northern fields",
	"recent_changes": ["A rider has brought news from the mill."],
	"troops": {"riders": 24, "archers": 40},
}

@onready var _halvard: RAGMemory = $Halvard


func _ready() -> void:
	var problem: String = await _run()
	if not problem.is_empty():
		printerr("\nThe demo stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run() -> String:
	var now: Array[float] = [0.0]
	MemoryServer.set_clock(func() -> float: return now[0])
	var saves: PackedStringArray = await MemoryServer.list_saves_async().completed
	if SAVE_ID in saves:
		await MemoryServer.delete_save_async(SAVE_ID).completed
	var opening: MemoryRequest = MemoryServer.open_save_async(SAVE_ID)
	await opening.completed
	if not opening.get_error().is_empty():
		return opening.get_error()
	var importing: MemoryRequest = MemoryWorld.import_lore_async(LORE_FILE)
	await importing.completed
	if not importing.get_error().is_empty():
		return importing.get_error()
	await _tell_the_world(now)
	now[0] = TODAY * SECONDS_PER_DAY
	RecallReport.print_heading("The player asks")
	print(QUESTION)
	for preset: NPCDossierConfig.DossierPreset in [
		NPCDossierConfig.MEDIUM_8B, NPCDossierConfig.SMALL_4B
	]:
		var config := NPCDossierConfig.new()
		config.preset = preset
		var telling: MemoryRequest = _halvard.build_dossier_async(QUESTION, SCENE, config)
		var dossier: Dictionary = await telling.completed
		if not telling.get_error().is_empty():
			return telling.get_error()
		_print_dossier(dossier, preset == NPCDossierConfig.MEDIUM_8B)
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()


func _tell_the_world(now: Array[float]) -> void:
	var file := FileAccess.open(WORLD_FILE, FileAccess.READ)
	var world: Dictionary = JSON.parse_string(file.get_as_text())
	for id: String in world["characters"]:
		MemoryWorld.register_character_async(id, world["characters"][id] as Dictionary)
	MemoryWorld.set_profile_async("halvard", world["profile"] as Dictionary)
	for event: Dictionary in world["events"]:
		now[0] = float(event["day"]) * SECONDS_PER_DAY
		MemoryWorld.record_event_async(event)
	MemoryWorld.spread_rumor_async("plan", "halvard", "varn")
	for told: Dictionary in world["memories"]:
		now[0] = float(told["day"]) * SECONDS_PER_DAY
		_halvard.store_async(
			told["text"] as String, int(told["importance"]), told["data"] as Dictionary
		)
	for turn: Dictionary in world["turns"]:
		now[0] = float(turn["day"]) * SECONDS_PER_DAY
		_halvard.store_turn_async(turn["player"] as String, turn["npc"] as String, {"memories": []})
	for task: Dictionary in world["tasks"]:
		MemoryWorld.add_task_async(task)
	for debate: Dictionary in world["debates"]:
		await MemoryWorld.record_debate_async(debate).completed


func _print_dossier(dossier: Dictionary, in_full: bool) -> void:
	if in_full:
		RecallReport.print_heading("His dossier, for a model of 8 billion parameters")
		print(dossier["text"])
		RecallReport.print_heading("What was left out, and why")
		for each: Dictionary in dossier["left_out"]:
			print("%-10s %-16s %s" % [each["section"], each["reason"], each["id"]])
	var size := "8" if in_full else "4"
	RecallReport.print_heading("Tokens, for a model of %s billion parameters" % size)
	for section: String in dossier["sections"]:
		var told: Dictionary = dossier["sections"][section]
		if told["tokens"] > 0:
			print("%-10s %4d of %4d" % [section, told["tokens"], told["budget"]])
	print("%-10s %4d" % ["together", dossier["tokens"]])

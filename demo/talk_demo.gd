extends Node
## Mira of the Copper Kettle talks with the player, headless: ten lines, each with the prompt, her
## answer and what she remembers of it. Exit code 0 when it went through.
##
## The argument is the address of a server with OpenAI's API; without one she answers from memory.

const JsonFile := preload("json_file.gd")
const MemoryLoader := preload("memory_loader.gd")
const RecallReport := preload("recall_report.gd")

const SAVE_ID := "demo_talk"
const MEMORIES_FILE := "res://demo/memories/mira.json"
const SECONDS_PER_HOUR := 3600.0
const SECONDS_PER_DAY := 86400.0
const NOW := 57 * SECONDS_PER_DAY
const PROMPT_TOKENS := 1200
const OPTIONS := {"max_tokens": 70, "temperature": 0.8, "seed": 7}
const LINES: Array[String] = [
	"Good evening, Mira. It is Rowan. Is the Copper Kettle still open?",
	"I gave you my word about your roof. Did I keep it?",
	"Do you still remember the night I walked in out of the storm?",
	"What really happened to your husband Marcus?",
	"I promise to bring you firewood before the snow comes.",
	"Here, I brought you a jar of honey. It is a gift.",
	"What do you think of Elena and her dream of the sea?",
	"You are a liar, Mira, and I hate liars.",
	"I am sorry. I did not mean that. Will you forgive me?",
	"Good night. What did I promise you today?",
]

@onready var _mira: RAGMemory = $Mira
@onready var _mind: NPCMind = $Mira/NPCMind
@onready var _dialogue: NPCDialogue = $Mira/NPCDialogue


func _ready() -> void:
	var problem: String = await _run()
	if not problem.is_empty():
		printerr("\nThe demo stopped. ", problem)
	get_tree().quit(0 if problem.is_empty() else 1)


func _run() -> String:
	MemoryServer.set_clock(func() -> float: return NOW)
	if SAVE_ID in (await MemoryServer.list_saves_async().completed as PackedStringArray):
		await MemoryServer.delete_save_async(SAVE_ID).completed
	var opening: MemoryRequest = MemoryServer.open_save_async(SAVE_ID)
	await opening.completed
	if not opening.get_error().is_empty():
		return opening.get_error()
	var problem: String = await _remember()
	if not problem.is_empty():
		return problem
	_dialogue.mind = _mind
	_dialogue.personality = load("res://demo/villagers/mira.tres")
	_dialogue.world = NPCWorldKnowledge.new()
	_dialogue.world.player_name = "Rowan"
	_dialogue.analysis = false  # The model is too small for it.
	_dialogue.context_options = {"token_budget": PROMPT_TOKENS}
	_dialogue.model = _model()
	for index: int in LINES.size():
		RecallReport.print_heading("%d of %d" % [index + 1, LINES.size()])
		var request: MemoryRequest = _dialogue.say(LINES[index], OPTIONS)
		var answer: Dictionary = await request.completed
		if answer.is_empty():
			return request.get_error()
		_print(LINES[index], answer)
	var closing: MemoryRequest = MemoryServer.close_save_async()
	await closing.completed
	return closing.get_error()


func _remember() -> String:
	var file := JsonFile.new(MEMORIES_FILE)
	var memories: Array[Dictionary] = file.records()
	for each: Dictionary in memories:
		each["timestamp"] = each["day"] * SECONDS_PER_DAY + each["hour"] * SECONDS_PER_HOUR
		for whole: String in ["importance", "day", "hour"]:
			each[whole] = int(each[whole])
	if not file.problem.is_empty():
		return file.problem
	return await MemoryLoader.new().store_missing(_mira, memories, "key")


func _model() -> NPCLanguageModel:
	var arguments: PackedStringArray = OS.get_cmdline_user_args()
	if arguments.is_empty():
		print("There is no model: she answers from memory.")
		return null
	var model := NPCOpenAILanguageModel.new()
	model.base_url = arguments[0]
	model.timeout_seconds = 300.0
	model.answer_habit = 2  # It only speaks: the first answer comes word by word, too.
	return model


func _print(line: String, answer: Dictionary) -> void:
	for text: String in str(answer["prompt"]["prompt"]).split("\n"):
		print("    | ", text)
	RecallReport.print_wrapped('Rowan: "%s"' % line, "")
	RecallReport.print_wrapped('Mira: "%s"' % answer["response"], "")
	if not str(answer["error"]).is_empty():
		RecallReport.print_wrapped("The model: " + str(answer["error"]), "  ")
	if answer["from_memory"]:
		print("  (from memory)")
	var mood: Dictionary = _mind.get_emotion()
	var felt: Dictionary = _mind.get_disposition("player")
	print("  She feels %s, and %.0f of 100 for Rowan." % [mood["mood"], felt["strength"]])
	for each: Dictionary in answer["stored"]:
		RecallReport.print_wrapped("Remembered (%s): %s" % [each["event_type"], each["text"]], "  ")

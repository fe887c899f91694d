extends Node
## Frame times at 60 frames a second while answers of a language model stream in, and in turns with
## that while nothing happens.

const FRAMES_PER_SECOND := 60
const WARM_UP_SECONDS := 3.0

var _texts := 0
var _answers := 0
var _failed := 0
var _is_running := false


func measure(input: Dictionary) -> Dictionary:
	Engine.max_fps = FRAMES_PER_SECOND
	OS.low_processor_usage_mode = false
	var dialogues: Array[NPCDialogue] = []
	for number: int in input["streams"]:
		dialogues.append(_npc(number, input["url"] as String))
	await _frames(WARM_UP_SECONDS)
	var without: Array = []
	var streaming: Array = []
	for turn: int in input["turns"]:
		without.append(await _frames(input["seconds"] as float))
		_is_running = true
		for each in dialogues:
			_talk(each)
		await _frames(1.0)
		streaming.append(await _frames(input["seconds"] as float))
		_is_running = false
		for each in dialogues:
			each.cancel()
		await _frames(1.0)
	return {
		"without": without,
		"streaming": streaming,
		"texts": _texts,
		"answers": _answers,
		"failed": _failed,
		"engine": Engine.get_version_info()["string"],
	}


func _npc(number: int, url: String) -> NPCDialogue:
	var memory := RAGMemory.new()
	memory.npc_id = "npc_%d" % number
	add_child(memory)
	var model := NPCOpenAILanguageModel.new()
	model.base_url = url
	var dialogue := NPCDialogue.new()
	dialogue.model = model
	dialogue.chunk.connect(func(_text: String) -> void: _texts += 1)
	memory.add_child(dialogue)
	return dialogue


func _talk(dialogue: NPCDialogue) -> void:
	while _is_running:
		var answer: Dictionary = await dialogue.say("Tell me of the village.").completed
		_answers += 1 if answer else 0
		_failed += 1 if answer.get("from_memory", false) else 0


## The time from each frame to the next one, for this long.
func _frames(seconds: float) -> Array:
	var times_usec: Array = []
	var started_usec: int = Time.get_ticks_usec()
	var last_usec: int = started_usec
	while last_usec - started_usec < seconds * 1e6:
		await get_tree().process_frame
		var now_usec: int = Time.get_ticks_usec()
		times_usec.append(now_usec - last_usec)
		last_usec = now_usec
	return times_usec

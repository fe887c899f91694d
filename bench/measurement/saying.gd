extends Node
## What NPCDialogue.say(), greet() and react() cost the main thread, with a model that answers at
## once and without one, and what a question alone costs. message_log.py notes what the worker does.

const FrameClock := preload("frame_clock.gd")
const SLEEP_USEC := 4000
const WARM_UP := 4
const FRAMES_BETWEEN := 10
const LINES: Array[String] = [
	"What do you know of the old mill?",
	"I promise to bring you a lantern tomorrow.",
	"Do you remember what I told you about my sister?",
	"You have been kind to me. Thank you.",
	"Give me the key, or you will be sorry!",
	"Who lives at the lighthouse?",
	"My name is Tamsin, and I come from the coast.",
	"When does the market open?",
]
const SPOKEN := "The mill has stood empty since the flood, and nobody goes there at night."

var _dialogue: NPCDialogue
var _memory: RAGMemory
var _config := MemoryConfig.new()
var _mind_config := NPCMindConfig.new()
var _world := NPCWorldKnowledge.new()
var _clock: FrameClock


func measure(input: Dictionary) -> Dictionary:
	_clock = FrameClock.new(get_tree(), SLEEP_USEC)
	var now: float = input["now"]
	_fill_world()
	MemoryServer.set_clock(func() -> float: return now)
	if MemoryServer.open_save(input["save"] as String) != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	var samples := {"spans": []}
	for number: int in input["rounds"] as int:
		_make_npc("%s_%d" % [input["npc"], number])
		var span := await _measured("say", number)
		span.merge({"call": "first say", "way": "no model"})
		samples["spans"].append(span)
		_memory.queue_free()
	_make_npc(input["npc"] as String)
	for way: String in ["no model", "model", "model and analysis"]:
		_dialogue.model = null if way == "no model" else _model(way == "model and analysis")
		_dialogue.analysis = way == "model and analysis"
		for call: String in ["say", "greet", "react"]:
			for number: int in WARM_UP + (input["rounds"] as int):
				var span := await _measured(call, number)
				span.merge({"call": call, "way": way})
				if number >= WARM_UP:
					samples["spans"].append(span)
	for number: int in WARM_UP + (input["rounds"] as int):
		var span := await _measured("retrieve_scored", number)
		span.merge({"call": "retrieve_scored", "way": "alone"})
		if number >= WARM_UP:
			samples["spans"].append(span)
	samples["idle_usec"] = _clock.costs_usec(FrameClock.Kind.IDLE)
	samples["engine"] = Engine.get_version_info()["string"]
	return samples


func _make_npc(npc_id: String) -> void:
	_memory = RAGMemory.new()
	_memory.npc_id = npc_id
	_memory.config = _config
	add_child(_memory)
	var mind := NPCMind.new()
	mind.config = _mind_config
	_memory.add_child(mind)
	_dialogue = NPCDialogue.new()
	_dialogue.mind = mind
	_dialogue.personality = load("res://demo/villagers/mira.tres") as NPCPersonality
	_dialogue.world = _world
	_memory.add_child(_dialogue)


func _fill_world() -> void:
	for number: int in 40:
		var text := "Fact %d: the mill at the ford was built by the monks of Thornhaven." % number
		_world.add_fact("fact_%d" % number, text)
	for number: int in 20:
		_world.add_npc("npc_%d" % number, "Person%d" % number, ["the %dth" % number])


func _model(has_analysis: bool) -> NPCCallableLanguageModel:
	var answer := SPOKEN
	if has_analysis:
		var analysis := {
			"interaction_type": "casual_conversation",
			"player_tone": "friendly",
			"emotional_impact": "none",
			"trust_change": 1,
			"affection_change": 0,
			"fear_change": 0,
			"respect_change": 0,
			"familiarity_change": 1,
			"learned_about_player": {"name": "", "notable_facts": []},
		}
		answer = JSON.stringify({"response": SPOKEN, "analysis": analysis})
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String: return answer
	model.answer_habit = 2
	return model


func _measured(call: String, number: int) -> Dictionary:
	for _frame: int in FRAMES_BETWEEN:
		await get_tree().process_frame
	var frames := _clock.costs_usec(FrameClock.Kind.CALL).size()
	var begun := Time.get_unix_time_from_system()
	_clock.note(FrameClock.Kind.CALL)
	_clock.background = FrameClock.Kind.CALL
	var request: MemoryRequest
	match call:
		"say":
			request = _dialogue.say("%s (%d)" % [LINES[number % LINES.size()], number])
		"greet":
			request = _dialogue.greet()
		"react":
			request = _dialogue.react("The player draws a sword for the %dth time." % number)
		"retrieve_scored":
			request = _memory.retrieve_scored_async(
				"%s (%d, asked)" % [LINES[number % LINES.size()], number]
			)
	var answer: Variant = await request.completed
	var ended := Time.get_unix_time_from_system()
	_clock.background = FrameClock.Kind.IDLE
	var of_model: String = (answer as Dictionary).get("error", "") if answer is Dictionary else ""
	if request.get_error() or of_model:
		push_error("%s() failed: %s%s" % [call, request.get_error(), of_model])
	await get_tree().process_frame
	var costs := _clock.costs_usec(FrameClock.Kind.CALL).slice(frames)
	return {"begun": begun, "ended": ended, "frames_usec": costs}

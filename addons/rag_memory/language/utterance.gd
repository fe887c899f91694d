extends RefCounted
## One thing that an NPC says: the prompt is made, the model asked, its answer read and stored.
## [NPCDialogue] begins it; it goes on when that node is freed, but only to end.

## Something more that she says.
signal chunk(text: String)

enum RAGOccasion { LINE, GREETING, REACTION }

const RAGContextBuilder := preload("res://addons/rag_memory/prompt/npc_context_builder.gd")
const RAGLanguageModel := preload("res://addons/rag_memory/language/npc_language_model.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")

const PLAYER := "player"
## The answer_habit of a model that says nothing but speech.
const _CLEAR := 2
## The most characters that are shown in one frame.
const _SLICE := 8192
const _TEXT := {"type": "string"}
const _CHANGE := {"type": "integer"}
## The schema that the section response_schema asks for. The speech comes first.
const _SCHEMA := {
	"type": "object",
	"properties":
	{
		"response": _TEXT,
		"analysis":
		{
			"type": "object",
			"properties":
			{
				"interaction_type": _TEXT,
				"player_tone": _TEXT,
				"emotional_impact": _TEXT,
				"trust_change": _CHANGE,
				"affection_change": _CHANGE,
				"fear_change": _CHANGE,
				"respect_change": _CHANGE,
				"familiarity_change": _CHANGE,
				"promise_made": _TEXT,
				"promise_broken": _TEXT,
				"gift": _TEXT,
				"secret_revealed": _TEXT,
				"learned_about_player":
				{
					"type": "object",
					"properties":
					{"name": _TEXT, "notable_facts": {"type": "array", "items": _TEXT}},
				},
			},
		},
	},
	"required": ["response", "analysis"],
}
const _CANCELLED := "The request was cancelled."
const _FREED := "The NPC was freed before she had spoken."

## Completed with the answer.
var request := MemoryRequest.new()

var _memory: RAGMemory
var _mind: NPCMind
var _model: RAGLanguageModel
var _builder: RAGContextBuilder
var _occasion: RAGOccasion
var _said: String
var _player_name := ""
## What she says of herself without a model.
var _own_name: Dictionary = {}
var _is_analysed: bool
var _model_options: Dictionary
var _asked: MemoryRequest
## The number of the answer that is being read, see [method RAGMemory.begin_answer].
var _answer := 0
## The number by which the save knows that this talk began in it.
var _talk := 0
var _listeners: Array[String] = []
var _untold := ""
var _spoken := ""


## `said`: the player's line, or what happens. `is_analysed`: the model says what it makes of it.
func _init(
	memory: RAGMemory, occasion: RAGOccasion, said: String, context: Dictionary, is_analysed: bool
) -> void:
	_memory = memory
	_is_analysed = is_analysed
	if not is_analysed:
		var budgets := {}
		if context.get("budgets") != null:
			budgets = (context["budgets"] as Dictionary).duplicate()
		budgets.merge({"response_schema": 0, "interaction_types": 0})
		context["budgets"] = budgets
	_occasion = occasion
	_said = said
	for id: Variant in context.get("listeners", []):
		_listeners.append(str(id))
	var world: RAGWorldKnowledge = context.get("world_knowledge")
	if world != null:
		_player_name = world.player_name
	var personality: RAGNPCPersonality = context.get("personality")
	if personality != null:
		_own_name = {"npc_name": personality.display_name, "role": personality.role}
	_builder = RAGContextBuilder.new(memory, context)


## `mind` and `model` may be null. `options`: of [method NPCLanguageModel.generate_async].
func begin(mind: NPCMind, model: RAGLanguageModel, options: Dictionary) -> void:
	_mind = mind
	_model = model
	_model_options = options
	_run(self)


## Holds the utterance until it has ended.
static func _run(own: RefCounted) -> void:
	await own.call(&"_speak")


func _speak() -> void:
	var prompt := await _prepared()
	if _is_over():
		return
	var answer := await _answered(prompt)
	if _is_over():
		return
	var heading := _memory.generate_relationship_header_async()
	var header: Dictionary = await heading.completed
	if _is_over():
		return
	answer["from_memory"] = str(answer.get("response", "")).is_empty()
	if answer["from_memory"]:
		answer["response"] = await _from_memory()
	await _tell_rest(answer["response"] as String)
	if _is_over():
		return
	await _end_if_loaded()
	if _is_over():
		return
	var recorded: Dictionary = await _record(answer, header)
	if not answer["error"]:
		answer["error"] = heading.get_error()
	answer["memories"] = prompt["memories"]
	answer["prompt"] = prompt
	answer["stored"] = recorded.get("stored", [])
	_end(answer, "")


## Tells the mind what was said, and returns the prompt. The save takes note that a talk began.
func _prepared() -> Dictionary:
	var beginning := _memory.begin_answer_async()
	_talk = await beginning.completed
	if beginning.get_error():
		_end({}, beginning.get_error())
	if not _is_over() and _mind != null and _occasion == RAGOccasion.LINE:
		await _mind.perceive_async(_event()).completed
	if _is_over():
		return {}
	var prompting := _prompting()
	var prompt: Dictionary = await prompting.completed
	if prompting.get_error():
		_end({}, prompting.get_error())
	return prompt


## Ends when the game was loaded meanwhile: a save that has forgotten the talk stores nothing of it.
func _end_if_loaded() -> void:
	var ending := _memory.end_answer_async(_talk)
	await ending.completed
	if ending.get_error():
		_end({}, ending.get_error())


func _event() -> Dictionary:
	var event := {"action": "conversed", "content": _said, "source_id": PLAYER}
	if _player_name:
		event["source_name"] = _player_name
	return event


func _prompting() -> MemoryRequest:
	match _occasion:
		RAGOccasion.GREETING:
			return _builder.greeting_async()
		RAGOccasion.REACTION:
			return _builder.reaction_async(_said)
	return _builder.build_prompt_async(_said)


## Returns what the model says; nothing without one. `error` says why it did not answer as it
## should. A model that was stopped before it spoke is asked again, and not stopped at a line.
func _answered(prompt: Dictionary) -> Dictionary:
	var answer := {"response": "", "analysis": {}, "is_json": false, "error": "", "reasoning": ""}
	answer["warnings"] = PackedStringArray()
	for attempt: int in 2:
		if _model == null or _is_over():
			return answer
		var stops := not _is_analysed and attempt == 0 and _model.answer_habit == _CLEAR
		var beginning := _memory.begin_answer_async(_speakers())
		_answer = await beginning.completed
		if beginning.get_error():
			answer["error"] = beginning.get_error()
		if _is_over() or answer["error"]:
			return answer
		var problem := await _ask(prompt, stops)
		if _is_over():
			return answer
		var reading := _memory.end_answer_async(_answer)
		var read: Dictionary = await reading.completed
		if reading.get_error():
			_end({}, reading.get_error())
			return answer
		answer.merge(read, true)
		answer["error"] = problem
		for key: String in ["habit", "rest"]:
			answer.erase(key)
		_model.answer_habit = read["habit"]
		answer["warnings"] = PackedStringArray(read["warnings"] as Array)
		if answer["response"] or not stops:
			break
	return answer


func _speakers() -> Dictionary:
	var others: Array[String] = [PLAYER, _player_name]
	others.append_array(_listeners)
	return {
		"names": _builder.speaker_names(),
		"others": others,
		"habit": _model.answer_habit,
		"only_speech": not _is_analysed,
	}


## Asks the model. Returns why it did not answer as it should. With `stops` it ends with the line.
func _ask(prompt: Dictionary, stops: bool) -> String:
	var options := _model_options.duplicate()
	if _is_analysed:
		options["json_schema"] = _SCHEMA
	elif stops:
		options.merge({"stop": ["\n"]})
	_model.chunk.connect(_hear)
	_asked = _model.generate_async(prompt["messages"] as Array, options)
	while not _asked.is_completed():
		await (Engine.get_main_loop() as SceneTree).process_frame
		_tell_some()
		if request.is_cancelled() or not is_instance_valid(_memory):
			_asked.cancel()
	_model.chunk.disconnect(_hear)
	return _asked.get_error()


func _hear(from: MemoryRequest, text: String) -> void:
	if from == _asked and not request.is_cancelled() and is_instance_valid(_memory):
		_tell_when_read(_memory.hear_answer_async(_answer, text))


func _tell_when_read(reading: MemoryRequest) -> void:
	var said: String = await reading.completed
	if reading.get_error() and _asked != null:
		_asked.cancel()
	if not request.is_cancelled() and not request.is_completed():
		_untold += said
		_tell_some()


## Emits as much of what is to be told as one frame takes.
func _tell_some() -> void:
	if _untold and not request.is_cancelled():
		_tell(_untold.left(_SLICE))
		_untold = _untold.substr(_SLICE)


func _tell(text: String) -> void:
	if text:
		_spoken += text
		chunk.emit(text)


## Emits the text that was not emitted while the answer came: all of it, or the end.
func _tell_rest(response: String) -> void:
	if _is_over():
		return
	_untold = ""
	var said := _spoken.strip_edges()
	if not response.begins_with(said):
		return
	var rest := response.substr(said.length())
	while rest.length() > _SLICE and not _is_over():
		_tell(rest.left(_SLICE))
		rest = rest.substr(_SLICE)
		await (Engine.get_main_loop() as SceneTree).process_frame
	if not _is_over():
		_tell(rest)


func _from_memory() -> String:
	var options := {"player_name": _player_name, "listeners": _listeners, "has_mind": _mind != null}
	options.merge(_own_name)
	var occasion: String = RAGOccasion.find_key(_occasion)
	var asking := _memory.answer_from_memory_async(occasion.to_lower(), _said, options)
	var answer: Dictionary = await asking.completed
	return answer.get("response", "")


func _record(answer: Dictionary, header: Dictionary) -> Dictionary:
	if _occasion == RAGOccasion.REACTION:
		var id: String = await _memory.store_witnessed_event_async(_said).completed
		return {"stored": [{"id": id, "event_type": "witnessed_event", "text": _said}]}
	if _occasion == RAGOccasion.GREETING and _has_met(header):
		# Nothing to remember, but said all the same.
		var options := {"memories": [], "from_memory": answer["from_memory"]}
		await _memory.store_turn_async("", answer["response"] as String, options).completed
		return {}
	var line := _said if _occasion == RAGOccasion.LINE else ""
	return await _builder.record_exchange_async(line, answer).completed


static func _has_met(header: Dictionary) -> bool:
	var relationship: Dictionary = header.get("metadata", {}).get("relationship", {})
	return relationship.get("met", false)


## Returns whether it has ended, or ends now.
func _is_over() -> bool:
	if request.is_completed():
		return true
	if request.is_cancelled():
		_end({}, _CANCELLED)
	elif not is_instance_valid(_memory):
		_end({}, _FREED)
	return request.is_completed()


func _end(answer: Dictionary, error: String) -> void:
	if not request.is_completed():
		request.complete(answer, error)

extends RefCounted
## One thing that an NPC says: an exchange is begun, the model asked, the exchange finished.
## [NPCDialogue] begins it; it goes on when that node is freed, but only to end.

## Something more that she says.
signal chunk(text: String)

const RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")
const RAGLanguageModel := preload("res://addons/rag_memory/language/npc_language_model.gd")

## The answer_habit of a model that says nothing but speech.
const _CLEAR := 2
## The most characters that are shown in one frame.
const _SLICE := 8192
const _CANCELLED := "The request was cancelled."
const _LOST := ' The line "%s" is not remembered.'
const _FREED := "The NPC was freed before she had spoken."

## The answer of the game; empty for that of the model.
var text := ""
## The request to undo the exchange that this one replaces, or null.
var undoing: MemoryRequest
## Completed with the answer.
var request := MemoryRequest.new()

var _memory: RAGMemory
var _model: RAGLanguageModel
var _is_analysed: bool
var _model_options: Dictionary
## Request to give up when the utterance is cancelled.
var _pending: MemoryRequest
## The id of the exchange.
var _exchange := ""
## The JSON schema that the prompt asks for.
var _schema := {}
# What is lost when the exchange cannot be finished, as the end of an error.
var _loss := ""
var _untold := ""
var _spoken := ""


## `model` may be null. `is_analysed`: it says what it makes of the line. `options`: of
## [method NPCLanguageModel.generate_async].
func _init(
	memory: RAGMemory, model: RAGLanguageModel, is_analysed: bool, options: Dictionary
) -> void:
	_memory = memory
	_model = model
	_is_analysed = is_analysed
	_model_options = options


## `occasion`: "line", "greeting" or "reaction". `said`: the player's line, or what happens.
## `context`: the options of [method NPCContextBuilder.build].
func begin(occasion: String, said: String, context: Dictionary) -> void:
	_run(self, occasion, said, context)


## Returns whether anything of what she says was emitted.
func has_spoken() -> bool:
	return not _spoken.is_empty()


## Gives up: the request completes, and nothing more is said or stored.
func cancel() -> void:
	request.cancel()
	if _pending != null:
		_pending.cancel()


## Holds the utterance until it has ended.
static func _run(own: RefCounted, occasion: String, said: String, context: Dictionary) -> void:
	await own.call(&"_speak", occasion, said, context)


func _speak(occasion: String, said: String, context: Dictionary) -> void:
	if undoing != null:
		await _result_of(undoing)
		if _is_over():
			return
	var habit := _model.answer_habit if _model != null else 1
	var prompt: Dictionary = await _result_of(
		_memory.begin_exchange_async(
			occasion,
			said,
			RAGSentOptions.of(context),
			RAGSentOptions.defaults_of(_memory, _memory, context),
			{"analysis": _is_analysed, "habit": habit}
		)
	)
	if _is_over():
		return
	_exchange = prompt["exchange"]
	_loss = _LOST % said.left(60) if occasion == "line" else ""
	_schema = prompt["schema"]
	prompt.erase("exchange")
	prompt.erase("schema")
	var answer := await _answered(prompt)
	if _is_over():
		return
	answer["warnings"] = PackedStringArray(answer["warnings"] as Array)
	answer["memories"] = prompt["memories"]
	answer["prompt"] = prompt
	for key: String in ["habit", "rest"]:
		answer.erase(key)
	await _tell_rest(answer["response"] as String)
	_end(answer, "")


## Returns the finished exchange. A model that was stopped before it spoke is asked again, and not
## stopped at a line.
func _answered(prompt: Dictionary) -> Dictionary:
	if _model == null or text:
		var own := {"response": text} if text else {}
		var unaided := await _result_of(_memory.finish_exchange_async(_exchange, own))
		_undo_if_cancelled(unaided)
		return unaided
	var answer := {}
	for attempt: int in 2:
		var stops := not _is_analysed and attempt == 0 and _model.answer_habit == _CLEAR
		var problem := await _ask(prompt, stops)
		if _is_over():
			return {}
		var result := {"text": "", "error": problem, "was_stopped": stops}
		answer = await _result_of(_memory.finish_exchange_async(_exchange, result))
		_undo_if_cancelled(answer)
		if _is_over():
			return {}
		_model.answer_habit = answer["habit"]
		if not answer.has("again"):
			break
	return answer


## Takes back what was stored after all, because the answer was ready before it was cancelled.
func _undo_if_cancelled(answer: Dictionary) -> void:
	if request.is_cancelled() and answer.has("stored") and is_instance_valid(_memory):
		_memory.undo_exchange_async(_exchange)


## Asks the model. Returns why it did not answer as it should. With `stops` it ends with the line.
func _ask(prompt: Dictionary, stops: bool) -> String:
	var options := _model_options.duplicate()
	if _is_analysed:
		options["json_schema"] = _schema
	elif stops:
		options.merge({"stop": ["\n"]})
	_model.chunk.connect(_hear)
	_pending = _model.generate_async(prompt["messages"] as Array, options)
	while not _pending.is_completed():
		await (Engine.get_main_loop() as SceneTree).process_frame
		_tell_some()
		if request.is_cancelled() or not is_instance_valid(_memory):
			_pending.cancel()
	_model.chunk.disconnect(_hear)
	return _pending.get_error()


func _hear(from: MemoryRequest, text: String) -> void:
	if from == _pending and not request.is_cancelled() and is_instance_valid(_memory):
		_tell_when_read(_memory.hear_exchange_async(_exchange, text), from)


func _tell_when_read(reading: MemoryRequest, asked: MemoryRequest) -> void:
	var said: String = await reading.completed
	if reading.get_error():
		asked.cancel()
		if not _is_over():
			_end({}, reading.get_error() + _loss)
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


## Waits for a call of the memory. An error of it is the end.
func _result_of(pending: MemoryRequest) -> Dictionary:
	_pending = pending
	var result: Dictionary = await pending.completed
	if pending.get_error():
		_end({}, pending.get_error() + _loss)
	return result


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

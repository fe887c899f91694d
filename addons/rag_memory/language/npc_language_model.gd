@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCLanguageModel
extends Resource
## A language model, wherever it runs: the base of [NPCOpenAILanguageModel],
## [NPCOllamaLanguageModel], [NPCAnthropicLanguageModel] and [NPCCallableLanguageModel].
##
## It never blocks a frame. Calls wait in a queue: dialogue first, background work only while no
## dialogue waits or runs.
## [codeblock]
## var model := NPCOpenAILanguageModel.new()
## var question := {"role": "user", "content": "Who are you?"}
## var answer: String = await model.generate_async([question]).completed
## [/codeblock]

## Emitted while an answer comes, on the main thread, at most once a frame for each request. The
## text is raw: it may hold reasoning, and with the option [code]json_schema[/code] it is JSON.
signal chunk(request: MemoryRequest, text: String)

const _RAGLanguageCall := preload("res://addons/rag_memory/language/language_call.gd")
const _RAGCallOptions := preload("res://addons/rag_memory/language/call_options.gd")

const _HOUR_MSEC := 3_600_000
const _CANCELLED := "The request was cancelled."

## The name by which the server knows the model. Empty for the first one it has.
@export var model_name := ""
## The sampling temperature, 0 to 2. At -1 the server decides.
@export_range(-1.0, 2.0, 0.05) var temperature := -1.0
## The longest answer, in tokens. A token is about four characters of English.
@export_range(1, 32768) var max_tokens := 512
## The seconds that the model may send nothing before the call fails. The whole answer may take ten
## times as long.
@export_range(0.1, 600.0, 0.1, "suffix:s") var timeout_seconds := 60.0
## Number of retries of a request that a busy or failing server refused (429 and 5xx). Never
## after the answer has begun.
@export_range(0, 10) var retries := 2
## Number of calls that may run at the same time. Background work has at most one of them.
@export_range(1, 16) var max_parallel_calls := 2
## Number of calls that background work may begin in an hour of play, so that it does not use up a
## paid key. 0 for as many as it likes. Dialogue is not limited.
@export_range(0, 10000) var max_calls_per_hour := 60

## The way in which its answers begin, as [method RAGMemory.finish_exchange] says. [NPCDialogue]
## shows the words of a model as they come once it knows that they are not reasoning: the first
## answer comes as a whole. 1: not known. 2: with speech. 3: with reasoning in tags. 4: with
## reasoning of which only the end has a tag. Set it to have the first answer as it comes, too.
@export_enum("Not known:1", "Speech:2", "Tags:3", "End tag only:4") var answer_habit := 1

var _waiting: Array[_RAGLanguageCall] = []
var _running: Array[_RAGLanguageCall] = []
var _background_starts_msec := PackedInt64Array()
## The work on memories that did not succeed: a warning said so, once.
var _told_works := PackedStringArray()
var _usage := {"calls": 0, "failed": 0, "input_tokens": 0, "output_tokens": 0}


## Asks the model, and returns its answer without the reasoning that its server may leave in it.
## [param messages] is an array of [code]{role, content}[/code]; a role is
## [code]"system"[/code], [code]"user"[/code] or [code]"assistant"[/code]. The result is the answer,
## a String; with the option [code]json_schema[/code] it is a Dictionary that fits the schema. When
## the call fails the result is empty, and [method MemoryRequest.get_error] says why.
## [method MemoryRequest.cancel] closes the connection. An answer of more than 65536 characters is
## an error, whether it streams or comes complete.[br]
## Keys of [param options]: [code]temperature[/code], [code]max_tokens[/code],
## [code]timeout[/code] (seconds) and [code]retries[/code] in place of the properties;
## [code]stop[/code], an Array of Strings that end the answer; [code]seed[/code];
## [code]json_schema[/code], a JSON schema of an object; [code]priority[/code],
## [code]"dialogue"[/code] or [code]"background"[/code].
## [codeblock]
## var moods := {"mood": {"type": "string"}}
## var schema := {"type": "object", "properties": moods, "required": ["mood"]}
## var messages := [{"role": "user", "content": "How do you feel?"}]
## var model := NPCOpenAILanguageModel.new()
## var request := model.generate_async(messages, {"json_schema": schema, "max_tokens": 60})
## var answer: Dictionary = await request.completed
## print(answer.get("mood", request.get_error()))
## [/codeblock]
func generate_async(messages: Array, options: Dictionary = {}) -> MemoryRequest:
	var call := _RAGLanguageCall.new()
	var checked := _RAGCallOptions.new(messages, options)
	call.messages = checked.messages
	if checked.is_endless:
		call.options = {"json_schema": {}} if options.has("json_schema") else {}
	else:
		call.options = options.duplicate(true)
		call.is_background = str(options.get("priority", "dialogue")) == "background"
	if checked.problem:
		call.problem = "%s.generate_async(): %s." % [_own_name(), checked.problem]
		push_error(call.problem)
	return _enqueue(call)


## Returns whether the model can be asked at this moment: its server answers, and the game may reach
## it. The result is a bool; [method MemoryRequest.get_error] says why it is [code]false[/code].
func is_available_async() -> MemoryRequest:
	var available := MemoryRequest.new()
	_look(available)
	return available


## The names of the models that the server has, a [PackedStringArray].
func get_models_async() -> MemoryRequest:
	var call := _RAGLanguageCall.new()
	call.is_list = true
	return _enqueue(call)


## Does the work of a property of [MemoryServer], such as [code]"summarizer"[/code], in the
## background. MemoryServer calls it when the property is set to the model:
## [codeblock]
## MemoryServer.summarizer = NPCOpenAILanguageModel.new()
## [/codeblock]
## [param request] is what MemoryServer asks such a property with: its [code]messages[/code] and
## [code]schema[/code] go to the model. The result is for MemoryServer, which reads the answer: a
## function of yours may return it. It is [code]null[/code], with a warning, when the model does not
## answer: then the work is done without a model.
func answer_memory_async(work: String, request: Dictionary) -> MemoryRequest:
	var done := MemoryRequest.new()
	_do_work_to_the_end(self, work, request, done)
	return done


## Returns the usage since the game began. [code]calls[/code] is how many calls were begun and are
## over. One that is refused before (a host that is not allowed, a key that is missing, a wrong
## option, no budget) or cancelled before is none of them. [code]failed[/code] is how many of them
## gave nothing of use, without those that were cancelled. [code]input_tokens[/code] and
## [code]output_tokens[/code] are as far as the server tells. [code]waiting[/code],
## [code]running[/code] and [code]background_calls_this_hour[/code] are those of this moment.
func get_usage() -> Dictionary:
	_forget_old_starts()
	var result := _usage.duplicate()
	result["waiting"] = _waiting.size()
	result["running"] = _running.size()
	result["background_calls_this_hour"] = _background_starts_msec.size()
	return result


## Begins a call. It is done once `is_done` is true.
func _start(call: _RAGLanguageCall) -> void:
	call.problem = (
		"An NPCLanguageModel alone cannot answer. Use NPCOpenAILanguageModel, NPCOllamaLanguageModel,"
		+ " NPCAnthropicLanguageModel or NPCCallableLanguageModel."
	)
	call.is_done = true


## Each frame, as long as it runs.
func _poll(_call: _RAGLanguageCall) -> void:
	pass


## Begins to end a call that was cancelled. No frame waits for it.
func _give_up(call: _RAGLanguageCall) -> void:
	call.is_done = true


## Ends a call at once, because the game ends.
func _stop(_call: _RAGLanguageCall) -> void:
	pass


func _option(call: _RAGLanguageCall, name: String, property: Variant) -> Variant:
	return call.options.get(name, property)


func _own_name() -> String:
	return (get_script() as Script).get_global_name()


func _look(available: MemoryRequest) -> void:
	var models := get_models_async()
	await models.completed
	available.complete(models.get_error().is_empty(), models.get_error())


## Holds the model until it has answered.
static func _do_work_to_the_end(
	own: Resource, work: String, request: Dictionary, done: MemoryRequest
) -> void:
	await own.call(&"_do_work", work, request, done)


func _do_work(work: String, request: Dictionary, done: MemoryRequest) -> void:
	var problem := ""
	var result: Variant = null
	if request.get("messages") is Array and request.get("schema") is Dictionary:
		var options := {"json_schema": request["schema"], "priority": "background"}
		var asked := generate_async(request["messages"] as Array, options)
		var answer: Dictionary = await asked.completed
		problem = asked.get_error()
		if not problem:
			result = {"model_answer": answer}
	else:  # Whoever asks has to be able to wait for `completed`.
		await (Engine.get_main_loop() as SceneTree).process_frame
		problem = "the request has no messages and no schema. Pass on what MemoryServer asks with."
	if problem and not work in _told_works:
		_told_works.append(work)
		var words := "A language model failed as the %s, which works without it: %s"
		push_warning(words % [work, problem])
	done.complete(result)


func _enqueue(call: _RAGLanguageCall) -> MemoryRequest:
	call.model = self
	if OS.get_thread_caller_id() == OS.get_main_thread_id():
		_wait(call)
	else:
		_wait.call_deferred(call)
	return call.request


func _wait(call: _RAGLanguageCall) -> void:
	var tree := Engine.get_main_loop() as SceneTree
	if not tree.process_frame.is_connected(_pump):
		tree.process_frame.connect(_pump)
		tree.root.tree_exiting.connect(_end_all)
	_waiting.append(call)


## Each frame, as long as there are calls.
func _pump() -> void:
	for call: _RAGLanguageCall in _running.duplicate():
		_poll(call)
		var text := call.answer.take_new()
		if text and not call.request.is_cancelled():
			chunk.emit(call.request, text)
		if call.request.is_cancelled():
			call.problem = _CANCELLED
			if not call.is_done:
				_give_up(call)
		if call.is_done:
			_end(call)
	for call: _RAGLanguageCall in _waiting.duplicate():
		if call.request.is_cancelled():
			call.problem = _CANCELLED
		if call.problem:
			_end(call)
		elif _may_start(call):
			_begin(call)
	if _waiting.is_empty() and _running.is_empty():
		_let_go()


func _may_start(call: _RAGLanguageCall) -> bool:
	if (
		_running.size() >= maxi(1, max_parallel_calls)
		or call.not_before_msec > Time.get_ticks_msec()
	):
		return false
	if not call.is_background:
		return true
	return _running.is_empty() and _waiting.all(_is_background)


static func _is_background(call: _RAGLanguageCall) -> bool:
	return call.is_background


func _begin(call: _RAGLanguageCall) -> void:
	if call.is_background and call.attempts == 0:
		_forget_old_starts()
		if max_calls_per_hour > 0 and _background_starts_msec.size() >= max_calls_per_hour:
			call.problem = (
				"max_calls_per_hour, %d, was reached: the background asks no more for a while."
				% max_calls_per_hour
			)
			_end(call)
			return
		_background_starts_msec.append(Time.get_ticks_msec())
	_waiting.erase(call)
	_running.append(call)
	call.attempts += 1
	_start(call)


func _end(call: _RAGLanguageCall) -> void:
	_waiting.erase(call)
	_running.erase(call)
	_complete_when_read(self, call)


## Holds the model until the answer is read.
static func _complete_when_read(own: Resource, call: _RAGLanguageCall) -> void:
	await call.read()
	if call.request.is_cancelled():
		call.problem = _CANCELLED
	if not call.request.is_completed():
		own.call(&"_complete", call)


func _complete(call: _RAGLanguageCall) -> void:
	call.settle()
	if call.is_begun and not call.is_list:
		_usage["calls"] += 1
		_usage["failed"] += 1 if call.problem and not call.request.is_cancelled() else 0
		_usage["input_tokens"] += call.answer.input_tokens
		_usage["output_tokens"] += call.answer.output_tokens
	call.complete()


func _forget_old_starts() -> void:
	var now := Time.get_ticks_msec()
	while not _background_starts_msec.is_empty() and now - _background_starts_msec[0] > _HOUR_MSEC:
		_background_starts_msec.remove_at(0)


func _let_go() -> void:
	var tree := Engine.get_main_loop() as SceneTree
	tree.process_frame.disconnect(_pump)
	tree.root.tree_exiting.disconnect(_end_all)


## The game ends.
func _end_all() -> void:
	for call: _RAGLanguageCall in _running + _waiting:
		call.problem = "The game ends."
		_stop(call)
		_end(call)
	_let_go()

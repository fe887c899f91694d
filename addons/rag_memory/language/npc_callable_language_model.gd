@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCCallableLanguageModel
extends NPCLanguageModel
## A language model that a function of the game asks: NobodyWho, godot-llm and others that run in
## the game itself.
## [codeblock]
## var model := NPCCallableLanguageModel.new()
## model.callable = func(messages: Array, _options: Dictionary) -> String:
##     return await my_language_model.ask(messages[0]["content"], messages[-1]["content"])
## [/codeblock]

const _RAGAnswerSchema := preload("res://addons/rag_memory/language/answer_schema.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

## Takes the messages (Array of [code]{role, content}[/code]) and the options of
## [method NPCLanguageModel.generate_async]; returns the answer, a String. It may
## [code]await[/code].
## For text that streams it calls [code]options["on_chunk"][/code], a Callable that takes the next
## piece; then what it returns is used only if nothing was passed on. When the request is cancelled,
## [code]options["request"][/code] says so by [method MemoryRequest.is_cancelled].
var callable: Callable


func _start(call: _RAGLanguageCall) -> void:
	if not callable.is_valid():
		call.problem = "NPCCallableLanguageModel.callable is not set, or its object was freed."
		call.is_done = true
	elif callable.get_method() and callable.get_argument_count() < 2:
		call.problem = (
			"NPCCallableLanguageModel.callable takes %d arguments. It has to take two: messages, options."
			% callable.get_argument_count()
		)
		call.is_done = true
	elif call.is_list:
		call.result = PackedStringArray([model_name if model_name else "callable"])
		call.is_done = true
	else:
		call.is_begun = true
		_ask_to_the_end(self, call)


func _poll(call: _RAGLanguageCall) -> void:
	var limit: float = _option(call, "timeout", timeout_seconds)
	if Time.get_ticks_msec() - call.heard_msec > minf(limit, 3600.0) * 1000.0 and not call.is_done:
		call.problem = (
			"The function of NPCCallableLanguageModel gave nothing for %s seconds." % limit
		)
		call.is_done = true


## Holds the model until the function has returned, also when nobody waits for it any more.
static func _ask_to_the_end(own: Resource, call: _RAGLanguageCall) -> void:
	await own.call(&"_ask", call)


func _ask(call: _RAGLanguageCall) -> void:
	var options := call.options.duplicate()
	options["max_tokens"] = _option(call, "max_tokens", max_tokens)
	options["on_chunk"] = _add.bind(call)
	options["request"] = call.request
	var messages: Array = call.messages.duplicate(true)
	if call.options.has("json_schema"):
		messages.push_front({"role": "system", "content": _RAGAnswerSchema.wish(call.schema())})
	call.heard_msec = Time.get_ticks_msec()
	var answer: Variant = await callable.call(messages, options)
	if call.is_done:
		return
	if call.answer.length() == 0:
		call.answer.add(answer)
	if not answer is String and call.answer.length() == 0:
		var words := "The function of NPCCallableLanguageModel returned %s, no String."
		call.problem = words % _RAGValueLimits.shown(answer)
	elif call.answer.problem:
		call.problem = "The function of NPCCallableLanguageModel went wrong: " + call.answer.problem
	call.is_done = true


static func _add(text: Variant, call: _RAGLanguageCall) -> void:
	call.answer.add(str(text))
	call.heard_msec = Time.get_ticks_msec()

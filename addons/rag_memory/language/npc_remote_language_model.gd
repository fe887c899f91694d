@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCRemoteLanguageModel
extends NPCLanguageModel
## A language model behind HTTP: what [NPCOpenAILanguageModel], [NPCOllamaLanguageModel] and
## [NPCAnthropicLanguageModel] have in common.
##
## The game reaches only the hosts of [b]Project Settings > General > Rag Memory > Network > Allowed
## Hosts[/b]. A key never stands in a property: it is read from the environment or from a file under
## [code]user://[/code] when it is needed.

const _RAGHttpExchange := preload("res://addons/rag_memory/language/http_exchange.gd")
const _RAGLanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")
const _RAGServerQuestion := preload("res://addons/rag_memory/language/server_question.gd")
const _RAGStreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")
const _RAGAnswerSchema := preload("res://addons/rag_memory/language/answer_schema.gd")

## Status codes of servers that do not support schemas.
const _SCHEMA_REFUSED: Array[int] = [400, 422, 501]
const _LONGEST_WAIT_SECONDS := 60.0

## The address of the server, such as [code]http://127.0.0.1:8080/v1[/code].
@export var base_url := ""
## The name of the environment variable that holds the key. The key itself never stands here.
@export var api_key_variable := ""
## A file under [code]user://[/code] whose first line is the key, for keys that the player enters.
## It is read when the environment variable is empty.
@export var api_key_file := ""

## [code]true[/code] if the server was found to know no schema.
var _asks_for_schema := false


## The path below [member base_url] and the body (Dictionary) of a question.
func _question(_call: _RAGLanguageCall) -> Array:
	return ["", {}]


## The path below [member base_url] that lists the models.
func _models_path() -> String:
	return ""


## The names of the models in the server's list.
func _models_in(list_of_models: Dictionary) -> PackedStringArray:
	return _names_in(list_of_models.get("data"), "id")


## Headers besides the content type.
func _headers(key: String) -> PackedStringArray:
	return _RAGServerQuestion.bearer(key)


## Returns whether the server is asked to keep the schema.
func _is_schema_kept(call: _RAGLanguageCall) -> bool:
	return call.options.has("json_schema") and not call.asks_for_schema


## The messages to send, with the schema in words when the server does not know how to keep it.
func _messages(call: _RAGLanguageCall) -> Array:
	var messages: Array = call.messages.duplicate()
	if call.options.has("json_schema") and call.asks_for_schema:
		messages.push_front({"role": "system", "content": _RAGAnswerSchema.wish(call.schema())})
	return messages


## Returns whether another form of the question may do after what the server said of this one.
func _has_other_form(_error: String) -> bool:
	return false


## Adds an event of the stream to the answer. Runs on another thread.
static func _read_event(_event: Dictionary, _answer: _RAGLanguageAnswer) -> void:
	pass


func _start(call: _RAGLanguageCall) -> void:
	if call.is_list:
		_send(call, HTTPClient.METHOD_GET, _models_path(), {}, _keep.bind(call), _end_list)
		return
	call.asks_for_schema = call.asks_for_schema or _asks_for_schema
	var question := _question(call)
	var read_event: Callable = (get_script() as Script)._read_event
	_send(
		call,
		HTTPClient.METHOD_POST,
		question[0] as String,
		question[1] as Dictionary,
		read_event,
		_end_answer
	)


## Asks the server. [param read_event] takes an event (Dictionary) and the answer on another thread;
## [param then] takes the call and its exchange once that is done.
func _send(
	call: _RAGLanguageCall,
	method: HTTPClient.Method,
	path: String,
	body: Dictionary,
	read_event: Callable,
	then: Callable
) -> void:
	var asked := _RAGServerQuestion.new(base_url, api_key_variable, api_key_file)
	call.problem = asked.problem
	if call.problem:
		call.is_done = true
		return
	var timeout: float = _option(call, "timeout", timeout_seconds)
	var reader := _RAGStreamReader.new(read_event, call.answer)
	call.then = then
	call.is_begun = true
	call.exchange = asked.start(method, path, _headers(asked.key), body, reader, timeout)


## Keeps a whole JSON as it is. On another thread.
static func _keep(event: Dictionary, answer: _RAGLanguageAnswer, call: _RAGLanguageCall) -> void:
	call.list = event
	answer.is_complete = true


func _poll(call: _RAGLanguageCall) -> void:
	if call.exchange == null:
		return
	call.exchange.unstick()
	if not call.exchange.is_done():
		return
	call.exchange.join()
	var exchange := call.exchange
	call.exchange = null
	if call.request.is_cancelled():
		call.is_done = true
	else:
		call.then.call(call, exchange)


func _end_list(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> void:
	call.problem = exchange.problem
	call.result = _models_in(call.list)
	call.is_done = true


func _end_answer(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> void:
	var is_whole := call.answer.is_complete and not call.answer.is_too_long
	call.problem = "" if is_whole else exchange.problem
	if call.problem and _is_to_be_repeated(call, exchange):
		call.problem = ""
		_running.erase(call)
		_waiting.push_front(call)
		return
	if call.asks_for_schema and call.answer.is_complete:
		_asks_for_schema = true
	if call.answer.is_complete and call.answer.length() == 0:
		call.problem = "The model answered without a word."
		if call.answer.finish_reason == "length":
			call.problem += " It used up max_tokens before: set it higher."
	call.is_done = true


## Returns whether the question is to be asked again.
func _is_to_be_repeated(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> bool:
	if call.answer.length() > 0:
		return false
	var most: int = _option(call, "retries", retries)
	if exchange.status == 400 and _has_other_form(exchange.error_body):
		return true
	if exchange.status in _SCHEMA_REFUSED and _is_schema_kept(call):
		call.asks_for_schema = true
	elif exchange.status in _RAGServerQuestion.RETRIED and call.attempts <= most:
		var wait := exchange.retry_after
		if wait < 0.0:
			wait = pow(2.0, call.attempts - 1)
		if wait > _LONGEST_WAIT_SECONDS:
			call.problem += " It asks to wait %d seconds." % ceili(wait)
			return false
		call.not_before_msec = Time.get_ticks_msec() + int(wait * 1000.0)
	else:
		return false
	return true


func _give_up(call: _RAGLanguageCall) -> void:
	if call.exchange != null:
		call.exchange.give_up()
	else:
		call.is_done = true


func _stop(call: _RAGLanguageCall) -> void:
	if call.exchange != null:
		call.exchange.give_up()
		call.exchange.join()
		call.exchange = null


## The names in a list of Dictionaries, under [param key].
static func _names_in(list: Variant, key: String) -> PackedStringArray:
	var names := PackedStringArray()
	for item: Variant in list if list is Array else []:
		if item is Dictionary and (item as Dictionary).get(key) is String:
			names.append(item[key] as String)
	return names

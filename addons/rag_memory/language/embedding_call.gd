extends RefCounted
## A question for vectors that is under way: to a server, asked again while that is busy, until its
## time is over.

const RAGHttpExchange := preload("res://addons/rag_memory/language/http_exchange.gd")
const RAGLanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")
const RAGServerQuestion := preload("res://addons/rag_memory/language/server_question.gd")
const RAGStreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")

## Status codes of servers that refuse a text.
const _REFUSALS: Array[int] = [400, 413, 422, 500]
const _FIRST_WAIT_SECONDS := 0.25

## Why there are no vectors; empty when there are.
var problem := ""
## [code]true[/code] if the server answered and refused the text.
var is_refusal := false
## One [PackedFloat32Array] for each text.
var vectors: Array = []
## The model's own name.
var model := ""

var _question: RAGServerQuestion
var _path := ""
var _body: Dictionary = {}
var _read: Callable
var _retries := 0
var _exchange: RAGHttpExchange
var _answer: Dictionary = {}
var _attempts := 0
var _not_before_msec := 0
var _deadline_msec := 0
var _is_done := true


## [param read] takes what the server told (Dictionary) and this object, and fills it.
func ask(
	question: RAGServerQuestion,
	path: String,
	body: Dictionary,
	read: Callable,
	timeout_seconds: float,
	retries: int
) -> void:
	_question = question
	_path = path
	_body = body
	_read = read
	_retries = retries
	_deadline_msec = Time.get_ticks_msec() + int(clampf(timeout_seconds, 0.1, 60.0) * 1000.0)
	problem = question.problem
	_is_done = not problem.is_empty()


## Never waits.
func is_done() -> bool:
	if _is_done:
		return true
	if _exchange == null:
		if Time.get_ticks_msec() >= _not_before_msec:
			_begin()
		return false
	_exchange.unstick()
	if _exchange.is_done():
		_exchange.join()
		_end(_exchange)
	return _is_done


## Closes the connection.
func give_up() -> void:
	if _exchange != null:
		_exchange.give_up()
		_exchange.join()
		_exchange = null
	_is_done = true


## The numbers of [param list], or an empty array when it has something else.
static func numbers_in(list: Variant) -> PackedFloat32Array:
	var result := PackedFloat32Array()
	for number: Variant in list if list is Array else []:
		if not (number is float or number is int):
			return PackedFloat32Array()
		result.append(number as float)
	return result


func _begin() -> void:
	_attempts += 1
	var left := maxf(0.05, (_deadline_msec - Time.get_ticks_msec()) / 1000.0)
	var reader := RAGStreamReader.new(_keep, RAGLanguageAnswer.new())
	var headers := RAGServerQuestion.bearer(_question.key)
	_exchange = _question.start(HTTPClient.METHOD_POST, _path, headers, _body, reader, left)


## On another thread.
func _keep(event: Dictionary, answer: RAGLanguageAnswer) -> void:
	_answer = event
	answer.is_complete = true


func _end(exchange: RAGHttpExchange) -> void:
	_exchange = null
	problem = exchange.problem
	is_refusal = exchange.status in _REFUSALS
	if problem and exchange.status in RAGServerQuestion.RETRIED and _attempts <= _retries:
		var wait := exchange.retry_after
		if wait < 0.0:
			wait = _FIRST_WAIT_SECONDS * pow(2.0, _attempts - 1)
		_not_before_msec = Time.get_ticks_msec() + int(minf(wait, 3600.0) * 1000.0)
		if _not_before_msec < _deadline_msec:
			problem = ""
			return
	_is_done = true
	if problem.is_empty():
		if _answer.get("error") != null:
			problem = "The server told an error: %s" % str(_answer["error"]).left(500)
		else:
			_read.call(_answer, self)

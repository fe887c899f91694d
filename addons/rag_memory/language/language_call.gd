extends RefCounted
## A call of an [NPCLanguageModel]: waiting, running or done.

const RAGHttpExchange := preload("res://addons/rag_memory/language/http_exchange.gd")
const RAGLanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")

var request := MemoryRequest.new()
## The model that is asked, so that it lives as long as somebody waits for its answer.
var model: Resource
var messages: Array[Dictionary] = []
var options: Dictionary
var is_background := false
var answer := RAGLanguageAnswer.new()
var exchange: RAGHttpExchange
var attempts := 0
## [code]true[/code] if a server, or the function of the game, was asked.
var is_begun := false
## When it may begin, by Time.get_ticks_msec().
var not_before_msec := 0
## When something of the answer came last, by Time.get_ticks_msec().
var heard_msec := 0
## [code]true[/code] if the schema is asked for in words, since the server does not know how to keep
## it.
var asks_for_schema := false
## Set by the model once nothing more will come.
var is_done := false
var problem := ""
## [code]true[/code] if it asks for the names of the models, and which there are.
var is_list := false
var result := PackedStringArray()
## The server's list of models.
var list: Dictionary = {}
## The function to call when the exchange is done.
var then: Callable

var _read: Dictionary = {}


## The JSON schema that the answer has to fit.
func schema() -> Dictionary:
	return options.get("json_schema", {})


## Returns what a call that fails gives.
func nothing() -> Variant:
	if is_list:
		return PackedStringArray()
	return {} if options.has("json_schema") else ""


## Has the worker separate the reasoning and the tokens of a chat template from the answer.
func read() -> void:
	if not problem and not is_list:
		var reading := MemoryServer.read_model_text_async(answer.text(), schema())
		_read = await reading.completed
		problem = reading.get_error()


## The answer without what the worker took out.
func text() -> String:
	return _read.get("text", "")


## An answer that is not as it was asked for is a problem.
func settle() -> void:
	if not problem and not is_list and options.has("json_schema"):
		problem = _read.get("problem", "")
		if problem and answer.finish_reason == "length":
			problem += " It was cut off: max_tokens is too small."


func complete() -> void:
	model = null
	if problem:
		request.complete(nothing(), problem)
	elif is_list:
		request.complete(result)
	else:
		request.complete(_read.get("object") if options.has("json_schema") else text())

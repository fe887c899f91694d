@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCOllamaLanguageModel
extends NPCRemoteLanguageModel
## A model of an Ollama server, by Ollama's own API.
##
## A model that is missing is fetched by the server, with progress, when [member auto_pull] is on.
## Otherwise the first one that is installed answers, and a warning says so.
## [codeblock]
## var model := NPCOllamaLanguageModel.new()
## model.model_name = "llama3.2"
## model.auto_pull = true
## model.pull_progressed.connect(func(status: String, share: float) -> void: print(status, share))
## [/codeblock]

## Emitted while the server fetches a model: what it does, and how far it is, 0 to 1.
signal pull_progressed(status: String, share: float)

## If [code]true[/code], the server fetches a [member NPCLanguageModel.model_name] it does not have.
@export var auto_pull := false

## The model that was found for a name.
var _chosen: Dictionary[String, String] = {}


func _init() -> void:
	base_url = "http://127.0.0.1:11434"


func _models_path() -> String:
	return "/api/tags"


func _models_in(list_of_models: Dictionary) -> PackedStringArray:
	return _names_in(list_of_models.get("models"), "name")


func _question(call: _RAGLanguageCall) -> Array:
	var options := {"num_predict": _option(call, "max_tokens", max_tokens)}
	var warmth: float = _option(call, "temperature", temperature)
	if warmth >= 0.0:
		options["temperature"] = warmth
	for name: String in ["stop", "seed"]:
		if call.options.has(name):
			options[name] = call.options[name]
	var body := {
		"model": _chosen[_own_address()],
		"messages": _messages(call),
		"stream": true,
		"options": options,
	}
	if _is_schema_kept(call):
		body["format"] = call.schema()
	return ["/api/chat", body]


static func _read_event(event: Dictionary, answer: _RAGLanguageAnswer) -> void:
	if event.get("error") != null:
		answer.fail(event["error"])
		return
	var message: Variant = event.get("message")
	if message is Dictionary:
		answer.add((message as Dictionary).get("content"))
		answer.has_progress = (message as Dictionary).get("thinking") is String
	if event.get("done") is bool and event["done"]:
		answer.is_complete = true
		var reason: Variant = event.get("done_reason")
		answer.finish_reason = reason if reason is String else "stop"
		answer.count_tokens(event.get("prompt_eval_count"), event.get("eval_count"))


## First of all the server is asked which models it has.
func _start(call: _RAGLanguageCall) -> void:
	if call.is_list or _chosen.has(_own_address()):
		super(call)
		return
	_send(call, HTTPClient.METHOD_GET, _models_path(), {}, _keep.bind(call), _choose)


## A model that is gone is looked for again by the next call.
func _end_answer(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> void:
	if exchange.status == 404:
		_chosen.erase(_own_address())
	super(call, exchange)


func _poll(call: _RAGLanguageCall) -> void:
	var progress := call.answer.take_progress()
	if not progress.is_empty():
		pull_progressed.emit(progress[0], progress[1])
	super(call)


func _own_address() -> String:
	return base_url + " " + model_name


func _choose(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> void:
	var installed := _models_in(call.list)
	call.answer = _RAGLanguageAnswer.new()
	if exchange.problem:
		call.problem = exchange.problem
		call.is_done = true
		return
	for name: String in [model_name, model_name + ":latest"]:
		if name in installed:
			_chosen[_own_address()] = name
	if _chosen.has(_own_address()):
		super._start(call)
	elif model_name and auto_pull:
		var body := {"model": model_name, "stream": true}
		_send(call, HTTPClient.METHOD_POST, "/api/pull", body, _read_pull, _end_pull)
		if call.exchange != null:
			call.exchange.is_long = true
	elif installed.is_empty():
		call.problem = (
			"The Ollama server has no model. Run: ollama pull llama3.2 — or name one in model_name"
			+ " and turn on auto_pull."
		)
		call.is_done = true
	else:
		if model_name:
			var lack := "The Ollama server has no model %s; %s answers instead."
			var advice := " Turn on auto_pull, or run: ollama pull %s" % model_name
			push_warning(lack % [model_name, installed[0]] + advice)
		_chosen[_own_address()] = installed[0]
		super._start(call)


func _end_pull(call: _RAGLanguageCall, exchange: _RAGHttpExchange) -> void:
	var is_there := call.answer.is_complete
	call.answer = _RAGLanguageAnswer.new()
	if is_there:
		_chosen[_own_address()] = model_name
		super._start(call)
		return
	call.problem = "The Ollama server could not fetch %s: %s" % [model_name, exchange.problem]
	call.is_done = true


## On another thread.
static func _read_pull(event: Dictionary, answer: _RAGLanguageAnswer) -> void:
	if event.get("error") != null:
		answer.fail(event["error"])
		return
	var status := str(event.get("status", "")).left(200)
	var total: Variant = event.get("total", 0.0)
	var done: Variant = event.get("completed", 0.0)
	var share := 1.0 if status == "success" else 0.0
	if total is float and done is float and total > 0.0:
		share = clampf((done as float) / (total as float), 0.0, 1.0)
	answer.tell_progress(status, share)
	answer.is_complete = status == "success"

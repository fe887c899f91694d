@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCOpenAILanguageModel
extends NPCRemoteLanguageModel
## Any server with OpenAI's chat API: llama.cpp's llama-server, LM Studio, vLLM, OpenAI and others.
##
## The default address is that of a llama-server on this computer.
## [codeblock]
## var model := NPCOpenAILanguageModel.new()
## model.base_url = "https://api.openai.com/v1"
## model.api_key_variable = "OPENAI_API_KEY"
## model.model_name = "gpt-5-mini"
## [/codeblock]

const _NEW_LENGTH_NAME := "max_completion_tokens"
## Options that models which think before they answer may refuse.
const _REFUSED: Array[String] = ["temperature", "stop", "seed"]

## Newer models of OpenAI refuse the name that all other servers know.
var _length_name := "max_tokens"
## Options that the model has refused: they are left out.
var _left_out: Array[String] = []


func _init() -> void:
	base_url = "http://127.0.0.1:8080/v1"


func _models_path() -> String:
	return "/models"


func _question(call: _RAGLanguageCall) -> Array:
	var body := {
		"messages": _messages(call),
		"stream": true,
		"stream_options": {"include_usage": true},
		_length_name: _option(call, "max_tokens", max_tokens),
	}
	if model_name:
		body["model"] = model_name
	var warmth: float = _option(call, "temperature", temperature)
	if warmth >= 0.0:
		body["temperature"] = warmth
	for name: String in ["stop", "seed"]:
		if call.options.has(name):
			body[name] = call.options[name]
	for name in _left_out:
		body.erase(name)
	if _is_schema_kept(call):
		body["response_format"] = {
			"type": "json_schema",
			"json_schema": {"name": "answer", "schema": call.schema()},
		}
	return ["/chat/completions", body]


func _has_other_form(error: String) -> bool:
	if _length_name != _NEW_LENGTH_NAME and _NEW_LENGTH_NAME in error:
		_length_name = _NEW_LENGTH_NAME
		return true
	for name in _REFUSED:
		if error.begins_with("Unsupported") and "'%s'" % name in error and not name in _left_out:
			_left_out.append(name)
			return true
	return false


static func _read_event(event: Dictionary, answer: _RAGLanguageAnswer) -> void:
	if event.get("error") != null:
		answer.fail(event["error"])
		return
	answer.awaits_end = true
	var choices: Variant = event.get("choices")
	if choices is Array and not (choices as Array).is_empty() and choices[0] is Dictionary:
		var choice: Dictionary = choices[0]
		var said: Variant = choice.get("delta", choice.get("message"))
		if said is Dictionary:
			answer.add((said as Dictionary).get("content"))
			answer.has_progress = (said as Dictionary).get("reasoning_content") is String
			if (
				(said as Dictionary).get("refusal")
				or choice.get("finish_reason") == "content_filter"
			):
				answer.refuse()
				return
		if choice.get("finish_reason") is String:
			answer.finish_reason = choice["finish_reason"]
			answer.is_complete = true
	if event.get("usage") is Dictionary:
		var usage: Dictionary = event["usage"]
		answer.count_tokens(usage.get("prompt_tokens"), usage.get("completion_tokens"))

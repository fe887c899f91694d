@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name NPCAnthropicLanguageModel
extends NPCRemoteLanguageModel
## A model of Anthropic, by its messages API.
##
## The key is read from the environment variable [code]ANTHROPIC_API_KEY[/code].
## [codeblock]
## var model := NPCAnthropicLanguageModel.new()
## model.model_name = "claude-haiku-4-5"
## [/codeblock]

const _API_VERSION := "2023-06-01"


func _init() -> void:
	# Its API sends reasoning apart from the text.
	answer_habit = 2
	base_url = "https://api.anthropic.com"
	api_key_variable = "ANTHROPIC_API_KEY"


func _headers(key: String) -> PackedStringArray:
	var headers := PackedStringArray(["anthropic-version: " + _API_VERSION])
	if key:
		headers.append("x-api-key: " + key)
	return headers


func _models_path() -> String:
	return "/v1/models"


## Separates system messages from the others, and joins two messages of one speaker.
func _question(call: _RAGLanguageCall) -> Array:
	var system := PackedStringArray()
	var messages: Array[Dictionary] = []
	for message: Dictionary in _messages(call):
		if message["role"] == "system":
			system.append(message["content"] as String)
		elif not messages.is_empty() and messages[-1]["role"] == message["role"]:
			messages[-1]["content"] += "\n\n" + (message["content"] as String)
		else:
			messages.append(message.duplicate())
	var body := {
		"model": model_name,
		"messages": messages,
		"stream": true,
		"max_tokens": _option(call, "max_tokens", max_tokens),
	}
	if not system.is_empty():
		body["system"] = "\n\n".join(system)
	var warmth: float = _option(call, "temperature", temperature)
	if warmth >= 0.0:
		body["temperature"] = minf(warmth, 1.0)
	if call.options.has("stop"):
		body["stop_sequences"] = call.options["stop"]
	if _is_schema_kept(call):
		body["tools"] = [
			{"name": "answer", "description": "The answer.", "input_schema": call.schema()}
		]
		body["tool_choice"] = {"type": "tool", "name": "answer"}
	return ["/v1/messages", body]


static func _read_event(event: Dictionary, answer: _RAGLanguageAnswer) -> void:
	match event.get("type"):
		"error":
			answer.fail(event.get("error"))
		"message_start":
			_count(event.get("message"), answer)
		"content_block_delta":
			var delta: Variant = event.get("delta")
			if delta is Dictionary:
				answer.add(
					(delta as Dictionary).get("text", (delta as Dictionary).get("partial_json"))
				)
				answer.has_progress = (delta as Dictionary).get("thinking") is String
		"message_delta":
			var change: Variant = event.get("delta")
			var reason: Variant = (
				(change as Dictionary).get("stop_reason") if change is Dictionary else ""
			)
			answer.finish_reason = "length" if reason == "max_tokens" else "stop"
			if reason == "refusal":
				answer.refuse()
			_count(event, answer)
		"message_stop":
			answer.is_complete = true


static func _count(message: Variant, answer: _RAGLanguageAnswer) -> void:
	if message is Dictionary and (message as Dictionary).get("usage") is Dictionary:
		var usage: Dictionary = message["usage"]
		answer.count_tokens(usage.get("input_tokens"), usage.get("output_tokens"))

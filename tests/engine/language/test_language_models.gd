# What a game asks of language models, and how the questions reach each kind of server.
# Runs without the model.
extends "res://tests/engine/case.gd"
# Passes objects, null or threads: its twins always run.

const ScriptedServer := preload("scripted_server.gd")
const HEAD := ScriptedServer.OK_HEAD
const QUESTION: Array = [
	{"role": "system", "content": "You are Mira."}, {"role": "user", "content": "Who are you?"}
]
const SCHEMA := {
	"type": "object",
	"properties":
	{
		"mood": {"type": "string", "enum": [&"glad", "sad"]},
		"trust": {"type": "integer"},
		"words": {"type": "array", "items": {"type": "string"}},
	},
	"required": ["mood"],
}

var _json_head := HEAD.replace("text/event-stream", "application/json")
var _lines_head := HEAD.replace("text/event-stream", "application/x-ndjson")


# What a server with the API of OpenAI gets and gives.
func _openai(answers: Array, options: Dictionary = {}, change := Callable()) -> Dictionary:
	var server := ScriptedServer.new(answers)
	var model := server.model()
	if change.is_valid():
		change.call(model)
	return await _told(server, model, options)


func _told(server: ScriptedServer, model: NPCLanguageModel, options: Dictionary = {}) -> Dictionary:
	var request := model.generate_async(QUESTION, options)
	await request.completed
	server.close()
	var bodies: Array = server.requests.map(_body)
	return {
		"result": request.get_result(),
		"error": request.get_error(),
		"requests": server.requests,
		"bodies": bodies,
		"usage": model.get_usage(),
	}


func _body(request: String) -> Variant:
	return JSON.parse_string(request.get_slice("\r\n\r\n", 1)) if "POST" in request else null


func _callable_model(callable: Callable) -> NPCCallableLanguageModel:
	var model := NPCCallableLanguageModel.new()
	model.callable = callable
	return model


func test_the_question_as_openai_has_it() -> void:
	var options := {"temperature": 0.5, "max_tokens": 9, "stop": ["\n"], "seed": 7}
	var set_name := func(model: NPCLanguageModel) -> void: model.model_name = "small"
	var told := await _openai([HEAD + ScriptedServer.events(["Mira."])], options, set_name)
	var body: Dictionary = told["bodies"][0]
	check_contains(told["requests"][0] as String, "POST /v1/chat/completions HTTP/1.1")
	check_equal(body["messages"], QUESTION)
	check_equal(body["model"], "small")
	check_equal(body["temperature"], 0.5)
	check_equal(body["max_tokens"], 9.0)
	check_equal(body["stop"], ["\n"])
	check_equal(body["seed"], 7.0)
	check_equal(body["stream"], true)
	check(not body.has("response_format"), "no schema was asked for")


func test_text_streams() -> void:
	var part := 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
	var rest := ScriptedServer.events(["Mira."])
	var server := ScriptedServer.new([[HEAD + part % "I ", 100, part % "am ", 100, rest]])
	var model := server.model()
	var chunks := watch(model.chunk)
	var request := model.generate_async(QUESTION)
	check_equal(await request.completed, "I am Mira.")
	check_equal(chunks, [[request, "I "], [request, "am "], [request, "Mira."]] as Array[Array])
	server.close()


func test_tokens_are_counted() -> void:
	var usage := 'data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":3}}\n\n'
	var events := ScriptedServer.events(["Mira."]).replace("data: [DONE]", usage + "data: [DONE]")
	var told := await _openai([HEAD + events])
	check_equal(told["usage"]["calls"], 1)
	check_equal(told["usage"]["failed"], 0)
	check_equal(told["usage"]["input_tokens"], 11)
	check_equal(told["usage"]["output_tokens"], 3)


func test_a_structured_answer() -> void:
	var texts := ['{"mood": "gl', 'ad", "trust": 3, "words": ["a"]}']
	var told := await _openai([HEAD + ScriptedServer.events(texts)], {"json_schema": SCHEMA})
	check_equal(told["error"], "")
	check_equal(told["result"], {"mood": "glad", "trust": 3, "words": ["a"]})
	var format: Dictionary = told["bodies"][0]["response_format"]
	check_equal(format["type"], "json_schema")
	check_equal(format["json_schema"]["schema"]["required"], ["mood"])


func test_a_structured_answer_that_does_not_fit() -> void:
	var wrong: Dictionary[String, String] = {
		"I am glad.": "without the JSON object",
		"[1, 2]": "without the JSON object",
		'{"mood": "gl': "without the JSON object",
		'{"trust": 3}': "left out mood",
		'{"mood": "furious"}': "none of",
		'{"mood": 3}': "mood of the wrong type",
		'{"mood": "sad", "trust": 1.5}': "trust of the wrong type",
		'{"mood": "sad", "words": [1]}': "an item of words of the wrong type",
	}
	for text in wrong:
		var answer := HEAD + ScriptedServer.events([text])
		var told := await _openai([answer], {"json_schema": SCHEMA})
		check_equal(told["result"], {}, text)
		check_contains(told["error"] as String, wrong[text], text)
		check_equal(told["usage"]["failed"], 1, text)
	var cut := HEAD + ScriptedServer.events(['{"mood": "gl'], "length")
	var cut_off := await _openai([cut], {"json_schema": SCHEMA})
	check_contains(cut_off["error"] as String, "max_tokens is too small")


func test_json_among_words() -> void:
	var text := 'Sure! Here it is:\n```json\n{"mood": "sad"}\n```'
	var told := await _openai([HEAD + ScriptedServer.events([text])], {"json_schema": SCHEMA})
	check_equal(told["result"], {"mood": "sad"})


func test_a_server_that_knows_no_schema_is_asked_in_words() -> void:
	var refusal := "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n"
	var answer := HEAD + ScriptedServer.events(['{"mood": "sad"}'])
	var server := ScriptedServer.new([refusal, answer])
	var model := server.model()
	for time in 2:
		var request := model.generate_async(QUESTION, {"json_schema": SCHEMA})
		check_equal(await request.completed, {"mood": "sad"})
	server.close()
	check_equal(server.requests.size(), 3, "the second time it is known")
	for request in server.requests.slice(1):
		var body: Dictionary = _body(request)
		check(not body.has("response_format"), "no schema for the server")
		check_contains(body["messages"][0]["content"] as String, '"required":["mood"]')


func test_newer_names_for_the_length() -> void:
	var text := '{"error":{"message":"Unsupported: use \'max_completion_tokens\' instead."}}'
	var refusal := "HTTP/1.1 400 Bad\r\nContent-Length: %d\r\n\r\n%s" % [text.length(), text]
	var told := await _openai([refusal, HEAD + ScriptedServer.events(["Mira."])])
	check_equal(told["result"], "Mira.")
	check_equal(told["bodies"][1]["max_completion_tokens"], 512.0)
	check(not (told["bodies"][1] as Dictionary).has("max_tokens"), "only one of the names")


func test_what_a_model_refuses_is_left_out() -> void:
	var answers: Array = []
	for text: String in [
		"Unsupported parameter: 'stop' is not supported with this model.",
		"Unsupported value: 'temperature' does not support 0.5 with this model.",
	]:
		var body := JSON.stringify({"error": {"message": text}})
		answers.append("HTTP/1.1 400 Bad\r\nContent-Length: %d\r\n\r\n%s" % [body.length(), body])
	answers.append(HEAD + ScriptedServer.events(["Mira."]))
	var told := await _openai(answers, {"stop": ["\n"], "temperature": 0.5, "seed": 7})
	check_equal(told["result"], "Mira.")
	var last: Dictionary = told["bodies"][2]
	check_equal([last.has("stop"), last.has("temperature"), last.has("seed")], [false, false, true])


func test_a_refusal_is_an_error() -> void:
	var refusal := 'data: {"choices":[{"delta":{"refusal":"I am"}}]}\n\n'
	var filter := ScriptedServer.events([""], "content_filter")
	for events: String in [refusal, filter]:
		var told := await _openai([HEAD + events])
		check_equal(told["result"], "")
		check_contains(told["error"] as String, "the model refuses to answer")
	var event := 'data: {"type":"message_delta","delta":{"stop_reason":"refusal"}}\n\n'
	var server := ScriptedServer.new([HEAD + event])
	var told := await _told(server, _anthropic(server))
	check_contains(told["error"] as String, "the model refuses to answer")


func test_an_answer_without_a_word_is_an_error() -> void:
	var told := await _openai([HEAD + ScriptedServer.events([], "length")])
	check_contains(told["error"] as String, "It used up max_tokens")


func test_a_server_that_lingers_after_the_answer() -> void:
	var events := ScriptedServer.events(["Mira."]).replace("data: [DONE]\n\n", "")
	var told := await _openai([[HEAD + events, 60000]])
	check_equal(told["result"], "Mira.")


func test_the_models_of_a_server() -> void:
	var server := ScriptedServer.new([_json_head + '{"data":[{"id":"a"},{"id":"b"},{"no":1}]}'])
	var models := server.model().get_models_async()
	check_equal(await models.completed, PackedStringArray(["a", "b"]))
	var available := server.model().is_available_async()
	check_equal(await available.completed, true)
	server.close()
	check_contains(server.requests[0], "GET /v1/models HTTP/1.1")


func test_the_question_as_anthropic_has_it() -> void:
	var events := ""
	for event: Dictionary in [
		{"type": "message_start", "message": {"usage": {"input_tokens": 12, "output_tokens": 1}}},
		{"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
		{"type": "ping"},
		{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "I am "}},
		{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Mira."}},
		{"type": "content_block_stop", "index": 0},
		{
			"type": "message_delta",
			"delta": {"stop_reason": "end_turn"},
			"usage": {"output_tokens": 6}
		},
		{"type": "message_stop"},
	]:
		events += "event: %s\ndata: %s\n\n" % [event["type"], JSON.stringify(event)]
	var server := ScriptedServer.new([HEAD + events])
	var told := await _told(server, _anthropic(server), {"stop": ["\n"], "temperature": 1.5})
	check_equal(told["error"], "")
	check_equal(told["result"], "I am Mira.")
	check_equal(told["usage"]["input_tokens"], 12)
	check_equal(told["usage"]["output_tokens"], 6)
	var body: Dictionary = told["bodies"][0]
	check_contains(told["requests"][0] as String, "POST /v1/messages HTTP/1.1")
	check_contains(told["requests"][0] as String, "anthropic-version: 2023-06-01")
	check_contains(told["requests"][0] as String, "x-api-key: secret-of-the-test")
	check_equal(body["system"], "You are Mira.")
	check_equal(body["messages"], [{"role": "user", "content": "Who are you?"}])
	check_equal(body["max_tokens"], 512.0)
	check_equal(body["stop_sequences"], ["\n"])
	check_equal(body["temperature"], 1.0, "the highest that the API takes")


func _anthropic(server: ScriptedServer) -> NPCAnthropicLanguageModel:
	OS.set_environment("RAG_TEST_KEY", "secret-of-the-test")
	var model := NPCAnthropicLanguageModel.new()
	model.base_url = "http://127.0.0.1:%d" % server.port
	model.api_key_variable = "RAG_TEST_KEY"
	return model


func test_a_structured_answer_of_anthropic() -> void:
	var events := ""
	for event: Dictionary in [
		{"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": ""}},
		{"type": "content_block_delta", "delta": {"partial_json": '{"mood":'}},
		{"type": "content_block_delta", "delta": {"partial_json": ' "sad"}'}},
		{"type": "message_stop"},
	]:
		events += "event: %s\ndata: %s\n\n" % [event["type"], JSON.stringify(event)]
	var server := ScriptedServer.new([HEAD + events])
	var told := await _told(server, _anthropic(server), {"json_schema": SCHEMA})
	check_equal(told["result"], {"mood": "sad"})
	check_equal(told["bodies"][0]["tool_choice"]["type"], "tool")
	check_equal(told["bodies"][0]["tools"][0]["input_schema"]["required"], ["mood"])


func test_an_error_of_anthropic() -> void:
	var event := '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
	var server := ScriptedServer.new([HEAD + "event: error\ndata: %s\n\n" % event])
	var told := await _told(server, _anthropic(server))
	check_contains(told["error"] as String, "Overloaded")


func _ollama(server: ScriptedServer, name := "") -> NPCOllamaLanguageModel:
	var model := NPCOllamaLanguageModel.new()
	model.base_url = "http://127.0.0.1:%d" % server.port
	model.model_name = name
	return model


func _ollama_lines(texts: Array) -> String:
	var lines := ""
	for text: String in texts:
		var event := {"message": {"role": "assistant", "content": text}, "done": false}
		lines += JSON.stringify(event) + "\n"
	return (
		_lines_head
		+ lines
		+ '{"message":{"content":""},"done":true,"done_reason":"stop",'
		+ '"prompt_eval_count":26,"eval_count":4}\n'
	)


func test_the_question_as_ollama_has_it() -> void:
	var tags := _json_head + '{"models":[{"name":"other:latest"},{"name":"llama3.2:latest"}]}'
	var server := ScriptedServer.new([tags, _ollama_lines(["I am ", "Mira."])])
	var model := _ollama(server, "llama3.2")
	var told := await _told(server, model, {"max_tokens": 20, "seed": 1, "json_schema": {}})
	check_equal(told["usage"]["input_tokens"], 26)
	check_equal(told["usage"]["output_tokens"], 4)
	var body: Dictionary = told["bodies"][1]
	check_contains(told["requests"][0] as String, "GET /api/tags HTTP/1.1")
	check_contains(told["requests"][1] as String, "POST /api/chat HTTP/1.1")
	check_equal(body["model"], "llama3.2:latest")
	check_equal(body["messages"], QUESTION)
	check_equal(body["options"], {"num_predict": 20.0, "seed": 1.0})
	check_equal(body["format"], {})


func test_ollama_looks_for_its_models_once() -> void:
	var tags := _json_head + '{"models":[{"name":"llama3.2:latest"}]}'
	var server := ScriptedServer.new([tags, _ollama_lines(["Mira."])])
	var model := _ollama(server)
	for time in 2:
		check_equal(await model.generate_async(QUESTION).completed, "Mira.")
	server.close()
	check_equal(server.requests.size(), 3)


func test_ollama_looks_again_when_the_model_is_gone() -> void:
	expect_warning("has no model small; other:latest answers instead")
	var tags := _json_head + '{"models":[{"name":"%s:latest"}]}'
	var text := '{"error":"model \'small:latest\' not found"}'
	var gone := "HTTP/1.1 404 No\r\nContent-Length: %d\r\n\r\n%s" % [text.length(), text]
	var server := ScriptedServer.new(
		[tags % "small", gone, tags % "other", _ollama_lines(["Mira."])]
	)
	var model := _ollama(server, "small")
	var request := model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "not found")
	check_equal(await model.generate_async(QUESTION).completed, "Mira.")
	server.close()
	check_equal(_body(server.requests[3])["model"], "other:latest")


func test_ollama_answers_with_the_model_there_is() -> void:
	expect_warning("has no model missing; small:latest answers instead")
	var tags := _json_head + '{"models":[{"name":"small:latest"}]}'
	var server := ScriptedServer.new([tags, _ollama_lines(["Mira."])])
	var told := await _told(server, _ollama(server, "missing"))
	check_equal(told["result"], "Mira.")
	check_equal(told["bodies"][1]["model"], "small:latest")


func test_ollama_without_a_model() -> void:
	var server := ScriptedServer.new([_json_head + '{"models":[]}'])
	var told := await _told(server, _ollama(server))
	check_contains(told["error"] as String, "ollama pull")


func test_ollama_pulls_a_model() -> void:
	var pull: Array = [_lines_head + '{"status":"pulling manifest"}\n', 100]
	pull += ['{"status":"pulling abc","total":200,"completed":50}\n', 100]
	pull += ['{"status":"success"}\n']
	var tags := _json_head + '{"models":[{"name":"small:latest"}]}'
	var server := ScriptedServer.new([tags, pull, _ollama_lines(["Mira."])])
	var model := _ollama(server, "missing")
	model.auto_pull = true
	var progress := watch(model.pull_progressed)
	var told := await _told(server, model)
	check_equal(told["result"], "Mira.")
	check_contains(told["requests"][1] as String, "POST /api/pull HTTP/1.1")
	check_equal(told["bodies"][1]["model"], "missing")
	check_equal(told["bodies"][2]["model"], "missing")
	check_equal(progress[0], ["pulling manifest", 0.0])
	check_equal(progress[1], ["pulling abc", 0.25])


func test_ollama_cannot_pull() -> void:
	var pull := _lines_head + '{"error":"pull model manifest: file does not exist"}\n'
	var server := ScriptedServer.new([_json_head + '{"models":[]}', pull])
	var model := _ollama(server, "missing")
	model.auto_pull = true
	var told := await _told(server, model)
	check_contains(told["error"] as String, "could not fetch missing")
	check_contains(told["error"] as String, "file does not exist")


func test_dialogue_comes_before_the_background() -> void:
	var order := PackedStringArray()
	var answer := func(messages: Array, _options: Dictionary) -> String:
		await frames(2)
		order.append(messages[0]["content"] as String)
		return "Done."
	var model := _callable_model(answer)
	model.max_parallel_calls = 1
	var requests: Array[MemoryRequest] = []
	for name: String in ["b1", "b2", "d1", "d2"]:
		var options := {"priority": "background" if name.begins_with("b") else "dialogue"}
		requests.append(model.generate_async([{"role": "user", "content": name}], options))
	check_equal(model.get_usage()["waiting"], 4)
	await requests[1].completed
	check_equal(order, PackedStringArray(["d1", "d2", "b1", "b2"]))


func test_only_so_many_calls_run_at_once() -> void:
	var running := [0, 0]
	var answer := func(_messages: Array, _options: Dictionary) -> String:
		running[0] += 1
		running[1] = maxi(running[0] as int, running[1] as int)
		await frames(3)
		running[0] -= 1
		return "Done."
	var model := _callable_model(answer)
	model.max_parallel_calls = 2
	var requests: Array[MemoryRequest] = []
	for number in 6:
		requests.append(model.generate_async(QUESTION))
	await requests[5].completed
	check_equal(running, [0, 2])


func test_limits_beyond_any_sense_do_not_hold_a_call_back_for_ever() -> void:
	for wrong: int in [0, -1, -9223372036854775807 - 1]:
		var model := _callable_model(func(_m: Array, _o: Dictionary) -> String: return "Done.")
		model.max_parallel_calls = wrong
		check_equal(await model.generate_async(QUESTION).completed, "Done.")
	for seconds: float in [NAN, -1.0, 0.0, INF, 1e300]:
		var unanswered := NPCOpenAILanguageModel.new()
		unanswered.base_url = "http://127.0.0.1:9"
		unanswered.timeout_seconds = seconds
		var request := unanswered.generate_async(QUESTION)
		check_equal(await request.completed, "")
		check(request.get_error() != "", "it says why")


func test_the_background_has_a_budget_and_dialogue_has_none() -> void:
	var model := _callable_model(func(_m: Array, _o: Dictionary) -> String: return "Done.")
	model.max_calls_per_hour = 2
	for number in 3:
		var request := model.generate_async(QUESTION, {"priority": "background"})
		var expected := "Done." if number < 2 else ""
		check_equal(await request.completed, expected, "call %d" % number)
		if number == 2:
			check_contains(request.get_error(), "max_calls_per_hour")
	check_equal(model.get_usage()["background_calls_this_hour"], 2)
	check_equal(await model.generate_async(QUESTION).completed, "Done.")


func test_what_was_never_begun_is_not_counted() -> void:
	var server := ScriptedServer.new([HEAD + ScriptedServer.events(["Mira."])])
	var model := server.model()
	var right := model.base_url
	model.base_url = "http://example.com/v1"
	await model.generate_async(QUESTION).completed
	model.base_url = right
	model.api_key_file = "user://no_such_key"
	await model.generate_async(QUESTION).completed
	model.api_key_file = ""
	expect_error("at least 1")
	await model.generate_async(QUESTION, {"max_tokens": 0}).completed
	var cancelled := model.generate_async(QUESTION)
	cancelled.cancel()
	await until(cancelled.is_completed)
	check_equal(model.get_usage()["calls"], 0)
	check_equal(model.get_usage()["failed"], 0)
	model.max_calls_per_hour = 1
	for time: int in 3:
		await model.generate_async(QUESTION, {"priority": "background"}).completed
	check_equal(model.get_usage()["calls"], 1)
	check_equal(model.get_usage()["failed"], 0)
	server.close()
	await model.generate_async(QUESTION).completed
	check_equal(model.get_usage()["calls"], 2)
	check_equal(model.get_usage()["failed"], 1)


func test_a_call_that_was_cancelled_has_not_failed() -> void:
	var server := ScriptedServer.new([[60000]])
	var model := server.model()
	var request := model.generate_async(QUESTION)
	await until(func() -> bool: return not server.requests.is_empty())
	request.cancel()
	await until(request.is_completed)
	server.close()
	check_equal(model.get_usage()["calls"], 1)
	check_equal(model.get_usage()["failed"], 0)


func test_cancelled_while_its_answer_is_read() -> void:
	var answer := func(_messages: Array, _options: Dictionary) -> String: return "Done."
	var model := _callable_model(answer)
	var request := model.generate_async(QUESTION)
	await until(func() -> bool: return _is_read(model))
	check(not request.is_completed(), "the worker reads it")
	request.cancel()
	check_equal(await request.completed, "")
	check_contains(request.get_error(), "cancelled")
	check_equal(model.get_usage()["failed"], 0)


func _is_read(model: NPCLanguageModel) -> bool:
	var usage := model.get_usage()
	return usage["waiting"] == 0 and usage["running"] == 0


func test_a_function_of_the_game_streams() -> void:
	var answer := func(_messages: Array, options: Dictionary) -> String:
		for text: String in ["I ", "am ", "Mira."]:
			(options["on_chunk"] as Callable).call(text)
			await frames(1)
		return ""
	var model := _callable_model(answer)
	var chunks := watch(model.chunk)
	check_equal(await model.generate_async(QUESTION).completed, "I am Mira.")
	check(chunks.size() >= 2, "it came in pieces: %s" % [chunks])


func test_a_function_of_the_game_gives_structured_answers() -> void:
	var heard: Array = []
	var answer := func(messages: Array, _options: Dictionary) -> String:
		heard.append_array(messages)
		return '{"mood": "glad"}'
	var request := _callable_model(answer).generate_async(QUESTION, {"json_schema": SCHEMA})
	check_equal(await request.completed, {"mood": "glad"})
	check_contains(heard[0]["content"] as String, '"required":["mood"]')


func test_functions_that_give_nothing() -> void:
	var number := _callable_model(func(_m: Array, _o: Dictionary) -> int: return 3)
	var request := number.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "returned 3, no String")
	request = NPCCallableLanguageModel.new().generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "callable is not set")
	request = _callable_model(func() -> String: return "Hm.").generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "takes 0 arguments. It has to take two")
	var never := Node.new()
	var slow := func(_m: Array, _o: Dictionary) -> String:
		await never.ready
		return "late"
	request = _callable_model(slow).generate_async(QUESTION, {"timeout": 0.2})
	await request.completed
	check_contains(request.get_error(), "gave nothing for 0.2 seconds")
	never.ready.emit()
	never.free()


func test_a_base_class_answers_nothing() -> void:
	var request := NPCLanguageModel.new().generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "Use NPCOpenAILanguageModel")


func test_wrong_questions_are_told_at_once() -> void:
	var model := _callable_model(func(_m: Array, _o: Dictionary) -> String: return "Done.")
	var wrong: Array = [
		[[], {}, "there are no messages"],
		[["Hello"], {}, "a message has to be {role, content}"],
		[[{"role": "player", "content": "Hello"}], {}, "the role one of"],
		[[{"role": "user", "content": 3}], {}, "the content a String"],
		[
			QUESTION,
			{"temprature": 1.0},
			'there is no option temprature. Did you mean "temperature"?'
		],
		[QUESTION, {"max_tokens": "many"}, "has to be int"],
		[QUESTION, {"max_tokens": 0}, "at least 1"],
		[QUESTION, {"timeout": NAN}, "at least 0.1"],
		[QUESTION, {"priority": "high"}, "one of dialogue, background"],
	]
	for each: Array in wrong:
		expect_error(each[2] as String)
		var request := model.generate_async(each[0] as Array, each[1] as Dictionary)
		check_equal(await request.completed, "")
		check_contains(request.get_error(), each[2] as String)
		check_contains(request.get_error(), "NPCCallableLanguageModel.generate_async()")


func test_types_that_no_schema_has_are_told_at_once() -> void:
	var model := _callable_model(func(_m: Array, _o: Dictionary) -> String: return '{"a": null}')
	var endless := {"type": "object"}
	endless["properties"] = {"a": endless}
	var wrong: Dictionary[String, Dictionary] = {
		"the type objekt": {"type": "objekt"},
		"the type text": {"type": "object", "properties": {"mood": {"type": "text"}}},
		"the type int": {"properties": {"list": {"type": "array", "items": {"type": "int"}}}},
		"the type nil": {"properties": {"mood": {"type": ["string", "nil"]}}},
		"the type 4": {"properties": {"mood": {"type": TYPE_STRING}}},
		"nested more than 64 levels": endless,
	}
	for told: String in wrong:
		expect_error(told)
		var request := model.generate_async(QUESTION, {"json_schema": wrong[told]})
		check_equal(await request.completed, {})
		check_contains(request.get_error(), "the option json_schema ")
	endless.clear()
	var right := {"type": &"object", "properties": {"a": {"type": ["null", "string"]}, "type": {}}}
	check_equal(await model.generate_async(QUESTION, {"json_schema": right}).completed, {"a": null})


func test_hosts_that_are_not_allowed() -> void:
	var addresses: Dictionary[String, String] = {
		"http://example.com/v1": "may not reach example.com",
		"https://127.0.0.1.example.com": "may not reach 127.0.0.1.example.com",
		"http://localhost@example.com/v1": "has to be like",
		"http://127.0.0.1:80@example.com": "has to be like",
		"http://example.com\\@127.0.0.1/": "has to be like",
		"http://127.0.0.1#@example.com/": "has to be like",
		"http://0x7f000001/": "may not reach",
		"http://[::ffff:10.0.0.1]/": "may not reach",
		"file:///etc/passwd": "has to be like",
		"http://127.0.0.1/?a=b": "has to be like",
		"http://127.0.0.1:99999/": "the highest is 65535",
		"": "has to be like",
		"http://127.0.0.1/\r\nX-Header: 1": "has to be like",
	}
	for address in addresses:
		var model := NPCOpenAILanguageModel.new()
		model.base_url = address
		var request := model.generate_async(QUESTION)
		check_equal(await request.completed, "", address)
		check_contains(request.get_error(), addresses[address], address)


func test_listed_hosts_are_reached() -> void:
	const SETTING := "rag_memory/network/allowed_hosts"
	ProjectSettings.set_setting(SETTING, PackedStringArray(["models.invalid"]))
	var model := NPCOpenAILanguageModel.new()
	model.timeout_seconds = 30.0
	model.base_url = "https://models.invalid/v1"
	var request := model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "There is no host models.invalid")
	model.base_url = "http://127.0.0.1:1/v1"
	request = model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "may not reach 127.0.0.1")
	ProjectSettings.set_setting(SETTING, null)


func test_a_key_stays_where_it_belongs() -> void:
	const KEY := "sk-test-1234567890"
	OS.set_environment("RAG_TEST_KEY", KEY)
	var echo := '{"error":{"message":"The key %s is wrong."}}' % KEY
	var set_key := func(model: NPCOpenAILanguageModel) -> void:
		model.api_key_variable = "RAG_TEST_KEY"
	var told := await _openai(
		["HTTP/1.1 401 No\r\nContent-Length: %d\r\n\r\n%s" % [echo.length(), echo]], {}, set_key
	)
	check_contains(told["requests"][0] as String, "Authorization: Bearer " + KEY)
	check_contains(told["error"] as String, "The key (the key) is wrong")
	check(not KEY in str(told["error"]), "a server that says the key again")
	var model := NPCOpenAILanguageModel.new()
	model.api_key_variable = "RAG_TEST_KEY"
	ResourceSaver.save(model, "user://model.tres")
	check(not KEY in FileAccess.get_file_as_string("user://model.tres"), "saved with the resource")


func test_half_a_key_is_not_said() -> void:
	const KEY := "sk-test-1234567890"
	OS.set_environment("RAG_TEST_KEY", KEY)
	var set_key := func(model: NPCOpenAILanguageModel) -> void:
		model.api_key_variable = "RAG_TEST_KEY"
	for length in range(60, 1020, 6):
		var text := "x".repeat(length) + KEY
		var error := '{"error":{"message":"%s"}}' % text
		for answer: String in [
			"HTTP/1.1 401 No\r\nContent-Length: %d\r\n\r\n%s" % [error.length(), error],
			HEAD + "data: %s\n\n" % error,
			"HTTP/1.1 302 Away\r\nLocation: http://%s\r\n\r\n" % text,
			"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n" % text,
		]:
			var told := await _openai([answer], {}, set_key)
			check(not "xsk-" in str(told["error"]), "half of the key: " + str(told["error"]))
	var model := NPCOpenAILanguageModel.new()
	for address: String in ["https://%s@a.example/" % KEY, "http://127.0.0.1/?key=" + KEY]:
		model.base_url = address
		var request := model.generate_async(QUESTION)
		await request.completed
		check_contains(request.get_error(), "has to be like")
		check(not KEY in request.get_error(), "a key in the address")


func test_a_key_of_a_file() -> void:
	const KEY := "sk-file-1234567890"
	var file := FileAccess.open("user://key.txt", FileAccess.WRITE)
	file.store_string(KEY + "\nsecond line")
	file.close()
	var set_key := func(model: NPCOpenAILanguageModel) -> void:
		model.api_key_variable = "RAG_TEST_NO_SUCH_KEY"
		model.api_key_file = "user://key.txt"
	var told := await _openai([HEAD + ScriptedServer.events(["Mira."])], {}, set_key)
	check_contains(told["requests"][0] as String, "Authorization: Bearer %s\r\n" % KEY)


func test_keys_that_are_none() -> void:
	var wrong: Array = [
		["sk-this-is-the-key-itself", "", "is no name of an environment variable"],
		["hf_sk0This1is2the3key4itself", "", "is no name of an environment variable"],
		["my_game_key_1", "", "my_game_key_1 is empty"],
		["RAG_TEST_NO_SUCH_KEY", "", "RAG_TEST_NO_SUCH_KEY is empty"],
		["", "user://nothing.txt", "cannot be read"],
		["", "res://key.txt", "has to be under user://"],
		["", "user://../../key.txt", "has to be under user://"],
	]
	for each: Array in wrong:
		var model := NPCOpenAILanguageModel.new()
		model.api_key_variable = each[0]
		model.api_key_file = each[1]
		var request := model.generate_async(QUESTION)
		check_equal(await request.completed, "")
		check_contains(request.get_error(), each[2] as String)
		check(not "sk-this" in request.get_error(), "what may be a key is not said")
		check(not "sk0This" in request.get_error(), "what may be a key is not said")


func test_a_key_is_never_sent_unencrypted() -> void:
	const SETTING := "rag_memory/network/allowed_hosts"
	ProjectSettings.set_setting(SETTING, PackedStringArray(["models.invalid"]))
	OS.set_environment("RAG_TEST_KEY", "sk-test-1234567890")
	var model := NPCOpenAILanguageModel.new()
	model.base_url = "http://models.invalid/v1"
	model.api_key_variable = "RAG_TEST_KEY"
	var request := model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "unencrypted. Use https")
	ProjectSettings.set_setting(SETTING, null)


func test_a_model_that_nobody_holds_answers() -> void:
	var server := ScriptedServer.new([HEAD + ScriptedServer.events(["Mira."])])
	var request := server.model().generate_async(QUESTION)
	check_equal(await request.completed, "Mira.")
	server.close()


func test_asked_on_another_thread() -> void:
	var model := _callable_model(func(_m: Array, _o: Dictionary) -> String: return "Done.")
	var requests: Array[MemoryRequest] = []
	var thread := Thread.new()
	thread.start(func() -> void: requests.append(model.generate_async(QUESTION)))
	thread.wait_to_finish()
	check_equal(await requests[0].completed, "Done.")


func test_cancelled_while_it_waits() -> void:
	var asked: Array = []
	var answer := func(messages: Array, _options: Dictionary) -> String:
		asked.append(messages)
		await frames(5)
		return "Done."
	var model := _callable_model(answer)
	model.max_parallel_calls = 1
	var first := model.generate_async(QUESTION)
	var second := model.generate_async(QUESTION)
	second.cancel()
	check_equal(await first.completed, "Done.")
	await frames(2)
	check_equal(asked.size(), 1)
	check_equal(model.get_usage()["waiting"], 0)

# Servers that lie, dawdle, flood or break off: an error in words, or what can be read.
# Runs without the model.
extends "res://tests/engine/case.gd"

const ScriptedServer := preload("scripted_server.gd")
const HEAD := ScriptedServer.OK_HEAD
const STREAM := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
const CHUNKED := STREAM + "Transfer-Encoding: chunked\r\n\r\n"
const SIZED := STREAM + "Content-Length: %s\r\n\r\n"
const QUESTION: Array = [{"role": "user", "content": "Who are you?"}]


func _asked(answers: Array, options: Dictionary = {}, timeout := 20.0) -> MemoryRequest:
	var server := ScriptedServer.new(answers)
	var request := server.model(timeout).generate_async(QUESTION, options)
	await request.completed
	server.close()
	return request


func _check_fails(answer: Variant, part: String, timeout := 20.0) -> void:
	var request := await _asked([answer], {}, timeout)
	check_equal(request.get_result(), "", "result of a failed call")
	check_contains(request.get_error(), part)


func _check_answers(answer: Variant, expected: String) -> void:
	var request := await _asked([answer])
	check_equal(request.get_error(), "")
	check_equal(request.get_result(), expected)


func test_whole_answer() -> void:
	await _check_answers(HEAD + ScriptedServer.events(["I am ", "Mira."]), "I am Mira.")


func test_closes_at_once() -> void:
	await _check_fails("", "closed the connection without an answer")


func test_half_a_header() -> void:
	await _check_fails("HTTP/1.1 200 OK\r\nContent-", "closed the connection without an answer")


func test_speaks_no_http() -> void:
	allow_error("")
	await _check_fails("220 smtp.example.org ESMTP\r\n\r\n", "127.0.0.1")


func test_silent_server() -> void:
	await _check_fails([60000], "sent nothing to read for 1.0 seconds", 1.0)


func test_silent_after_the_header() -> void:
	await _check_fails([HEAD, 60000], "sent nothing to read", 1.0)


func test_silent_in_the_middle() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	await _check_fails([HEAD + piece, 60000], "sent nothing to read", 1.0)


func test_endless_header() -> void:
	var flood := func() -> String: return "X-Flood: %s\r\n" % "a".repeat(60000)
	await _check_fails(["HTTP/1.1 200 OK\r\n", flood], "127.0.0.1", 3.0)


func test_endless_line() -> void:
	var flood := func() -> String: return "a".repeat(60000)
	await _check_fails([HEAD, flood], "a line of more than 1 MiB")


func test_endless_event() -> void:
	var flood := func() -> String: return "data: %s\n" % "a".repeat(60000)
	await _check_fails([HEAD, flood], "an event of more than 1 MiB")


func test_endless_comments() -> void:
	var flood := func() -> String: return ": still here\n".repeat(4000)
	await _check_fails([HEAD, flood], "more than 8 MiB")


func test_slow_comments() -> void:
	await _check_fails(
		[HEAD, ": ping\n", 500, ": ping\n", 500, ": ping\n", 60000], "nothing to read", 1.0
	)


func test_endless_text() -> void:
	var event := 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n' % "a".repeat(5000)
	await _check_fails([HEAD, func() -> String: return event], "more than 65536 characters")


func test_huge_content_length() -> void:
	var head := SIZED % 99999999999
	await _check_answers(head + ScriptedServer.events(["Mira."]), "Mira.")


func test_content_length_too_small() -> void:
	var head := SIZED % 10
	await _check_fails(head + ScriptedServer.events(["Mira."]), "127.0.0.1")


func test_huge_chunk() -> void:
	allow_error("")
	await _check_fails(CHUNKED + "7fffffff\r\nabc", "127.0.0.1")


func test_chunk_without_a_size() -> void:
	allow_error("")
	await _check_fails(CHUNKED + "zz\r\nabc\r\n", "127.0.0.1")


func test_chunks_that_cut_letters() -> void:
	var text := ScriptedServer.events(["Grüße, 雪."]).to_utf8_buffer()
	var parts: Array = [CHUNKED]
	for i: int in text.size():
		parts.append("1\r\n".to_utf8_buffer() + text.slice(i, i + 1) + "\r\n".to_utf8_buffer())
	parts.append("0\r\n\r\n")
	await _check_answers(parts, "Grüße, 雪.")


func test_invalid_utf8() -> void:
	allow_error("")
	var bytes := PackedByteArray([0xC3, 0x28, 0xFF])
	var begin := 'data: {"choices":[{"delta":{"content":"'.to_utf8_buffer()
	await _check_fails([HEAD, begin + bytes + '"}}]}\n\n'.to_utf8_buffer()], "no JSON in UTF-8")


func test_utf16() -> void:
	allow_error("")
	await _check_fails([HEAD, "data: {}\n\n".to_utf16_buffer(), 100], "127.0.0.1")


func test_no_json() -> void:
	await _check_fails(HEAD + "data: hello\n\n", "no JSON in UTF-8")


func test_half_a_json() -> void:
	await _check_fails(HEAD + 'data: {"choices": [\n\n', "no JSON in UTF-8")


func test_deep_json() -> void:
	allow_error("")
	await _check_fails(HEAD + 'data: {"a":%s\n\n' % "[".repeat(200000), "no JSON")


func test_json_of_other_types() -> void:
	var events := ""
	for odd: String in [
		"null", "1", '"x"', "[]", "[1]", "[null]", '[{"delta":1}]', '[{"delta":{"content":{}}}]'
	]:
		events += 'data: {"choices":%s}\n\n' % odd
	await _check_answers(HEAD + events + ScriptedServer.events(["Mira."]), "Mira.")


func test_breaks_off() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	await _check_fails(HEAD + piece, "in the middle of the answer")


func test_whole_answer_without_an_end() -> void:
	var text := ScriptedServer.events(["Mira."]).replace("data: [DONE]\n\n", "")
	await _check_answers(HEAD + text, "Mira.")


func test_error_in_the_stream() -> void:
	await _check_fails(HEAD + 'data: {"error": {"message": "out of memory"}}\n\n', "out of memory")


func test_error_without_a_message() -> void:
	await _check_fails(HEAD + 'data: {"error": {"message": ""}}\n\n', "gives no reason")


func test_half_a_chunk() -> void:
	await _check_fails(CHUNKED + "40\r\ndata: {", "in the middle of the answer")


func test_endless_chunk_extension() -> void:
	allow_error("HTTP Invalid chunk hex len")
	var flood := func() -> String: return "a".repeat(60000)
	await _check_fails([CHUNKED + "5;", flood], "in the middle of the answer")


func test_chunk_of_a_negative_size() -> void:
	allow_error("HTTP Chunk len not in hex")
	await _check_fails(CHUNKED + "-5\r\nabc", "in the middle of the answer")


func test_trailers_after_the_chunks() -> void:
	var text := ScriptedServer.events(["Mira."])
	var chunk := "%x\r\n%s\r\n" % [text.length(), text]
	await _check_answers(CHUNKED + chunk + "0\r\nX-Sum: 1\r\n\r\n", "Mira.")


func test_slow_header() -> void:
	var drop := func() -> String:
		OS.delay_msec(20)
		return "a"
	await _check_fails(["HTTP/1.1 200 OK\r\nX-Slow: ", drop], "sent nothing to read", 1.0)


func test_length_below_nothing() -> void:
	await _check_fails(SIZED % -5 + ScriptedServer.events(["Mira."]), "a length that is none")


func test_length_that_is_no_number() -> void:
	await _check_fails(SIZED % "long" + ScriptedServer.events(["Mira."]), "a length that is none")


func test_packed_answer() -> void:
	var text := ScriptedServer.events(["Mira."]).to_utf8_buffer()
	var packed := text.compress(FileAccess.COMPRESSION_GZIP)
	await _check_fails([STREAM + "Content-Encoding: gzip\r\n\r\n", packed], "its answer packed")


func test_mark_of_the_byte_order() -> void:
	var mark := PackedByteArray([0xEF, 0xBB, 0xBF])
	var text := ScriptedServer.events(["I am ", "Mira."]).to_utf8_buffer()
	await _check_answers([HEAD, mark.slice(0, 2), 20, mark.slice(2) + text], "I am Mira.")
	var body := '{"choices":[{"message":{"content":"Mira."},"finish_reason":"stop"}]}'
	var head := HEAD.replace("text/event-stream", "application/json")
	await _check_answers([head, mark + body.to_utf8_buffer()], "Mira.")


func test_nul_in_the_text() -> void:
	allow_error("")
	var begin := 'data: {"choices":[{"delta":{"content":"a'.to_utf8_buffer()
	var bytes := begin + PackedByteArray([0]) + '"}}]}\n\n'.to_utf8_buffer()
	await _check_fails([HEAD, bytes], "no JSON in UTF-8")


func test_half_a_letter() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n'
	await _check_fails(HEAD + piece, "no JSON in UTF-8")


func test_events_without_empty_lines() -> void:
	var text := ScriptedServer.events(["I am ", "Mira."]).replace("\n\n", "\n")
	await _check_fails(HEAD + text, "no JSON in UTF-8")


func test_lines_that_end_as_in_windows() -> void:
	var text := ScriptedServer.events(["I am ", "Mira."]).replace("\n", "\r\n")
	await _check_answers(HEAD + text, "I am Mira.")


func test_events_of_other_kinds() -> void:
	var other := ": ping\nevent: ping\nid: 7\nretry: 10\nodd\n\n"
	await _check_answers(HEAD + other + ScriptedServer.events(["Mira."]), "Mira.")


func test_text_after_the_end() -> void:
	var late := 'data: {"choices":[{"delta":{"content":" And more."}}]}\n\n'
	await _check_answers(HEAD + ScriptedServer.events(["Mira."]) + late, "Mira.")


func test_two_answers() -> void:
	var answer := HEAD + ScriptedServer.events(["Mira."])
	await _check_answers(answer + answer, "Mira.")


func test_an_end_that_never_came() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	await _check_fails(HEAD + piece.repeat(2), "in the middle of the answer")


func test_goes_on_and_on_before_it_answers() -> void:
	await _check_fails("HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), "answered 100")


func test_answers_without_a_header() -> void:
	allow_error("")
	await _check_fails(ScriptedServer.events(["Mira."]), "127.0.0.1")


func test_odd_status() -> void:
	for status: String in ["-200", "999", "206"]:
		var head := "HTTP/1.1 %s Odd\r\nContent-Length: 0\r\n\r\n" % status
		await _check_fails(head, "answered " + status)


func test_line_of_64_mib() -> void:
	var megabytes := "data: " + "a".repeat(64 << 20)
	await _check_fails([HEAD, megabytes.to_utf8_buffer()], "a line of more than 1 MiB")


func test_deep_json_of_many_mib() -> void:
	var head := HEAD.replace("text/event-stream", "application/json")
	await _check_fails(head + '{"a":' + "[".repeat(7 << 20), "no JSON in UTF-8")


func test_resets_the_connection() -> void:
	await _check_fails([ScriptedServer.UNREAD], "closed the connection without an answer")


func test_error_status() -> void:
	var body := '{"error": {"message": "no such model"}}'
	await _check_fails(
		"HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s" % [body.length(), body],
		"answered 404. no such model"
	)


func test_a_wrong_path_is_told_from_a_model_that_is_missing() -> void:
	var head := "HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s"
	var body := '{"error": {"message": "File Not Found"}}'
	var request := await _asked([head % [body.length(), body]])
	check_contains(request.get_error(), "answered 404. File Not Found")
	check_contains(request.get_error(), "Asked for was /v1/chat/completions: base_url may have")
	await _check_fails(head % [0, ""], "the wrong path")
	body = body.replace("File Not", "Model not")
	request = await _asked([head % [body.length(), body]])
	check(not "path" in request.get_error(), request.get_error())


func test_endless_error() -> void:
	var flood := func() -> String: return "a".repeat(60000)
	await _check_fails(["HTTP/1.1 418 Teapot\r\nConnection: close\r\n\r\n", flood], "answered 418")


func test_redirect_elsewhere() -> void:
	var answer := "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n"
	await _check_fails(answer, "http://evil.example/, which is not followed")


func test_redirect_without_a_place() -> void:
	await _check_fails("HTTP/1.1 307 Away\r\nContent-Length: 0\r\n\r\n", "somewhere else")


func test_login_page() -> void:
	await _check_fails(
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>", "answered with text/html"
	)


func test_no_content_type() -> void:
	await _check_fails(
		"HTTP/1.1 200 OK\r\n\r\n" + ScriptedServer.events(["Mira."]), "gives no type"
	)


func test_server_that_does_not_stream() -> void:
	var body := '{"choices":[{"message":{"content":"Mira."},"finish_reason":"stop"}]}'
	await _check_answers(HEAD.replace("text/event-stream", "application/json") + body, "Mira.")


func test_json_without_an_answer() -> void:
	await _check_fails(HEAD.replace("text/event-stream", "application/json") + "{}", "has no text")


func test_answer_without_its_length() -> void:
	var head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
	await _check_fails(head + "{}", "empty answer, or one without its length")


func test_no_content() -> void:
	await _check_fails("HTTP/1.1 204 No Content\r\n\r\n", "answered 204")


func test_nobody_listens() -> void:
	var server := ScriptedServer.new([""])
	var model := server.model()
	server.close()
	var request := model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "Nothing answers at 127.0.0.1")
	var available := model.is_available_async()
	check_equal(await available.completed, false)
	check_contains(available.get_error(), "Nothing answers")


func test_no_tls() -> void:
	var server := ScriptedServer.new(["HTTP/1.1 200 OK\r\n\r\n"])
	# The server waits for a header, and the client for a handshake: not as long as for an answer.
	var model := server.model(60.0)
	model.base_url = model.base_url.replace("http:", "https:")
	var request := model.generate_async(QUESTION)
	await request.completed
	server.close()
	check_contains(request.get_error(), "No encrypted connection came about with 127.0.0.1")
	check_contains(request.get_error(), "is it http://?")
	check_equal(request.get_result(), "")


func test_a_connection_that_is_not_taken() -> void:
	var listener := TCPServer.new()
	listener.listen(0, "127.0.0.1")
	var waiting: Array[StreamPeerTCP] = []
	for number: int in 40:
		waiting.append(StreamPeerTCP.new())
		waiting[-1].connect_to_host("127.0.0.1", listener.get_local_port())
		waiting[-1].poll()
	await frames(5)
	var model := NPCOpenAILanguageModel.new()
	model.base_url = "http://127.0.0.1:%d/v1" % listener.get_local_port()
	model.timeout_seconds = 1.0
	var request := model.generate_async(QUESTION)
	await request.completed
	check_contains(request.get_error(), "Nothing answers at 127.0.0.1")
	listener.stop()


func test_busy_server_is_asked_again() -> void:
	var busy := "HTTP/1.1 429 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
	var request := await _asked([busy, busy, HEAD + ScriptedServer.events(["Mira."])])
	check_equal(request.get_result(), "Mira.")
	request = await _asked([busy], {"retries": 1})
	check_contains(request.get_error(), "answered 429")


func test_odd_times_to_wait() -> void:
	for seconds: String in ["-1", "nan", "1e-9", "Fri, 31 Dec 1999 23:59:59 GMT"]:
		var busy := "HTTP/1.1 429 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n" % seconds
		var request := await _asked([busy, HEAD + ScriptedServer.events(["Mira."])])
		check_equal(request.get_result(), "Mira.", seconds)


func test_server_that_asks_to_wait_for_a_day() -> void:
	for seconds: String in ["86400", "1e300"]:
		var busy := "HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n" % seconds
		await _check_fails(busy, "asks to wait 86400 seconds")


func test_control_characters_of_a_server_do_not_reach_the_output() -> void:
	var text := "Gone%s[2J%s mad" % [char(0x1b), char(7)]
	var answer := "HTTP/1.1 500 Oh\r\nContent-Length: %d\r\n\r\n%s"
	await _check_fails(answer % [text.to_utf8_buffer().size(), text], "answered 500. Gone [2J  mad")


func test_an_answer_that_has_begun_is_not_asked_for_again() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	var server := ScriptedServer.new([HEAD + piece, HEAD + ScriptedServer.events(["Mira."])])
	var request := server.model().generate_async(QUESTION)
	await request.completed
	server.close()
	check_contains(request.get_error(), "in the middle")
	check_equal(server.requests.size(), 1)


func test_cancel_closes_the_connection() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	var server := ScriptedServer.new([[HEAD + piece, 60000]])
	var model := server.model()
	var texts := PackedStringArray()
	model.chunk.connect(func(_request: MemoryRequest, text: String) -> void: texts.append(text))
	var request := model.generate_async(QUESTION)
	await until(func() -> bool: return not texts.is_empty())
	request.cancel()
	await request.completed
	check_contains(request.get_error(), "cancelled")
	await until(func() -> bool: return server.connections_closed_by_client == 1)
	server.close()
	check_equal("".join(texts), "I am")


func test_no_frame_waits_for_what_is_cancelled() -> void:
	var server := ScriptedServer.new([[60000]])
	var model := server.model()
	var request := model.generate_async(QUESTION)
	await until(func() -> bool: return not server.requests.is_empty())
	request.cancel()
	await get_tree().process_frame
	check(not request.is_completed(), "its thread has not ended yet, and nobody has waited for it")
	await request.completed
	check_contains(request.get_error(), "cancelled")
	await until(func() -> bool: return server.connections_closed_by_client == 1)
	server.close()


func test_cancel_of_an_endless_header() -> void:
	var flood := func() -> String: return "X-Flood: %s\r\n" % "a".repeat(60000)
	var server := ScriptedServer.new([["HTTP/1.1 200 OK\r\n", flood]])
	var address := server.model()._RAGServerQuestion.RAGServerAddress.new(
		"http://127.0.0.1:%d" % server.port
	)
	var answer := server.model()._RAGLanguageAnswer.new()
	var reader := server.model()._RAGStreamReader.new(Callable(), answer)
	var exchange := server.model()._RAGHttpExchange.new(address, reader, 20.0)
	exchange.start(HTTPClient.METHOD_GET, "/", PackedStringArray(), PackedByteArray())
	await until(func() -> bool: return not server.requests.is_empty())
	exchange.give_up()
	await until(
		func() -> bool:
			exchange.unstick()
			return exchange.is_done()
	)
	exchange.join()
	check_equal(exchange.status, 0)
	server.close()


func test_no_thread_is_left_behind() -> void:
	var piece := 'data: {"choices":[{"delta":{"content":"I am"}}]}\n\n'
	var answers: Array = [
		"", [HEAD + piece, 60000], [60000], HEAD + ScriptedServer.events(["Mira."])
	]
	var server := ScriptedServer.new(answers)
	var model := server.model()
	model.max_parallel_calls = 4
	await model.generate_async(QUESTION).completed
	var before := _threads()
	for time in 40:
		var request := model.generate_async(QUESTION, {"retries": 0})
		await frames(time % 5)
		request.cancel()
		await until(request.is_completed)
	check_equal(model.get_usage()["running"], 0)
	check_equal(_threads(), before)
	server.close()


# Of this process; 0 on systems that do not tell.
func _threads() -> int:
	var status := FileAccess.get_file_as_string("/proc/self/status")
	return status.get_slice("Threads:", 1).get_slice("\n", 0).strip_edges().to_int()

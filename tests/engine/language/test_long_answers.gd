# Answers of a model that are far too long, in one piece or complete. No test looks at the clock:
# they count what is read in one call, told in one frame, or kept.
extends "res://tests/engine/case.gd"

const StreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")
const LanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")
const ScriptedServer := preload("scripted_server.gd")
const LONG := 60_000
const TOO_LONG := 400_000
## The most that one frame is told.
const SLICE := 8192


func _repeated(part: String, length: int) -> String:
	return part.repeat(ceili(float(length) / part.length()))


# Where the answers go on, no frame is told more than a slice.
func test_an_npc_tells_a_long_answer_in_slices() -> void:
	var text := _repeated("Good evening. ", LONG)
	for answer_text: String in [text, '{"response": "%s"}' % text]:
		for is_streamed: bool in [true, false]:
			var model := NPCCallableLanguageModel.new()
			model.callable = func(_messages: Array, options: Dictionary) -> String:
				if is_streamed:
					(options["on_chunk"] as Callable).call(answer_text)
					await frames(30)
				return answer_text
			var dialogue := NPCDialogue.new()
			dialogue.model = model
			make_memory().add_child(dialogue)
			var heard := PackedStringArray()
			dialogue.chunk.connect(func(piece: String) -> void: heard.append(piece))
			var answer: Dictionary = await dialogue.say("Hello.").completed
			check(answer["response"] == text.strip_edges(), "the whole of it")
			check("".join(heard).strip_edges() == answer["response"], "and told to the end")
			for piece: String in heard:
				check(piece.length() <= SLICE, "%d at once" % piece.length())


func test_an_answer_that_is_too_long_is_an_error_also_when_it_is_complete() -> void:
	var answer := LanguageAnswer.new()
	answer.add("a".repeat(LanguageAnswer.MOST_CHARS))
	check_equal(answer.problem, "")
	answer.add("b".repeat(TOO_LONG))
	check_contains(answer.problem, "65536 characters")
	check_equal(answer.length(), LanguageAnswer.MOST_CHARS)
	check_equal(answer.take_new().length(), LanguageAnswer.MOST_CHARS, "no more is kept")
	var model := NPCCallableLanguageModel.new()
	model.callable = func(_messages: Array, _options: Dictionary) -> String:
		return "word and ".repeat(TOO_LONG)
	var request := model.generate_async([{"role": "user", "content": "Hello."}])
	check_equal(await request.completed, "")
	check_contains(request.get_error(), "more than 65536 characters")


func test_a_server_that_sends_too_long_an_answer_in_one_piece_is_an_error() -> void:
	var events: Array[String] = [
		'{"message": {"role": "assistant", "content": "%s"}, "done": true, "done_reason": "stop"}',
		'{"choices": [{"delta": {"content": "%s"}, "finish_reason": "stop"}]}',
	]
	for index: int in events.size():
		var event := events[index] % _repeated("word and ", TOO_LONG)
		var reader := StreamReader.new(
			(
				NPCOllamaLanguageModel._read_event
				if index == 0
				else NPCOpenAILanguageModel._read_event
			),
			LanguageAnswer.new()
		)
		reader.begin("application/json")
		check_equal(reader.feed(event.to_utf8_buffer()), "")
		check_contains(reader.finish(), "more than 65536 characters")
	var body := events[1] % _repeated("word and ", TOO_LONG)
	var head := ScriptedServer.OK_HEAD.replace("text/event-stream", "application/json")
	var server := ScriptedServer.new([[head, body]])
	var request := server.model().generate_async([{"role": "user", "content": "Hello."}])
	check_equal(await request.completed, "")
	server.close()
	check_contains(request.get_error(), "more than 65536 characters")


# A line that comes in many pieces is searched once.
func test_a_long_line_comes_in_many_pieces() -> void:
	var events: Array[Dictionary] = []
	var reader := StreamReader.new(
		func(event: Dictionary, _answer: LanguageAnswer) -> void: events.append(event),
		LanguageAnswer.new()
	)
	reader.begin("application/x-ndjson")
	var line := JSON.stringify({"text": "ü".repeat(100_000)}) + "\n"
	var bytes := (line + '{"text": "more"}\n{"text": "mo').to_utf8_buffer()
	for at: int in range(0, bytes.size(), 1000):
		check_equal(reader.feed(bytes.slice(at, at + 1000)), "")
	check_equal(events.size(), 2)
	check_equal((events[0]["text"] as String).length(), 100_000)


# As many attempts as there are, the answer is looked at three times.
func test_an_answer_full_of_braces_is_speech() -> void:
	var config := MemoryConfig.new()
	for part: String in ["{", '{"', "{ a ", '{"a": ']:
		var text := _repeated(part, config.max_answer_chars - 100)
		var answer := NPCContextBuilder.parse_response(text, config)
		check_equal(answer["is_json"], false, part)
	var late := '{"a": 1} '.repeat(5) + '{"response": "Hello."}'
	check_equal(NPCContextBuilder.parse_response(late)["response"], "Hello.")
	var unfinished := '{"response": "' + _repeated('\\"Hm\\" ', 60_000)
	var spoken: String = NPCContextBuilder.parse_response(unfinished)["response"]
	check(spoken.begins_with('"Hm" "Hm"') and spoken.length() > 30_000, "unfinished JSON")

# Answers of a model that are far too long, in one piece or complete. No test looks at the clock:
# they count what is read in one call, told in one frame, or kept.
extends "res://tests/engine/case.gd"

const SpeechReader := preload("res://addons/rag_memory/language/speech_reader.gd")
const StreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")
const LanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")
const ScriptedServer := preload("scripted_server.gd")
const LONG := 60_000
const TOO_LONG := 400_000
const SPEECHES: Array[String] = [
	"word and ",
	"\\n",
	"\\u00fc",
	'\\"',
	"\\\\",
	"😀",
	"\\ud83d\\ude00",
	"\\x",
	"\\ud83d",
	'{\\"a\\": '
]


func _repeated(part: String, length: int) -> String:
	return part.repeat(ceili(float(length) / part.length()))


# What the reader says of an answer; no call may say more than a slice of it.
func _spoken(answer: String) -> String:
	var reader := SpeechReader.new()
	var said := PackedStringArray([reader.feed(answer)])
	check(said[0].length() <= SpeechReader.SLICE, "the first slice")
	var calls := 1
	while reader.has_more():
		said.append(reader.read_on())
		check(said[-1].length() <= SpeechReader.SLICE, "slice %d" % calls)
		calls += 1
		if calls > ceili(float(answer.length()) / SpeechReader.SLICE) + 8:
			check(false, "the reader goes on for ever")
			break
	return "".join(said)


# The same, fed with a few characters at a time.
func _spoken_in_pieces(answer: String, length: int) -> String:
	var reader := SpeechReader.new()
	var said := ""
	for at: int in range(0, answer.length(), length):
		said += reader.feed(answer.substr(at, length))
	return said


func test_a_long_speech_is_read_in_slices() -> void:
	for speech: String in SPEECHES:
		var text := _repeated(speech, LONG)
		var answer := '{"response": "%s", "analysis": {}}' % text
		var json := JSON.new()
		var expected := ""
		if json.parse('"%s"' % text) == OK:
			expected = json.data
		check(_spoken(answer) == expected, speech)
		check(_spoken('{"response": "%s' % text) == expected, "unfinished: " + speech)


func test_slices_and_pieces_say_the_same() -> void:
	for speech: String in SPEECHES:
		var answer := '{"response": "%s"}' % _repeated("Hm, " + speech, 3000)
		var whole := _spoken(answer)
		check(whole.begins_with("Hm, "), speech)
		for length: int in [1, 5, 7, 1000]:
			check(
				_spoken_in_pieces(answer, length) == whole, "%s in pieces of %d" % [speech, length]
			)


func test_an_escape_that_json_does_not_have_takes_nothing_else_with_it() -> void:
	var speeches := {
		"\\ud83dgood evening": "good evening",
		"\\ud83d\\n\\nHello": "\n\nHello",
		"\\ud83d\\u00fcber": "über",
		"\\ud83d\\ud83d\\ude00!": "😀!",
		"\\ud83d": "",
		'\\x\\q\\n\\"\\/': '\n"/',
	}
	for speech: String in speeches:
		var answer := '{"response": "%s", "analysis": {}}' % speech
		check(_spoken(answer) == speeches[speech], speech)
		for length: int in [1, 2, 3, 7]:
			check(
				_spoken_in_pieces(answer, length) == speeches[speech], "%s by %d" % [speech, length]
			)


func test_what_was_read_is_dropped() -> void:
	for beginning: String in ['{"response": "', "", '{"thought": "']:
		var reader := SpeechReader.new()
		reader.feed(beginning)
		for number: int in 2000:
			reader.feed("word and ")
		var text: String = reader.get("_text")
		check(text.length() < 1000, "%d characters after %s" % [text.length(), beginning])


func test_a_long_answer_without_json_is_read_in_slices() -> void:
	var text := _repeated("Good evening. ", LONG)
	check(_spoken(text) == text, "as it is")
	check(_spoken(" ".repeat(LONG) + "Hello.") == "Hello.", "after blanks")
	check(_spoken("{" + " ".repeat(LONG) + '"response"  :  "Hello."}') == "Hello.", "late JSON")
	check(_spoken('{"response"' + " ".repeat(LONG)) == "", "no speech")


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
				check(piece.length() <= SpeechReader.SLICE, "%d at once" % piece.length())


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

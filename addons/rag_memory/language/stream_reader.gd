extends RefCounted
## Reads what a server sends, as it comes: server-sent events, a line of JSON each, or one JSON.
##
## Each event goes to a Callable on the thread that reads. That one is stateless but for the answer
## it fills.

const RAGLanguageAnswer := preload("res://addons/rag_memory/language/language_answer.gd")

const _MOST_EVENT_BYTES := 1024 * 1024
const _NEWLINE := 10
const _EVENT_STREAM := "text/event-stream"
const _JSON_LINES: Array[String] = ["application/x-ndjson", "application/jsonl"]
const _JSON := "application/json"
## A mark of its byte order, with which a text may begin.
const _MARK: Array[int] = [0xEF, 0xBB, 0xBF]

## Grows with everything that says something new.
var heard := 0
## [code]true[/code] if the answer has ended, though the connection may not have.
var is_complete := false

var _kind := ""
var _read_event: Callable
var _answer: RAGLanguageAnswer
var _left := PackedByteArray()
var _data := PackedByteArray()


## [param read_event] takes an event (Dictionary) and the [param answer].
func _init(read_event: Callable, answer: RAGLanguageAnswer) -> void:
	_read_event = read_event
	_answer = answer


## Returns whether the text is all there, though the server may count tokens yet.
func has_text() -> bool:
	return _answer.is_complete


## The JSON in these bytes, or null.
static func parsed(marked: PackedByteArray) -> Variant:
	var bytes := _without_mark(marked)
	var text := bytes.get_string_from_utf8()
	var json := JSON.new()
	if text.to_utf8_buffer() != bytes or json.parse(text) != OK:
		return null
	return json.data


## The content type of the answer. Returns why it cannot be read.
func begin(kind: String) -> String:
	_kind = kind
	if kind == _EVENT_STREAM or kind == _JSON or kind in _JSON_LINES:
		return ""
	var words := "answered with %s, which is no answer of a model. Is base_url right?"
	return words % (kind.left(80) if kind else "something that it gives no type for")


## Returns why the rest is not to be read.
func feed(bytes: PackedByteArray) -> String:
	var end := _left.size()
	_left.append_array(bytes)
	if _kind == _JSON:
		return ""
	var from := 0
	# The rest of the buffer has no end of a line.
	end = _left.find(_NEWLINE, end)
	while end >= 0:
		var problem := _take_line(_left.slice(from, end))
		if problem or is_complete:
			return problem
		from = end + 1
		end = _left.find(_NEWLINE, from)
	if from > 0:
		_left = _left.slice(from)
	if _left.size() > _MOST_EVENT_BYTES:
		return "sent a line of more than %d MiB." % (_MOST_EVENT_BYTES >> 20)
	return ""


## The server has closed the connection. Returns why what it sent is no whole answer.
func finish() -> String:
	if _kind == _JSON:
		if _left.is_empty():
			return "sent an empty answer, or one without its length."
		var problem := _take(_left)
		return problem if problem or _answer.is_complete else "sent an answer that has no text."
	if not is_complete and not _left.is_empty():
		var problem := _take_line(_left)
		if problem:
			return problem
	if not is_complete and not _data.is_empty():
		var problem := _take(_data)
		if problem:
			return problem
	if _answer.is_complete:
		return ""
	return "closed the connection in the middle of the answer."


static func _without_mark(bytes: PackedByteArray) -> PackedByteArray:
	return bytes.slice(3) if Array(bytes.slice(0, 3)) == _MARK else bytes


func _take_line(marked: PackedByteArray) -> String:
	var line := _without_mark(marked)
	if not line.is_empty() and line[-1] == 13:
		line.resize(line.size() - 1)
	if _kind != _EVENT_STREAM:
		return "" if line.is_empty() else _take(line)
	if line.is_empty():
		var data := _data
		_data = PackedByteArray()
		return "" if data.is_empty() else _take(data)
	if line.size() >= 5 and line.slice(0, 5).get_string_from_ascii() == "data:":
		if not _data.is_empty():
			_data.append(_NEWLINE)
		_data.append_array(line.slice(6 if line.size() > 5 and line[5] == 32 else 5))
		if _data.size() > _MOST_EVENT_BYTES:
			return "sent an event of more than %d MiB." % (_MOST_EVENT_BYTES >> 20)
	return ""


func _take(data: PackedByteArray) -> String:
	if data.size() == 6 and data.get_string_from_ascii() == "[DONE]":
		_answer.is_complete = true
		is_complete = true
		return ""
	var event: Variant = parsed(data)
	if not event is Dictionary:
		return "sent what is no JSON in UTF-8."
	var before := _answer.length()
	_read_event.call(event, _answer)
	if _answer.problem:
		return "told an error: " + _answer.problem
	if _answer.length() > before or _answer.has_progress:
		heard += 1
		_answer.has_progress = false
	is_complete = _answer.is_complete and not _answer.awaits_end
	return ""

extends RefCounted
## The speech in an answer that is still coming: the text of "response" in a JSON object, or
## an answer that is no JSON as it is. Never JSON.
##
## A large piece is read in slices, so that no frame takes long: feed() returns the first
## one, and read_on() the next ones.

enum RAGState { BEFORE, SEARCHING, SPEAKING, PLAIN, DONE }

const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
## The most characters of an answer that one call reads: less than a millisecond.
const SLICE := 8192
const _FENCE := "```"
const _QUOTE := '"'
const _BACKSLASH := "\\"
## By their second character; JSON has no others of this length.
const _SHORT_ESCAPES := {
	'"': '"',
	"\\": "\\",
	"/": "/",
	"b": "\b",
	"f": "\f",
	"n": "\n",
	"r": "\r",
	"t": "\t",
}
const _SHORT_ESCAPE := 2
const _LONG_ESCAPE := 6
## Two escapes of a character beyond U+FFFF.
const _LONGEST_ESCAPE := 2 * _LONG_ESCAPE
## The longest beginning of a speech that may be cut by the end of a slice.
const _LONGEST_START := 256

static var _start := RegEx.create_from_string('"response"\\s{0,99}+:\\s{0,99}+"')
## Text of a JSON string up to its end, or up to an escape that is not all there. The first half of
## a character beyond U+FFFF is all there with its second half, or when something else follows it.
static var _content := RegEx.create_from_string(
	(
		'(?s)\\G(?:[^"\\\\]++|\\\\u(?![dD][89abAB]).{4}|\\\\[^u]'
		+ "|\\\\u[dD][89abAB].{2}(?:\\\\u[dD][c-fC-F].{2}"
		+ "|(?=[^\\\\]|\\\\[^u]|\\\\u[^dD]|\\\\u[dD][^c-fC-F])))*+"
	)
)
static var _second_half := RegEx.create_from_string("^\\\\u[dD][c-fC-F]")

var _state := RAGState.BEFORE
var _text := ""
## The position of the text that was not read yet. The text before it is dropped with the next
## piece: an answer that comes word by word would be copied as a whole for each of them.
var _at := 0


## Takes in more of the answer; returns what she says in its next slice.
func feed(text: String) -> String:
	if _state == RAGState.DONE:
		return ""
	_text = _text.substr(_at) + text
	_at = 0
	return read_on()


## Returns whether read_on() has more to read, though no more of the answer has come.
func has_more() -> bool:
	var unread := _text.length() - _at
	match _state:
		RAGState.SEARCHING:
			return unread > _LONGEST_START
		RAGState.SPEAKING:
			return unread > _LONGEST_ESCAPE
		RAGState.PLAIN:
			return unread > 0
	return false


## Reads the next slice; returns what she says in it.
func read_on() -> String:
	if _state == RAGState.BEFORE:
		_find_out()
	elif _state == RAGState.SEARCHING:
		_search()
	elif _state == RAGState.SPEAKING:
		return RAGPlayerText.visible(_spoken(), true)
	elif _state == RAGState.PLAIN:
		var said := _text.substr(_at, SLICE)
		_at += said.length()
		return RAGPlayerText.visible(said, true)
	# Work begun in this slice may go on in it.
	return read_on() if _state == RAGState.SPEAKING or _state == RAGState.PLAIN else ""


## A fence or a brace at the beginning means JSON.
func _find_out() -> void:
	var begin := _text.strip_edges(true, false)
	if begin.begins_with("{") or begin.begins_with(_FENCE):
		_state = RAGState.SEARCHING
		_search()
	elif begin.is_empty():
		_text = ""
	elif not _FENCE.begins_with(begin):
		_at = _text.length() - begin.length()
		_state = RAGState.PLAIN


func _search() -> void:
	var slice := _text.substr(_at, SLICE)
	var start := _start.search(slice)
	if start != null:
		_at += start.get_end()
		_state = RAGState.SPEAKING
	elif slice.length() > _LONGEST_START:
		_at += slice.length() - _LONGEST_START


func _spoken() -> String:
	var slice := _text.substr(_at, SLICE)
	var length := _content.search(slice).get_end()
	_at += length
	if length < slice.length() and slice[length] == _QUOTE:
		_state = RAGState.DONE
	return _unescaped(slice.left(length))


## An escape that JSON does not have is left out.
static func _unescaped(content: String) -> String:
	if not _BACKSLASH in content:
		return content
	var json := JSON.new()
	if json.parse('"%s"' % content) == OK and json.data is String:
		return json.data
	var parts := PackedStringArray()
	var at := 0
	var escape := content.find(_BACKSLASH)
	while escape >= 0:
		parts.append(content.substr(at, escape - at))
		var length := _escape_length(content, escape)
		if length == _SHORT_ESCAPE:
			parts.append(_SHORT_ESCAPES.get(content[escape + 1], "") as String)
		elif json.parse('"%s"' % content.substr(escape, length)) == OK and json.data is String:
			parts.append(json.data as String)
		at = escape + length
		escape = content.find(_BACKSLASH, at)
	parts.append(content.substr(at))
	return "".join(parts)


## Of the escape that begins here; a character beyond U+FFFF has two of them.
static func _escape_length(text: String, at: int) -> int:
	if text[at + 1] != "u":
		return _SHORT_ESCAPE
	var is_first_half := text.substr(at + 2, 2).to_lower() in ["d8", "d9", "da", "db"]
	if is_first_half and _second_half.search(text.substr(at + _LONG_ESCAPE, 4)) != null:
		return _LONGEST_ESCAPE
	return _LONG_ESCAPE

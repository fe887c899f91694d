extends RefCounted
## What an NPC says in an answer that is still coming: the text of "response" in a JSON object, or
## an answer that is no JSON as it is. Never JSON.

enum RAGState { BEFORE, SEARCHING, SPEAKING, PLAIN, DONE }

const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const _FENCE := "```"
const _BACKSLASH := 0x5C
const _QUOTE := 0x22
const _SHORT_ESCAPE := 2
const _LONG_ESCAPE := 6

static var _speech := RegEx.create_from_string('"response"\\s*:\\s*"')

var _state := RAGState.BEFORE
var _text := ""
## Where the part of the text begins that was not read yet.
var _at := 0


## Takes in more of the answer; returns what she says in it.
func feed(text: String) -> String:
	_text += text
	if _state == RAGState.BEFORE:
		_find_out()
	if _state == RAGState.SEARCHING:
		var found := _speech.search(_text)
		if found != null:
			_at = found.get_end()
			_state = RAGState.SPEAKING
	var said := ""
	if _state == RAGState.PLAIN:
		said = _text.substr(_at)
		_at = _text.length()
	elif _state == RAGState.SPEAKING:
		said = _spoken()
	return RAGPlayerText.visible(said, true)


## A fence or a brace at the beginning means JSON.
func _find_out() -> void:
	var begin := _text.strip_edges(true, false)
	if begin.begins_with("{") or begin.begins_with(_FENCE):
		_state = RAGState.SEARCHING
	elif begin and not _FENCE.begins_with(begin):
		_at = _text.length() - begin.length()
		_state = RAGState.PLAIN


func _spoken() -> String:
	var said := ""
	while _at < _text.length():
		var code := _text.unicode_at(_at)
		if code == _QUOTE:
			_state = RAGState.DONE
			break
		if code != _BACKSLASH:
			said += _text[_at]
			_at += 1
			continue
		var length := _escape_length()
		if _at + length > _text.length():
			break
		var meant: Variant = JSON.parse_string('"%s"' % _text.substr(_at, length))
		said += meant as String if meant is String else ""
		_at += length
	return said


## Of the escape that begins here, as far as it is known; a character beyond U+FFFF has two of them.
func _escape_length() -> int:
	if _at + 1 >= _text.length() or _text[_at + 1] != "u":
		return _SHORT_ESCAPE
	var number := _text.substr(_at + 2, 4)
	var is_first_half := (
		number.length() == 4 and number.to_lower().left(2) in ["d8", "d9", "da", "db"]
	)
	return 2 * _LONG_ESCAPE if is_first_half else _LONG_ESCAPE

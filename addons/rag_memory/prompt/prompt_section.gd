extends RefCounted
## One section of a prompt with its token budget. A line that does not fit is not taken, so the
## section is never over.

const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
## As RAGMemory.estimate_tokens() does, without a call to the worker for every line.
const CHARACTERS_PER_TOKEN := 3
const _SEPARATOR_LENGTH := 2
## Shorter than this a cut line tells nothing.
const _SHORTEST_CUT := 12
const _LEAST_OF_A_LINE := 60

## Of the prompt: what stands in its tags.
var title: String
var budget: int
var dropped := 0
## The lines of which only the beginning was taken.
var cut := 0

var _lines := PackedStringArray()
var _length: int


func _init(section_title: String, token_budget: int) -> void:
	title = section_title
	budget = token_budget
	# The tags and the blank line after the section belong to its budget.
	_length = _opening().length() + _closing().length() + _SEPARATOR_LENGTH


static func tokens_of(length: int) -> int:
	return ceili(length / float(CHARACTERS_PER_TOKEN))


## Takes the line when it fits; counts it as dropped when it does not.
func add(line: String) -> bool:
	if not fits(line):
		dropped += 1
		return false
	_lines.append(line)
	_length += line.length() + 1
	return true


## Takes the line, cut at the end of a sentence or word when the rest does not fit.
func add_shortened(line: String, suffix := "") -> bool:
	if fits(line + suffix):
		return add(line + suffix)
	var room := budget * CHARACTERS_PER_TOKEN - _length - 1 - suffix.length()
	if room < _SHORTEST_CUT:
		dropped += 1
		return false
	return add(RAGPlayerText.shortened(line, room) + suffix)


## Takes the line, or its first sentences where it does not fit as a whole.
func add_beginning(line: String) -> bool:
	var room := budget * CHARACTERS_PER_TOKEN - _length - 1
	if fits(line) or room < _LEAST_OF_A_LINE:
		return add(line)
	cut += 1
	return add(RAGPlayerText.shortened(line, room))


## Takes lines of which the last matters most: the newest that fit, in their order.
func add_newest(lines: PackedStringArray) -> void:
	var first := lines.size()
	var length := _length
	while first > 0:
		length += lines[first - 1].length() + 1
		if tokens_of(length) > budget:
			break
		first -= 1
	if first == lines.size() and not lines.is_empty():
		first -= 1
		add_shortened(lines[first].trim_suffix('"'), '"')
		dropped += first
		return
	dropped += first
	for line: String in lines.slice(first):
		add(line)


func fits(line: String) -> bool:
	return tokens_of(_length + line.length() + 1) <= budget


## The tokens that a text may have to fit as it is.
func room() -> int:
	return maxi(
		0, floori((budget * CHARACTERS_PER_TOKEN - _length - 1) / float(CHARACTERS_PER_TOKEN))
	)


func lines() -> PackedStringArray:
	return _lines


func is_empty() -> bool:
	return _lines.is_empty()


func tokens() -> int:
	return 0 if is_empty() else tokens_of(_length)


func text() -> String:
	return "" if is_empty() else _opening() + "\n".join(_lines) + "\n" + _closing()


func _opening() -> String:
	return "<%s>\n" % title


func _closing() -> String:
	return "</%s>" % title

extends RefCounted
## The answer of a language model while it is being read: written on one thread, read on another.

## Longer answers are an error, complete or not: nobody reads as much, and a model that never stops
## must end. What is beyond is not kept.
const MOST_CHARS := 65536

## The server said that this is all.
var is_complete := false
## The server says at its very end that this is all; what follows until then may count tokens.
var awaits_end := false
## [code]true[/code] if an event told something new that is no text. Whoever reads this sets it
## back.
var has_progress := false
## The server's error message.
var problem := ""
## [code]true[/code] if there was more than MOST_CHARS.
var is_too_long := false
## "stop", or "length" when the answer was cut off at `max_tokens`.
var finish_reason := ""
var input_tokens := 0
var output_tokens := 0

var _mutex := Mutex.new()
# As they came: a text to which each is added would be copied each time.
var _pieces := PackedStringArray()
var _length := 0
var _taken := 0
var _progress: Array = []


func add(text: Variant) -> void:
	if not text is String or (text as String).is_empty():
		return
	_mutex.lock()
	var room := MOST_CHARS - _length
	var piece := (text as String).left(room)
	_pieces.append(piece)
	_length += piece.length()
	_mutex.unlock()
	if (text as String).length() > room:
		is_too_long = true
		problem = "the answer has more than %d characters" % MOST_CHARS


func length() -> int:
	_mutex.lock()
	var result := _length
	_mutex.unlock()
	return result


func text() -> String:
	_mutex.lock()
	var result := "".join(_pieces)
	_mutex.unlock()
	return result


## Returns the text that was not taken before.
func take_new() -> String:
	_mutex.lock()
	var result := "".join(_pieces.slice(_taken))
	_taken = _pieces.size()
	_mutex.unlock()
	return result


## `share`: 0 to 1.
func tell_progress(status: String, share: float) -> void:
	has_progress = true
	_mutex.lock()
	_progress = [status, share]
	_mutex.unlock()


## The status and share that were told last and not taken before; empty without one.
func take_progress() -> Array:
	_mutex.lock()
	var result := _progress
	_progress = []
	_mutex.unlock()
	return result


func fail(message: Variant) -> void:
	var error := message as Dictionary if message is Dictionary else {"message": message}
	problem = str(error.get("message", error))
	if problem.is_empty():
		problem = "it gives no reason"


## The server says that the model will not answer this.
func refuse() -> void:
	problem = "the model refuses to answer"


func count_tokens(input: Variant, output: Variant) -> void:
	if input is float or input is int:
		input_tokens = clampi(int(input as float), 0, 1 << 40)
	if output is float or output is int:
		output_tokens = clampi(int(output as float), 0, 1 << 40)

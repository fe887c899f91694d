extends RefCounted
## One HTTP request on a thread of its own, so that no frame waits for a server.
##
## The reader runs on that thread and gets what the server sends. The main thread asks `is_done()`
## each frame, and calls `unstick()`: HTTPClient reads a header until there is no more to read,
## which a server that never stops sending can keep up for ever.

const RAGServerAddress := preload("res://addons/rag_memory/language/server_address.gd")
const RAGStreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")

## Of an answer, and of the text of an error.
const MOST_BODY_BYTES := 8 * 1024 * 1024
const MOST_ERROR_BYTES := 64 * 1024
const _MOST_PROBLEM_CHARS := 1000
const _WRONG_PATH := (
	" Asked for was %s: base_url may have the wrong path. OpenAI's API mostly wants /v1 at its end,"
	+ " Ollama's and Anthropic's nothing after the port."
)
const _POLL_USEC := 2000
const _CONNECTING: Array[HTTPClient.Status] = [
	HTTPClient.STATUS_RESOLVING, HTTPClient.STATUS_CONNECTING
]
const _STUCK_MSEC := 5000
## A frame waits for a request that was given up.
const _STUCK_GIVEN_UP_MSEC := 30
## A server that is there takes a connection at once.
const _CONNECTING_MSEC := 10_000
## An answer may take this many times as long as its first words.
const _WHOLE_PER_FIRST := 10
## The time a server may take to count tokens after the answer.
const _AFTERTHOUGHT_MSEC := 2000

## The error in words; empty when the answer was read.
var problem := ""
## Of the answer; 0 when there was none.
var status := 0
## Seconds that the server asked to wait, -1 when it did not.
var retry_after := -1.0
## For work that may last for hours, as long as something is heard.
var is_long := false
## A secret that must not appear in a message.
var secret := ""
## The beginning of the answer when its status is an error.
var error_body := ""

var _address: RAGServerAddress
var _method: HTTPClient.Method
var _path: String
var _headers: PackedStringArray
var _body: PackedByteArray
var _reader: RAGStreamReader
var _timeout_msec: int
var _client := HTTPClient.new()
var _thread := Thread.new()
var _is_given_up := false
var _is_done := false
var _busy_since_msec := 0
var _is_stuck := false
var _began_msec := 0
var _heard_msec := 0


## [param reader] is fed on the thread.
func _init(address: RAGServerAddress, reader: RAGStreamReader, timeout_seconds: float) -> void:
	_address = address
	_reader = reader
	_timeout_msec = int(clampf(timeout_seconds, 0.1, 3600.0) * 1000.0)


func start(
	method: HTTPClient.Method, path: String, headers: PackedStringArray, body: PackedByteArray
) -> void:
	_method = method
	_path = path
	_headers = headers
	_body = body
	_thread.start(_run)


func is_done() -> bool:
	return _is_done


## On the main thread, each frame.
func unstick() -> void:
	var since := _busy_since_msec
	var limit := _STUCK_GIVEN_UP_MSEC if _is_given_up else _STUCK_MSEC
	if since > 0 and Time.get_ticks_msec() - since > limit and not _is_stuck:
		_is_stuck = true
		_cut_off()


## Closes the connection. `is_done()` follows soon.
func give_up() -> void:
	_is_given_up = true


## Waits for the thread, which has to be done or given up.
func join() -> void:
	if _thread.is_started():
		while not _is_done:
			unstick()
			OS.delay_usec(_POLL_USEC)
		_thread.wait_to_finish()


func _cut_off() -> void:
	var stream: StreamPeer = _client.connection
	if stream is StreamPeerTLS:
		stream = (stream as StreamPeerTLS).get_stream()
	if stream is StreamPeerTCP:
		(stream as StreamPeerTCP).disconnect_from_host()


func _run() -> void:
	_began_msec = Time.get_ticks_msec()
	_heard_msec = _began_msec
	problem = _exchanged()
	if _is_stuck:
		problem = (
			"The server at %s sent a header without an end, or took in nothing." % _address.shown()
		)
	problem = _without_key(problem).left(_MOST_PROBLEM_CHARS)
	_client.close()
	_is_done = true


func _exchanged() -> String:
	var tls := TLSOptions.client() if _address.is_encrypted else null
	var error := _client.connect_to_host(_address.host, _address.port, tls)
	if error != OK:
		return "%s cannot be reached: %s." % [_address.shown(), error_string(error)]
	var halt := _waited(_CONNECTING)
	if halt:
		return halt
	if _client.get_status() != HTTPClient.STATUS_CONNECTED:
		return _unconnected()
	_busy_since_msec = Time.get_ticks_msec()
	error = _client.request_raw(_method, _path, _headers, _body)
	_busy_since_msec = 0
	if error != OK:
		return "%s did not take in the question: %s." % [_address.shown(), error_string(error)]
	halt = _waited([HTTPClient.STATUS_REQUESTING])
	return halt if halt else _answered()


## Polls as long as the status is one of these. Returns why it has to end, or nothing.
func _waited(statuses: Array[HTTPClient.Status]) -> String:
	while _client.get_status() in statuses:
		_busy_since_msec = Time.get_ticks_msec()
		_client.poll()
		_busy_since_msec = 0
		var halt := _halted()
		if halt:
			return halt
		OS.delay_usec(_POLL_USEC)
	return ""


func _halted() -> String:
	var now := Time.get_ticks_msec()
	if _is_given_up:
		return "The request was cancelled."
	if _client.get_status() in _CONNECTING:
		var limit := mini(_timeout_msec, _CONNECTING_MSEC)
		return _unconnected() if now - _began_msec > limit else ""
	if now - _heard_msec > _timeout_msec:
		return (
			"%s sent nothing to read for %s seconds. A larger model needs a larger timeout_seconds."
			% [_address.shown(), _timeout_msec / 1000.0]
		)
	if _reader.has_text() and now - _heard_msec > _AFTERTHOUGHT_MSEC:
		return "%s did not end its answer." % _address.shown()
	if not is_long and now - _began_msec > _timeout_msec * _WHOLE_PER_FIRST:
		var words := "%s was still sending after %s seconds."
		return words % [_address.shown(), _timeout_msec * _WHOLE_PER_FIRST / 1000.0]
	return ""


func _unconnected() -> String:
	match _client.get_status():
		HTTPClient.STATUS_CONNECTING when _client.connection is StreamPeerTLS:
			var question := "does the server speak https, or is it http://?"
			return "No encrypted connection came about with %s: %s" % [_address.shown(), question]
		HTTPClient.STATUS_CANT_RESOLVE, HTTPClient.STATUS_RESOLVING:
			return "There is no host %s, or this computer has no network." % _address.host
		HTTPClient.STATUS_TLS_HANDSHAKE_ERROR:
			return (
				"%s has no certificate that can be trusted, or speaks no TLS." % _address.shown()
				+ " For a certificate of your own see Project Settings > Network > TLS."
			)
	return "Nothing answers at %s. Is the server running, and base_url right?" % _address.shown()


## Of all that a server says, before it is cut: half a key would be found no more. Control
## characters would move the cursor of a terminal.
func _without_key(text: String) -> String:
	var readable := RegEx.create_from_string("[^\\P{Cc}\\n]+").sub(text, " ", true)
	return readable.replacen(secret, "(the key)") if secret else readable


func _answered() -> String:
	status = _client.get_response_code()
	if status == 0:
		var words := "%s closed the connection without an answer, or it does not speak HTTP."
		return words % _address.shown()
	var kind := ""
	var location := ""
	for header: String in _client.get_response_headers():
		var name := header.get_slice(":", 0).to_lower()
		var value := _without_key(header.substr(name.length() + 1).strip_edges())
		match name:
			"content-type":
				kind = value.get_slice(";", 0).strip_edges().to_lower()
			"retry-after":
				retry_after = minf(value.to_float(), 86400.0) if value.is_valid_float() else -1.0
			"location":
				location = value
			"content-length":
				if not value.is_valid_int() or value.begins_with("-"):
					return "%s gives its answer a length that is none." % _address.shown()
			"content-encoding" when status == 200 and value.to_lower() != "identity":
				return "%s sent its answer packed, which it was not asked for." % _address.shown()
	if status >= 300 and status < 400:
		return (
			"%s sends the question on to %s, which is not followed. Set base_url to the right one."
			% [_address.shown(), location.left(200) if location else "somewhere else"]
		)
	if status != 200:
		return _refused()
	var halt := _reader.begin(kind)
	return "%s %s" % [_address.shown(), halt] if halt else _read()


func _refused() -> String:
	var bytes := PackedByteArray()
	while _client.get_status() == HTTPClient.STATUS_BODY and bytes.size() < MOST_ERROR_BYTES:
		bytes.append_array(_next_bytes())
		if _halted():
			break
	var text := bytes.slice(0, MOST_ERROR_BYTES).get_string_from_ascii()
	var answer: Variant = RAGStreamReader.parsed(bytes)
	if answer is Dictionary:
		var inner: Variant = (answer as Dictionary).get("error", answer)
		text = str((inner as Dictionary).get("message", inner) if inner is Dictionary else inner)
	error_body = _without_key(text).left(500)
	return "%s answered %d. %s" % [_address.shown(), status, error_body] + _hint()


## A server that has no such model says 404, too, and names it.
func _hint() -> String:
	if status != 404 or "model" in error_body.to_lower():
		return ""
	return _WRONG_PATH % _path.left(200)


func _read() -> String:
	var read_bytes := 0
	while _client.get_status() == HTTPClient.STATUS_BODY:
		var bytes := _next_bytes()
		read_bytes += bytes.size()
		if read_bytes > MOST_BODY_BYTES:
			return "%s sent more than %d MiB." % [_address.shown(), MOST_BODY_BYTES >> 20]
		if not bytes.is_empty():
			var text_before := _reader.heard
			var halt := _reader.feed(bytes)
			if halt:
				return "%s %s" % [_address.shown(), halt]
			if _reader.is_complete:
				return ""
			if _reader.heard > text_before:
				_heard_msec = Time.get_ticks_msec()
		var ended := _halted()
		if ended:
			return ended
	var ending := _reader.finish()
	return "%s %s" % [_address.shown(), ending] if ending else ""


func _next_bytes() -> PackedByteArray:
	_busy_since_msec = Time.get_ticks_msec()
	_client.poll()
	var bytes := PackedByteArray()
	if _client.get_status() == HTTPClient.STATUS_BODY:
		bytes = _client.read_response_body_chunk()
	_busy_since_msec = 0
	if bytes.is_empty():
		OS.delay_usec(_POLL_USEC)
	return bytes

# A server of the tests, on a thread: it takes in a request and answers with the bytes it is told.
extends RefCounted

const OK_HEAD := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
# An answer that is none: the connection is reset, since it is closed before the question is read.
const UNREAD := "unread"

var port := 0
# What came, in order: the header and the body of each request.
var requests: Array[String] = []
var connections_closed_by_client := 0

var _listener := TCPServer.new()
var _thread := Thread.new()
var _answers: Array = []
var _tls: TLSOptions
var _stops := false


# Each answer is for one connection, the last one for all that follow: a String, or an Array of
# Strings, PackedByteArrays, numbers (milliseconds to wait), and Callables without arguments whose
# String is sent again and again. `tls`: of a server that speaks it.
func _init(answers: Array, tls: TLSOptions = null) -> void:
	_answers = answers
	_tls = tls
	_listener.listen(0, "127.0.0.1")
	port = _listener.get_local_port()
	_thread.start(_serve)


# Server-sent events, as OpenAI's API has them.
static func events(texts: Array, finish := "stop") -> String:
	var result := ""
	for text: Variant in texts:
		result += "data: %s\n\n" % JSON.stringify({"choices": [{"delta": {"content": text}}]})
	var last := {"choices": [{"delta": {}, "finish_reason": finish}]}
	return result + "data: %s\n\ndata: [DONE]\n\n" % JSON.stringify(last)


func model(timeout_seconds := 20.0) -> NPCOpenAILanguageModel:
	var result := NPCOpenAILanguageModel.new()
	result.base_url = "http://127.0.0.1:%d/v1" % port
	result.timeout_seconds = timeout_seconds
	return result


func close() -> void:
	_stops = true
	_thread.wait_to_finish()
	_listener.stop()


func _serve() -> void:
	while not _stops:
		if _listener.is_connection_available():
			var connection := _listener.take_connection()
			if _tls == null:
				_answer(connection)
			else:
				_answer_encrypted(connection)
			connection.disconnect_from_host()
		OS.delay_msec(1)


func _answer_encrypted(connection: StreamPeerTCP) -> void:
	var stream := StreamPeerTLS.new()
	stream.accept_stream(connection, _tls)
	while stream.get_status() == StreamPeerTLS.STATUS_HANDSHAKING and not _stops:
		stream.poll()
		OS.delay_msec(1)
	if stream.get_status() == StreamPeerTLS.STATUS_CONNECTED:
		_answer(stream)
		stream.disconnect_from_stream()


# Whether the other side is there.
func _is_open(stream: StreamPeer) -> bool:
	if stream is StreamPeerTLS:
		if (stream as StreamPeerTLS).get_status() == StreamPeerTLS.STATUS_CONNECTED:
			(stream as StreamPeerTLS).poll()
		return (stream as StreamPeerTLS).get_status() == StreamPeerTLS.STATUS_CONNECTED
	(stream as StreamPeerTCP).poll()
	return (stream as StreamPeerTCP).get_status() == StreamPeerTCP.STATUS_CONNECTED


func _answer(stream: StreamPeer) -> void:
	var answer: Variant = _answers[mini(requests.size(), _answers.size() - 1)]
	if answer is Array and UNREAD in (answer as Array):
		while stream.get_available_bytes() == 0 and not _stops and _is_open(stream):
			OS.delay_msec(1)
		requests.append("")
		return
	_read_request(stream)
	for part: Variant in answer if answer is Array else [answer]:
		if part is int:
			_wait(stream, part as int)
		elif part is Callable:
			while _send(stream, ((part as Callable).call() as String).to_utf8_buffer()):
				pass
		elif not _send(
			stream,
			part as PackedByteArray if part is PackedByteArray else str(part).to_utf8_buffer()
		):
			break


func _read_request(stream: StreamPeer) -> void:
	var bytes := PackedByteArray()
	var wanted := -1
	while not _stops and (wanted < 0 or bytes.size() < wanted):
		if not _is_open(stream):
			break
		var count := stream.get_available_bytes()
		if count > 0:
			bytes.append_array(stream.get_data(count)[1] as PackedByteArray)
			var text := bytes.get_string_from_ascii()
			var end := text.find("\r\n\r\n")
			if end >= 0:
				var length := text.to_lower().find("content-length:")
				var body := text.substr(length + 15, 12).to_int() if length >= 0 else 0
				wanted = end + 4 + body
		else:
			OS.delay_msec(1)
	requests.append(bytes.get_string_from_utf8())


func _wait(stream: StreamPeer, msec: int) -> void:
	var end := Time.get_ticks_msec() + msec
	while not _stops and Time.get_ticks_msec() < end:
		if not _is_open(stream):
			connections_closed_by_client += 1
			return
		OS.delay_msec(1)


# Whether the client takes more.
func _send(stream: StreamPeer, bytes: PackedByteArray) -> bool:
	var from := 0
	while from < bytes.size():
		if _stops or not _is_open(stream):
			connections_closed_by_client += 0 if _stops else 1
			return false
		var sent := stream.put_partial_data(bytes.slice(from, from + 65536))
		if sent[0] != OK:
			connections_closed_by_client += 1
			return false
		from += sent[1] as int
		if sent[1] == 0:
			OS.delay_usec(200)
	return true

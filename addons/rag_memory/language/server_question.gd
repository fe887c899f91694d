extends RefCounted
## The address and the key of a request: what all classes that ask a server have in common.

const RAGApiKey := preload("res://addons/rag_memory/language/api_key.gd")
const RAGHttpExchange := preload("res://addons/rag_memory/language/http_exchange.gd")
const RAGServerAddress := preload("res://addons/rag_memory/language/server_address.gd")
const RAGStreamReader := preload("res://addons/rag_memory/language/stream_reader.gd")

## The statuses of a busy or failing server, which is asked again.
const RETRIED: Array[int] = [429, 500, 502, 503, 504, 529]

## Why nothing can be asked; empty when it can.
var problem := ""
## The key, or nothing.
var key := ""

var _address: RAGServerAddress


func _init(base_url: String, api_key_variable: String, api_key_file: String) -> void:
	_address = RAGServerAddress.new(base_url)
	var api_key := RAGApiKey.new(api_key_variable, api_key_file)
	key = api_key.text
	problem = _address.problem if _address.problem else api_key.problem
	if key and not problem and not _address.is_encrypted and not _address.is_local():
		problem = "The key would be sent to %s unencrypted. Use https." % _address.host


## The header with which most servers take a key.
static func bearer(text: String) -> PackedStringArray:
	return PackedStringArray(["Authorization: Bearer " + text]) if text else PackedStringArray()


## Asks, on a thread of its own. [param path] is below the address.
func start(
	method: HTTPClient.Method,
	path: String,
	headers: PackedStringArray,
	body: Dictionary,
	reader: RAGStreamReader,
	timeout_seconds: float
) -> RAGHttpExchange:
	headers.append("Content-Type: application/json")
	headers.append("Connection: close")
	headers.append("Accept: application/json, text/event-stream")
	var bytes := (
		PackedByteArray() if body.is_empty() else JSON.stringify(body, "", false).to_utf8_buffer()
	)
	var exchange := RAGHttpExchange.new(_address, reader, timeout_seconds)
	exchange.secret = key
	exchange.start(method, _address.path + path, headers, bytes)
	return exchange

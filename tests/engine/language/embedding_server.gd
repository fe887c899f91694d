# A server of embeddings, OpenAI's and Ollama's: each word of a text has a place in the vector.
extends "res://tests/engine/language/scripted_server.gd"

# What it does: "" answers well, "down" closes the connection, "hangs" says nothing as long as this
# stands here, "refuses" says 400 to the word in `refused`. Anything else is the body that it sends.
var does := ""
var dimension := 96
var refused := "hippogriff"
var texts_asked := 0


func _init() -> void:
	super([""])


func embedding() -> MemoryOpenAIEmbedding:
	var result := MemoryOpenAIEmbedding.new()
	result.base_url = "http://127.0.0.1:%d/v1" % port
	result.timeout_seconds = 2.0
	return result


func _answer(stream: StreamPeer) -> void:
	_read_request(stream)
	var mode := does
	if mode == "down":
		return
	if mode == "hangs":
		while does == "hangs" and not _stops and _is_open(stream):
			OS.delay_msec(1)
		mode = does
	var request := requests[-1]
	var asked: Dictionary = JSON.parse_string(request.substr(request.find("\r\n\r\n") + 4))
	var texts: Array = asked["input"]
	texts_asked += texts.size()
	if mode == "refuses" and refused in str(texts):
		var error := JSON.stringify({"error": {"message": "input is too large"}})
		_send(stream, ("HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\n" + error).to_utf8_buffer())
		return
	var body := mode if mode and mode != "refuses" else _body_for(texts, "/api/embed" in request)
	var head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
	_send(stream, (head + body).to_utf8_buffer())


func _body_for(texts: Array, is_ollama: bool) -> String:
	var vectors := texts.map(_vector)
	if is_ollama:
		return JSON.stringify({"model": "words", "embeddings": vectors})
	var data: Array = []
	for place: int in vectors.size():
		data.push_front({"object": "embedding", "index": place, "embedding": vectors[place]})
	return JSON.stringify({"object": "list", "model": "words", "data": data})


func _vector(text: String) -> Array:
	var vector: Array = []
	vector.resize(dimension)
	vector.fill(0.01)
	for word: String in text.to_lower().split(" "):
		vector[word.hash() % dimension] += 1.0
	return vector

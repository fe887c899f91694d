@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name MemoryOpenAIEmbedding
extends MemoryRemoteEmbeddingModel
## The embeddings of any server with OpenAI's API: llama.cpp's [code]llama-server[/code] with
## [code]--embeddings[/code], LM Studio, vLLM, OpenAI and others.
##
## The default address is that of a llama-server on this computer. Such a server gives embeddings
## and no chat, so an NPC who also speaks needs a second one, at another port.
## [codeblock]
## func _ready() -> void:
##     var embedding := MemoryOpenAIEmbedding.new()
##     embedding.base_url = "https://api.openai.com/v1"
##     embedding.api_key_variable = "OPENAI_API_KEY"
##     embedding.model_name = "text-embedding-3-small"
##     MemoryServer.embedding_model = embedding
## [/codeblock]


func _init() -> void:
	base_url = "http://127.0.0.1:8080/v1"


func _provider() -> String:
	return "openai"


func _path() -> String:
	return "/embeddings"


func _body(texts: PackedStringArray) -> Dictionary:
	var body := {"input": texts, "encoding_format": "float"}
	if model_name:
		body["model"] = model_name
	return body


func _read(answer: Dictionary, call: _RAGEmbeddingCall) -> void:
	var list: Variant = answer.get("data")
	var count := (list as Array).size() if list is Array else 0
	call.model = str(answer.get("model", ""))
	call.vectors.resize(count)
	for place: int in count:
		var item: Variant = list[place]
		var index: Variant = item.get("index", place) if item is Dictionary else null
		var is_number := index is float or index is int
		if not is_number or int(index as float) < 0 or int(index as float) >= count:
			call.problem = "The server's list of embeddings is not like OpenAI's. Is base_url right?"
			return
		call.vectors[int(index as float)] = call.numbers_in((item as Dictionary).get("embedding"))

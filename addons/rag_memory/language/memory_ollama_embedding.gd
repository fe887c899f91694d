@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name MemoryOllamaEmbedding
extends MemoryRemoteEmbeddingModel
## The embeddings of an Ollama server, by Ollama's own API.
##
## The model has to be there: [code]ollama pull nomic-embed-text[/code].
## [codeblock]
## func _ready() -> void:
##     var embedding := MemoryOllamaEmbedding.new()
##     embedding.model_name = "nomic-embed-text"
##     MemoryServer.embedding_model = embedding
## [/codeblock]


func _init() -> void:
	base_url = "http://127.0.0.1:11434"


func _provider() -> String:
	return "ollama"


func _path() -> String:
	return "/api/embed"


func _body(texts: PackedStringArray) -> Dictionary:
	return {"model": model_name, "input": texts, "truncate": true}


func _read(answer: Dictionary, call: _RAGEmbeddingCall) -> void:
	call.model = str(answer.get("model", ""))
	var list: Variant = answer.get("embeddings")
	for vector: Variant in list if list is Array else []:
		call.vectors.append(call.numbers_in(vector))


func _asked(texts: PackedStringArray) -> _RAGEmbeddingCall:
	if model_name.is_empty():
		var call := _RAGEmbeddingCall.new()
		call.problem = "MemoryOllamaEmbedding needs a model_name, such as nomic-embed-text."
		return call
	return super(texts)

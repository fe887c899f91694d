@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name MemoryEmbeddingModel
extends Resource
## A model that turns texts into vectors, by which memories are compared: the base of
## [MemoryOpenAIEmbedding], [MemoryOllamaEmbedding], and of a model of the game's own.
##
## Give it to [member MemoryServer.embedding_model] before the first save is opened. A game's own
## model extends this class and overrides [method embed]:
## [codeblock]
## class Lengths:
##     extends MemoryEmbeddingModel
##
##     func embed(texts: PackedStringArray) -> Variant:
##         var vectors: Array[PackedFloat32Array] = []
##         for text: String in texts:
##             vectors.append(PackedFloat32Array([text.length(), text.count("e"), 1.0]))
##         return vectors
## [/codeblock]

const _RAGEmbeddingCall := preload("res://addons/rag_memory/language/embedding_call.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

## The name by which the model is known, on a server and in saves: memories that a model of another
## name has embedded are embedded again.
@export var model_name := ""
## Number of characters of a text that the model gets. Most models read 512 tokens, about 2,000
## characters of English; some servers refuse more.
@export_range(50, 100000) var max_chars := 1000

var _calls: Dictionary[int, _RAGEmbeddingCall] = {}
var _last_ticket := 0


## The vectors of the texts: an [Array] with one [PackedFloat32Array] each, all of the same
## length. When there are none, a [String] that says why.[br]
## It is called on a thread of RAG Memory. Memory calls wait for it, frames do not. It must not use
## nodes, and must return the same vector for the same text.
## [codeblock]
## var vectors: Variant = MemoryOpenAIEmbedding.new().embed(["The mill burned down."])
## print(vectors if vectors is String else vectors[0].size())
## [/codeblock]
func embed(_texts: PackedStringArray) -> Variant:
	return (
		"A MemoryEmbeddingModel alone has no vectors. Use MemoryOpenAIEmbedding or MemoryOllamaEmbedding,"
		+ " or override embed()."
	)


## Answers [MemoryServer], on its own thread. Games need not call it.
func answer_memory_server(command: String, given: Variant) -> Variant:
	match command:
		"take":
			return _taken()
		"describe":
			return {
				"id": get_instance_id(),
				"provider": _provider(),
				"model_name": model_name,
				"max_chars": max_chars,
			}
		"begin" when given is Array and given.size() == 2 and given[1] is PackedStringArray:
			return _begin(given as Array)
		"poll" when given is int:
			return _poll(given as int)
		"cancel" when given is int:
			_cancel(given as int)
	return true


## The object that is asked from now on.
func _taken() -> Resource:
	return self


## Returns what stands before the model's name in a save.
func _provider() -> String:
	var script := get_script() as Script
	var name := str(script.get_global_name())
	return (
		name if name else script.resource_path if script.resource_path else "MemoryEmbeddingModel"
	)


## A question; it may be answered already.
func _asked(texts: PackedStringArray) -> _RAGEmbeddingCall:
	var call := _RAGEmbeddingCall.new()
	var result: Variant = embed(texts)
	if result is Array:
		call.vectors = result
		for vector: Variant in call.vectors:
			if not vector is PackedFloat32Array:
				var words := "embed() returned %s in its Array, no PackedFloat32Array."
				call.problem = words % _RAGValueLimits.shown(vector)
	else:
		call.problem = (
			str(result)
			if result is String
			else "embed() returned %s, no Array." % _RAGValueLimits.shown(result)
		)
	return call


## 0 when another object is asked now.
func _begin(given: Array) -> int:
	if not is_same(given[0], get_instance_id()):
		return 0
	_last_ticket += 1
	_calls[_last_ticket] = _asked(given[1] as PackedStringArray)
	return _last_ticket


## Returns the result, or false until there is one.
func _poll(ticket: int) -> Variant:
	if not _calls.has(ticket):
		return {"problem": "MemoryServer.embedding_model is another one now. Open the save again."}
	var call := _calls[ticket]
	if not call.is_done():
		return false
	_calls.erase(ticket)
	return {
		"vectors": [] if call.problem else call.vectors,
		"model": call.model,
		"problem": call.problem,
		"is_refusal": call.is_refusal,
	}


func _cancel(ticket: int) -> void:
	if _calls.has(ticket):
		_calls[ticket].give_up()
		_calls.erase(ticket)

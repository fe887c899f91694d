@icon("res://addons/rag_memory/icons/RAGMemory.svg")
class_name MemoryRemoteEmbeddingModel
extends MemoryEmbeddingModel
## An embedding model behind HTTP: what [MemoryOpenAIEmbedding] and [MemoryOllamaEmbedding] have in
## common.
##
## The rules of [NPCRemoteLanguageModel] hold: the game reaches only the hosts of
## [b]Project Settings > General > Rag Memory > Network > Allowed Hosts[/b], and a key never stands
## in a property.[br]
## [MemoryServer] keeps a copy of it, so that what is changed later has no effect. Variables of a
## subclass are in the copy when they are exported.

const _RAGServerQuestion := preload("res://addons/rag_memory/language/server_question.gd")

## The address of the server, such as [code]http://127.0.0.1:8081/v1[/code].
@export var base_url := ""
## The name of the environment variable that holds the key. The key itself never stands here.
@export var api_key_variable := ""
## A file under [code]user://[/code] whose first line is the key, for keys that the player enters.
## It is read when the environment variable is empty.
@export var api_key_file := ""
## The longest time that a memory call waits for the server, retries included. After that memories
## are found by their words, until it answers.
@export_range(0.1, 20.0, 0.1, "suffix:s") var timeout_seconds := 5.0
## Number of retries of a request that a busy or failing server refused (429 and 5xx), while
## there is time.
@export_range(0, 10) var retries := 2


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		for call: _RAGEmbeddingCall in _calls.values():
			call.give_up()


## Asks the server, and waits for it: not on the main thread of a game that is played.
func embed(texts: PackedStringArray) -> Variant:
	var call := _asked(texts)
	while not call.is_done():
		OS.delay_usec(1000)
	return call.problem if call.problem else call.vectors


## Copies the settings, so that another thread can read them.
func _taken() -> Resource:
	return duplicate()


## The path below [member base_url].
func _path() -> String:
	return ""


func _body(_texts: PackedStringArray) -> Dictionary:
	return {}


## Fills the call with what the server told.
func _read(_answer: Dictionary, _call: _RAGEmbeddingCall) -> void:
	pass


func _asked(texts: PackedStringArray) -> _RAGEmbeddingCall:
	var call := _RAGEmbeddingCall.new()
	var question := _RAGServerQuestion.new(base_url, api_key_variable, api_key_file)
	call.ask(question, _path(), _body(texts), _read, timeout_seconds, retries)
	return call

class_name NPCMemory
extends Node
## The memory of an NPC. Where RAG Memory does not run, every question has an empty answer.

const NOTHING := "RAG Memory does not run on %s: NPCs remember nothing in this game."

static var _is_told := false

@export var npc_id := ""
## A scene whose root is a RAGMemory, with the nodes below it. Without one, a RAGMemory is made.
@export_file("*.tscn") var scene := ""

## The RAGMemory, or null where there is none.
var memory: Node


func _ready() -> void:
	if is_available():
		memory = (
			ClassDB.instantiate(&"RAGMemory") if scene.is_empty() else load(scene).instantiate()
		)
		memory.set(&"npc_id", npc_id)
		add_child(memory)


static func is_available() -> bool:
	if ClassDB.class_exists(&"RAGMemory"):
		return true
	if not _is_told:
		_is_told = true
		push_warning(NOTHING % OS.get_name())
	return false


## Calls a method of MemoryServer, such as "open_save".
static func server(method: StringName, arguments: Array = [], otherwise: Variant = null) -> Variant:
	if not is_available():
		return otherwise
	return Engine.get_singleton(&"MemoryServer").callv(method, arguments)


## Calls a method of RAGMemory, such as "knows_event".
func ask(method: StringName, arguments: Array = [], otherwise: Variant = null) -> Variant:
	return memory.callv(method, arguments) if memory else otherwise


func store(text: String, importance := 5, metadata := {}) -> void:
	ask(&"store_async", [text, importance, metadata])


func recall(question: String) -> Array:
	var request: Object = ask(&"retrieve_scored_async", [question])
	return await Signal(request, &"completed") if request else []


## What the NPC says to the player, when the scene has an NPCDialogue; otherwise a line of yours.
func say(line: String, otherwise: String) -> String:
	var dialogue := memory.find_child("NPCDialogue") if memory else null
	if dialogue == null:
		return otherwise
	var request: Object = dialogue.call(&"say", line)
	var answer: Dictionary = await Signal(request, &"completed")
	return answer.get("response", otherwise)

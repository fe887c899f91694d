@tool
extends Node
## A talk with an NPC of the edited scene, in a copy of the open save: nothing of it is kept. It
## lasts longer than a panel, which the inspector makes anew with every selection.

## Something was said, or the talk has ended.
signal changed

const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const _ADDON := "res://addons/rag_memory/"
const _DIALOGUE := _ADDON + "language/npc_dialogue.gd"
const _REMOTE_MODEL := _ADDON + "language/npc_remote_language_model.gd"
const _COPY := ":memory:"
# Of the scene's NPCDialogue; those that are resources are made anew.
const _TAKEN: Array[StringName] = [&"personality", &"world", &"context_options", &"analysis"]

## Whose talk it is; empty before the first line.
var npc_id := ""
## Each has the [code]speaker[/code] (empty for a problem), the [code]text[/code], and of an answer
## the [code]memories[/code] that were recalled and the [code]stored[/code] ones.
var lines: Array[Dictionary] = []
var is_busy := false
## If [code]true[/code], the language model of the NPC is asked, where it has one.
var asks_model := true

var _dialogue: Node
# Grows when a talk ends, so that a late answer is none of the next one.
var _number := 0


func _enter_tree() -> void:
	MemoryServer.save_closed.connect(_on_save_closed)


func _exit_tree() -> void:
	MemoryServer.save_closed.disconnect(_on_save_closed)


## The player says something; the NPC's answer follows. With another NPC a new talk begins.
func say(to: RAGMemory, line: String) -> void:
	if to.npc_id != npc_id:
		end()
	npc_id = to.npc_id
	var number := _number
	lines.append({"speaker": "Player", "text": line})
	is_busy = true
	changed.emit()
	var problem := "" if _dialogue != null else await _begin(to)
	var answer := {}
	if not problem and number == _number:
		_dialogue.set(&"model", _working(model_of(to)) if asks_model else null)
		var request: MemoryRequest = _dialogue.call(&"say", line)
		answer = await request.completed
		problem = request.get_error()
	if number != _number:
		return
	is_busy = false
	if not problem:
		lines.append(_answer_line(answer))
		problem = answer.get("error", "")
	if problem:
		lines.append({"speaker": "", "text": problem})
	changed.emit()


## Ends the talk; the copy is of no use any more.
func end() -> void:
	_number += 1
	npc_id = ""
	lines.clear()
	is_busy = false
	if _dialogue != null:
		_dialogue.get_parent().queue_free()
		_dialogue = null
	changed.emit()


## The language model that can be asked here, or null: scripts of the game do not run in the editor.
static func model_of(memory: RAGMemory) -> Resource:
	var dialogue := dialogue_of(memory)
	var model: Resource = null if dialogue == null else dialogue.get(&"model") as Resource
	return model if model != null and _extends(model, _REMOTE_MODEL) else null


## The NPCDialogue in the edited scene that speaks for a memory, or null.
static func dialogue_of(memory: RAGMemory) -> Node:
	var root := EditorInterface.get_edited_scene_root()
	if root == null:
		return null
	for node: Node in [root] + root.find_children("*", "Node", true, false):
		if _extends(node, _DIALOGUE):
			var own := node.get(&"memory") as RAGMemory
			if memory == (own if own != null else RAGNearNodes.memory_near(node)):
				return node
	return null


# Copies the save, and makes the nodes that talk. Returns what went wrong.
func _begin(with: RAGMemory) -> String:
	var number := _number
	var copying := MemoryServer.copy_save_async(MemoryServer.current_save(), _COPY)
	await copying.completed
	if copying.get_error() or number != _number:
		return copying.get_error()
	var memory := RAGMemory.new()
	memory.npc_id = with.npc_id
	memory.config = with.config
	memory.persistent = false
	_dialogue = (load(_DIALOGUE) as GDScript).new()
	var original := dialogue_of(with)
	var mind := RAGNearNodes.mind_near(with)
	if original != null:
		mind = original.get(&"mind") as NPCMind
		for property in _TAKEN:
			var value: Variant = original.get(property)
			_dialogue.set(property, _working(value as Resource) if value is Resource else value)
	if mind != null:
		var own_mind := NPCMind.new()
		own_mind.config = mind.config
		memory.add_child(own_mind)
		_dialogue.set(&"mind", own_mind)
	memory.add_child(_dialogue)
	add_child(memory)
	return ""


func _answer_line(answer: Dictionary) -> Dictionary:
	var personality := _dialogue.get(&"personality") as Resource
	var name: String = "" if personality == null else personality.get(&"display_name")
	var recalled: Array = answer.memories.filter(
		func(memory: Dictionary) -> bool: return not memory.get("protected", false)
	)
	return {
		"speaker": name if name else npc_id,
		"text": answer.response,
		"memories": recalled,
		"stored": answer.stored,
	}


# The scripts of a scene's resources do not run in the editor: this makes one with the same values
# that does, of the script in the addon from which the game's own may be derived.
static func _working(resource: Resource) -> Resource:
	var script := _own_script(resource)
	if script == null:
		return resource
	var made: Resource = script.new()
	for property in made.get_property_list():
		if (
			property.usage & PROPERTY_USAGE_SCRIPT_VARIABLE
			and property.usage & PROPERTY_USAGE_STORAGE
		):
			var value: Variant = resource.get(property.name as String)
			made.set(
				property.name as String, _working(value as Resource) if value is Resource else value
			)
	return made


static func _own_script(resource: Resource) -> GDScript:
	var script: Script = null if resource == null else resource.get_script()
	while script != null and not script.resource_path.begins_with(_ADDON):
		script = script.get_base_script()
	return script as GDScript


static func _extends(object: Object, path: String) -> bool:
	var script: Script = object.get_script()
	while script != null and script.resource_path != path:
		script = script.get_base_script()
	return script != null


func _on_save_closed(_save_id: String) -> void:
	end()

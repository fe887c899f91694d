extends RefCounted
## Options of a game as the core takes them (python/rag_memory/prompt/prompt_options.py): an object
## becomes a Dictionary with its class and its values. What a Resource holds travels once.

const RAGNearNodes := preload("res://addons/rag_memory/language/near_nodes.gd")
const RAGWorldEvents := preload("res://addons/rag_memory/prompt/npc_world_events.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGWaiting := preload("res://addons/rag_memory/prompt/waiting_for_save.gd")
const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

## The options for which a property of the NPC's node may stand.
const _PROPERTIES: Array[String] = [
	"personality",
	"profile",
	"world_knowledge",
	"world_events",
	"world_state",
	"location",
	"relationship",
	"hour",
	"recent_turns",
	"listeners",
	"mind",
	"dossier",
	"budgets",
	"token_budget",
]
## Configs, which the native host sends with their class.
const _CONFIGS: Array[String] = ["MemoryConfig", "NPCMindConfig", "NPCDossierConfig"]


## The RAGMemory of an NPC: the object itself, its property `memory`, or its first such child.
static func memory_of(npc: Object) -> RAGMemory:
	if npc == null or npc is RAGMemory:
		return npc as RAGMemory
	var own: Variant = npc.get(&"memory")
	if is_instance_valid(own) and own is RAGMemory:
		return own
	if npc is Node:
		for child: Node in (npc as Node).get_children():
			if child is RAGMemory:
				return child
	return null


## The options of a call.
static func of(options: Dictionary) -> Dictionary:
	var sent := {}
	for option: Variant in options:
		var name := str(option) if option is String or option is StringName else _shown(option)
		sent[name] = _sent(options[option])
	if sent.get("mind", "") == null:
		sent.erase("mind")  # The one near the memory.
	return sent


## The properties of an NPC that are called like an option. With a listener the mind near the memory
## is among them.
static func defaults_of(npc: Object, memory: RAGMemory, options: Dictionary) -> Dictionary:
	var defaults := {}
	for name: String in _PROPERTIES if npc != memory else ([] as Array[String]):
		var value: Variant = npc.get(name)
		if value != null and not options.has(name):
			defaults[name] = _sent(value)
	if options.get("listeners", defaults.get("listeners")) and not defaults.has("mind"):
		var mind := RAGNearNodes.mind_near(memory)
		if mind != null:
			defaults["mind"] = _sent(mind)
	return defaults


static func _sent(value: Variant) -> Variant:
	var fault := RAGValueLimits.fault_of(value)
	return _object("a value that " + fault, null) if fault else _plain(value)


static func _plain(value: Variant) -> Variant:
	match typeof(value):
		TYPE_OBJECT:
			return _data_of(value)
		TYPE_ARRAY:
			return (value as Array).map(_plain)
		TYPE_DICTIONARY:
			var plain := {}
			for key: Variant in value:
				plain[key] = _plain(value[key])
			return plain
	return value


static func _data_of(object: Variant) -> Variant:
	if not is_instance_valid(object):
		return _object("<Freed Object>", null) if str(object) == "<Freed Object>" else null
	if object is RAGNPCPersonality:
		return _object("NPCPersonality", object)
	if object is RAGWorldKnowledge:
		return _object("NPCWorldKnowledge", object)
	if object is RAGWorldEvents:
		RAGWaiting.is_save_open()  # What waits in it goes into the open save.
		return _object("NPCWorldEvents", {})
	if object is NPCMind:
		return _object("NPCMind", _data_of_mind(object as NPCMind))
	return object if (object as Object).get_class() in _CONFIGS else _object(_shown(object), null)


static func _data_of_mind(mind: NPCMind) -> Dictionary:
	var memory := RAGNearNodes.memory_of(mind)
	return {
		"npc_id": memory.npc_id if memory != null else "",
		"nearby": mind.get_nearby(),
		"config": mind.config,
	}


## `values` is null for an object that is no option: its class is a description.
static func _object(class_called: String, values: Variant) -> Dictionary:
	return {"class": class_called, "values": values}


static func _shown(value: Variant) -> String:
	var script: Script = null
	if typeof(value) == TYPE_OBJECT:
		script = (value as Object).get_script()
	if script != null and script.resource_path:
		return "an object of " + script.resource_path
	return str(value) if typeof(value) == TYPE_OBJECT else RAGValueLimits.shown(value)

extends RefCounted
## The options of NPCContextBuilder.build() and record_interaction(): which there are, of which
## type, and where a value comes from.
const RAGWorldEvents := preload("res://addons/rag_memory/prompt/npc_world_events.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")

## The options, each with the values it may have, as the end of a sentence. Those without one are
## data of a memory and checked when it is stored. The last five are only of record_interaction().
const _KINDS: Dictionary[String, String] = {
	"personality": "an NPCPersonality of RAG Memory (addons/rag_memory/prompt/npc_personality.gd)",
	"profile": 'a Dictionary, such as MemoryWorld.get_profile("mira")',
	"world_knowledge":
	"an NPCWorldKnowledge of RAG Memory (addons/rag_memory/prompt/npc_world_knowledge.gd)",
	"world_events":
	"an NPCWorldEvents of RAG Memory (addons/rag_memory/prompt/npc_world_events.gd)",
	"world_state": 'a Dictionary, such as {"time": "dusk"}',
	"location": "a String",
	"relationship": 'a Dictionary, such as {"trust": 40}',
	"hour": "an hour from 0 to 24",
	"recent_turns": 'an Array of turns, such as [{"speaker": "player", "text": "Hello."}]',
	"listeners": 'an Array of ids, such as ["player", "kael"]',
	"mind": "an NPCMind",
	"dossier": "true, an NPCDossierConfig, or what build_dossier() returned",
	"config": "a MemoryConfig",
	"budgets": 'a Dictionary of numbers, such as {"memories": 1000}',
	"token_budget": "a number",
	"timestamp": "",
	"topics": "",
	"check_names": "true or false",
	"correct": "true or false",
	"deterministic_deltas": "true or false",
}


static func _shown(value: Variant) -> String:
	var script: Script = value.get_script() if is_instance_valid(value) else null
	if script != null and script.resource_path:
		return "an object of " + script.resource_path
	return (str(value) if typeof(value) == TYPE_OBJECT else RAGValueLimits.shown(value)).left(80)


## Returns what is wrong with the options of a call, in a sentence; empty when nothing is. Both
## calls of a conversation may be given the same dictionary.
static func problem_of(call: String, options: Dictionary) -> String:
	for option: Variant in options:
		var name := str(option) if _is_text(option) else RAGValueLimits.shown(option)
		var names := _KINDS.keys()
		if not _KINDS.has(name):
			var meant := RAGValueLimits.did_you_mean(name, names)
			var sentence := "%s does not know the option %s.%s The options are %s."
			return sentence % [call, name, meant, ", ".join(PackedStringArray(names))]
		var fault := RAGValueLimits.fault_of(options[option])
		if fault:
			return "The option %s of %s %s. Pass a flatter value." % [option, call, fault]
		var is_given: bool = options[option] != null or _is_freed(options[option])
		if is_given and not _suits(str(option), options[option]):
			var words := "The option %s of %s cannot be %s. It has to be %s."
			return words % [option, call, _shown(options[option]), _KINDS[str(option)]]
	return ""


## Returns what the call's options say, or else the NPC's property of the same name, when it is of
## the type of the option; null without either.
static func given(npc: Object, options: Dictionary, name: String) -> Variant:
	if options.has(name):
		return options[name]
	var property: Variant = null if npc is RAGMemory else npc.get(name)
	if property == null or RAGValueLimits.fault_of(property):
		return null
	return property if property != null and _suits(name, property) else null


## A number of an option as a whole one.
static func whole_number(value: Variant, otherwise: int) -> int:
	return int(value as float) if _is_number(value) else otherwise


## Returns whether an option may have this value; those of recording that are data of a memory are
## checked when it is stored.
static func _suits(option: String, value: Variant) -> bool:
	if typeof(value) == TYPE_OBJECT and not is_instance_valid(value):
		return false
	match option:
		"personality":
			return value is RAGNPCPersonality
		"world_knowledge":
			return value is RAGWorldKnowledge
		"world_events":
			return value is RAGWorldEvents
		"config":
			return value is MemoryConfig
		"mind":
			return value is NPCMind
		"dossier":
			return (
				value is bool
				or value is NPCDossierConfig
				or (value is Dictionary and (value as Dictionary).get("sections") is Dictionary)
			)
		"listeners":
			return value is PackedStringArray or (value is Array and value.all(_is_text))
		"relationship", "world_state", "profile":
			return value is Dictionary
		"location":
			return _is_text(value)
		"recent_turns":
			return value is Array or value is PackedStringArray
		"hour":
			return _is_number(value) and value >= 0 and value <= 24
		"token_budget":
			return _is_number(value)
		"budgets":
			return value is Dictionary and (value as Dictionary).values().all(_is_number)
		"check_names", "correct", "deterministic_deltas":
			return value is bool or value is int
	return true


## A freed object is equal to null, and yet no value for a typed variable.
static func _is_freed(value: Variant) -> bool:
	var is_gone := typeof(value) == TYPE_OBJECT and not is_instance_valid(value)
	return is_gone and str(value) == "<Freed Object>"


static func _is_text(value: Variant) -> bool:
	return value is String or value is StringName


static func _is_number(value: Variant) -> bool:
	return value is int or (value is float and is_finite(value as float))

@icon("res://addons/rag_memory/icons/MemoryServer.svg")
class_name NPCWorldKnowledge
extends Resource
## The truth about the world: canonical facts, the people, and the flags of the story.
##
## Make one per game, in the editor or in code: it says how the world is at the beginning. What
## changes while a save is open lies in that save, and goes back with it: flags that are set, and
## facts that are added. [NPCContextBuilder] takes facts for the prompt from it.
## Its methods may be called on every thread; its properties belong to one thread at a time. Most
## methods ask the memory worker. That takes a fraction of a millisecond, and longer while it is
## busy: connect [signal flag_changed] instead of asking for a flag in every frame.[br]
## Memories are checked against it, so that no NPC remembers people who do not exist:
## [codeblock]
## var world := NPCWorldKnowledge.new()
## world.add_npc("gregor", "Gregor", ["the merchant"])
## world.add_fact("well", "The well of Thornhaven dried up last summer.")
## world.define_flag("bandits_defeated", false)
## print(world.check_memory("Zorblax laughed at Gregor.")["unknown_names"])  # -> ["Zorblax"]
## [/codeblock]

## Emitted when the value of a flag has changed.
signal flag_changed(flag: String, value: Variant)

const _RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const _RAGWaiting := preload("res://addons/rag_memory/prompt/waiting_for_save.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const _FACT_OPTIONS: Array[String] = ["topics", "known_by"]
const _ESTABLISHMENT_DATA: Array[String] = ["kind", "location", "owner", "sells", "requires_flag"]
const _UNCHECKED := "It could not be checked: the output says why."
const _FLAG_TYPES: Array[int] = [TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING]

## The canonical facts. Each is a dictionary:[br]
## [code]id[/code] and [code]text[/code].[br]
## [code]topics[/code]: words it is about.[br]
## [code]known_by[/code]: who knows it; everybody when left out. An id, a place, a group, a
## condition on a flag, or an Array of these: see docs/who_knows_what.md.
@export var facts: Array[Dictionary] = []
## Every NPC: id and name.
@export var npc_names: Dictionary[String, String] = {}
## Other names of an NPC, by id.
@export var npc_aliases: Dictionary[String, Array] = {}
## Inns, shops, smithies and the like. Each is a dictionary:[br]
## [code]id[/code] and [code]name[/code], for example [code]"Copper Kettle"[/code].[br]
## [code]kind[/code], for example [code]"inn"[/code].[br]
## [code]location[/code]: where it is; everywhere if left out.[br]
## [code]owner[/code]: the id of the NPC who runs it.[br]
## [code]sells[/code]: a list of what there is to buy.[br]
## [code]requires_flag[/code]: a flag that has to be set before it is open.
@export var establishments: Array[Dictionary] = []
## Names that are not people: places, taverns, weapons, gods.
@export var other_names: Array[String] = []
## The story flags with their defaults. The default also says the type: [bool], [int], [float] or
## [String].
@export var flag_defaults: Dictionary[String, Variant] = {}
## The player's name, once it is known. It then counts as a known name.
@export var player_name := ""

# Guards the collections above, where the methods use them. Never held while the worker is asked.
var _lock := Mutex.new()
# There is no self any more when it is needed.
var _id := get_instance_id()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_RAGWaiting.forget(_id)


## Adds a fact, or replaces the one with this [param id]. While a save is open the fact is added to
## that save. Before, it is one of [member facts], which every save begins with.
## [param options]: [code]topics[/code] and [code]known_by[/code], as in [member facts].
## [codeblock]
## world.add_fact("tunnel", "A tunnel leads to Iron Hollow.", {"known_by": ["varn"]})
## print(world.get_facts_for("mira").size())  # -> 0
## print(world.get_facts_for("varn").size())  # -> 1
## [/codeblock]
func add_fact(id: String, text: String, options: Dictionary = {}) -> void:
	if not _are_known("add_fact()", options, _FACT_OPTIONS):
		return
	var fact := {"id": id, "text": text}
	fact.merge(options.duplicate(true))
	if _RAGWaiting.is_save_open():
		MemoryWorld.set_facts({id: fact})
	else:
		_lock.lock()
		_put(facts, fact)
		_lock.unlock()


## Returns the text of a fact, or an empty string when there is none with this id.
func get_fact(id: String) -> String:
	return _apply("fact", [id], "")


## Returns the facts that [param npc_id] knows now. Those that share most words with [param context]
## come first. [param limit]: -1 for all of them. [param location]: where the NPC is, for the facts
## of a place; the name of an establishment stands for its location, too.
## [codeblock]
## world.add_fact("toll", "The ferryman takes two coins.", {"known_by": {"place": "Ferry"}})
## print(world.get_facts_for("mira", "", -1, "Ferry"))  # -> ["The ferryman takes two coins."]
## print(world.get_facts_for("mira", "", -1, "Thornhaven").size())  # -> 0
## [/codeblock]
func get_facts_for(npc_id: String, context := "", limit := -1, location := "") -> PackedStringArray:
	return PackedStringArray(_apply("facts_for", [npc_id, context, limit, location], []) as Array)


## Adds an establishment, or replaces the one with this [param id]. [param data]: [code]kind[/code],
## [code]location[/code], [code]owner[/code], [code]sells[/code] and [code]requires_flag[/code], as
## in [member establishments]. Its name is then a known name.
## [codeblock]
## var kettle := {"kind": "inn", "location": "Thornhaven", "owner": "mira", "sells": ["ale"]}
## world.add_establishment("kettle", "Copper Kettle", kettle)
## print(world.get_establishments("Thornhaven").size())  # -> 1
## print(world.get_establishments("Iron Hollow").size())  # -> 0
## [/codeblock]
func add_establishment(id: String, name: String, data: Dictionary = {}) -> void:
	if not _are_known("add_establishment()", data, _ESTABLISHMENT_DATA):
		return
	var establishment := {"id": id, "name": name}
	establishment.merge(data.duplicate(true))
	_lock.lock()
	_put(establishments, establishment)
	_lock.unlock()


## Returns the establishments that are open now; with a [param location], those that are there. The
## dictionaries are copies.
func get_establishments(location := "") -> Array[Dictionary]:
	var open: Array[Dictionary] = []
	open.assign(_apply("establishments", [location], []) as Array)
	return open


## Checks whether a text, such as the answer of a language model, names an inn, a shop or a smithy
## that does not exist. With a [param location], [code]"the smithy"[/code] has to be there, or the
## text has to say where it is. [method NPCContextBuilder.record_interaction] does it, too.[br]
## Keys of the result: [code]accepted[/code], [code]unknown_establishments[/code] (as the text calls
## them), and [code]reason[/code], a sentence.[br]
## The check needs no language model. It reads English, and capital letters. A world without
## [member establishments] accepts everything. Other names with several capital letters belong in
## [member other_names].
## [codeblock]
## world.add_establishment("kettle", "Copper Kettle", {"kind": "inn", "location": "Thornhaven"})
## print(world.check_establishments("Sleep at the Copper Kettle.")["accepted"])  # -> true
## var checked := world.check_establishments("Sleep at the Weary Wanderer.")
## print(checked["unknown_establishments"])  # -> ["Weary Wanderer"]
## print(world.check_establishments("Ask in the smithy.")["accepted"])  # -> false
## [/codeblock]
func check_establishments(text: String, location := "") -> Dictionary:
	var checked: Dictionary = _apply(
		"check_establishments",
		[text, location],
		{"accepted": false, "unknown_establishments": [], "reason": _UNCHECKED}
	)
	var unknown: Array = checked["unknown_establishments"]
	checked["unknown_establishments"] = PackedStringArray(unknown)
	return checked


## Makes an NPC known.
func add_npc(id: String, name: String, aliases: Array[String] = []) -> void:
	_lock.lock()
	npc_names[id] = name
	npc_aliases[id] = aliases.duplicate()
	_lock.unlock()


## Makes every NPC of these personalities known.
func add_personalities(personalities: Array[_RAGNPCPersonality]) -> void:
	for personality: _RAGNPCPersonality in personalities:
		if personality == null:
			push_error(
				"NPCWorldKnowledge.add_personalities(): one of them is null, and was left out.",
				" Is an entry of the Array empty, or was its file not loaded?"
			)
			continue
		add_npc(personality.npc_id, personality.display_name)


## Returns whether [param name] is the id, the name or another name of an NPC, whatever its case.
## One word of a longer name is enough: [code]"Aldric"[/code] for [code]"Captain Aldric"[/code].
func is_known_npc(name: String) -> bool:
	return _apply("is_known_npc", [name], false)


## Returns all names that memories may use: NPCs, establishments, [member other_names],
## [member player_name], and the capitalised words of facts; and while a save is open, the
## characters and the player that [MemoryWorld] was told of.
## Give them to [method MemoryServer.register_names] with [code]check_people[/code], so that every
## memory of every NPC is checked when it is stored. Give them again after adding names.
func get_known_names() -> PackedStringArray:
	return PackedStringArray(_apply("names", [], []) as Array)


## Checks whether a memory is about people nobody knows. Looks at the text and at
## [code]participants[/code] of [param data]. It changes no text.[br]
## Keys of the result:[br]
## [code]accepted[/code].[br]
## [code]unknown_names[/code].[br]
## [code]reason[/code]: a sentence, empty when nothing was wrong.[br]
## Keys of [param options]:[br]
## [code]known_names[/code]: more names that count as known, for this call.[br]
## [code]check_names[/code]: default [code]true[/code]; [code]false[/code] accepts everything.[br]
## The check needs no language model. A capitalised word counts as the name of a person only where
## the words around it say so: a title, a family word, what only people do, or a known name joined
## by "and". A name that is like a known one is accepted. The worker does the check
## ([method MemoryServer.check_names]). The first check starts it when no [RAGMemory] has.
## [codeblock]
## print(world.check_memory("Ravenna sold the player a rope.")["accepted"])  # -> false
## [/codeblock]
func check_memory(text: String, data: Dictionary = {}, options: Dictionary = {}) -> Dictionary:
	var checked: Dictionary = _apply(
		"check_memory",
		[text, {"participants": data.get("participants", [])}, options],
		{"accepted": false, "unknown_names": [], "reason": _UNCHECKED}
	)
	checked["unknown_names"] = PackedStringArray(checked["unknown_names"] as Array)
	return checked


## Adds a story flag, with the value it has in a new game. A value that the open save has stays. Its
## type is that of [param default_value]: [bool], [int], [float] or [String].
## [codeblock]
## world.define_flag("gates_closed", false)
## world.set_flag("gates_closed", true)
## print(world.get_flag("gates_closed"))  # -> true
## [/codeblock]
func define_flag(flag: String, default_value: Variant) -> Error:
	if default_value is StringName:
		default_value = String(default_value as StringName)
	if not flag:
		push_error("A story flag needs a name. Pass one to define_flag().")
		return ERR_INVALID_PARAMETER
	if not typeof(default_value) in _FLAG_TYPES:
		var words := "The flag %s cannot be of type %s. Use a bool, int, float or String."
		push_error(words % [flag, type_string(typeof(default_value))])
		return ERR_INVALID_PARAMETER
	_lock.lock()
	flag_defaults[flag] = default_value
	_lock.unlock()
	_RAGWaiting.erase_flag(_id, flag)
	return OK


## Sets a story flag, in the open save. With none open the value waits for the next one that is
## opened. An unknown flag or a value of another type is an error and changes nothing. An
## [int] is taken for a [float] flag, 0 or 1 for a [bool] flag, a [StringName] for a [String] flag.
func set_flag(flag: String, value: Variant) -> Error:
	if not _has_defined(flag):
		return ERR_DOES_NOT_EXIST
	var change: Variant = MemoryWorld.apply_rule("knowledge.set_flag", [_flag_data(), flag, value])
	if change == null:
		return ERR_INVALID_PARAMETER
	if change["waits"]:
		_RAGWaiting.set_flag(_id, flag, change["after"])
	if change["before"] != change["after"]:
		flag_changed.emit(flag, change["after"])
	return OK


## Returns the value of a story flag; [code]null[/code] with an error when there is no such flag.
func get_flag(flag: String) -> Variant:
	return get_flags().get(flag) if _has_defined(flag) else null


## Returns whether there is such a story flag.
func has_flag(flag: String) -> bool:
	_lock.lock()
	var is_defined := flag_defaults.has(flag)
	_lock.unlock()
	return is_defined


## Returns the values of all story flags, with the default of each that was not set. What was set is
## in the open save: [method MemoryWorld.get_flags].
## [codeblock]
## world.define_flag("mill_burned", false)
## print(world.get_flags()["mill_burned"])  # -> false
## [/codeblock]
func get_flags() -> Dictionary:
	var data := _flag_data()
	var values: Variant = MemoryWorld.apply_rule("knowledge.flags", [data])
	return data["flag_defaults"] if values == null else values


## Returns the exported properties as plain data, and the flags that wait for a save. Of facts and
## establishments it has texts, numbers, bools, and Arrays of these.
func to_data() -> Dictionary:
	var data := _flag_data()
	_lock.lock()
	data["facts"] = facts.map(_plain)
	data["npc_names"] = npc_names.duplicate()
	data["npc_aliases"] = npc_aliases.duplicate()
	data["establishments"] = establishments.map(_plain)
	data["other_names"] = other_names.duplicate()
	data["player_name"] = player_name
	_lock.unlock()
	return data


## Data for the rules about flags. In an open save it includes what waited for it.
func _flag_data() -> Dictionary:
	_RAGWaiting.is_save_open()
	_lock.lock()
	var defaults := flag_defaults.duplicate()
	_lock.unlock()
	return {"flag_defaults": defaults, "flags": _RAGWaiting.flags_of(_id)}


func _has_defined(flag: String) -> bool:
	if not has_flag(flag):
		push_error("There is no story flag %s. Define it with define_flag() first." % flag)
		return false
	return true


func _apply(rule: String, arguments: Array, without_answer: Variant) -> Variant:
	_RAGWaiting.is_save_open()
	var answer: Variant = MemoryWorld.apply_rule("knowledge." + rule, [self] + arguments)
	return without_answer if answer == null else answer


static func _plain(entry: Dictionary) -> Dictionary:
	var data := {}
	for key: Variant in entry:
		var value: Variant = entry[key]
		if key == "known_by":
			data[key] = value
		elif value is Array or value is PackedStringArray:
			data[key] = Array(value).filter(_RAGValueLimits.is_plain)
		elif _RAGValueLimits.is_plain(value):
			data[key] = value
	return data


## Puts an entry in the place of the one with its id, or at the end.
static func _put(entries: Array[Dictionary], entry: Dictionary) -> void:
	for index: int in entries.size():
		if entries[index].get("id", "") == entry["id"]:
			entries[index] = entry
			return
	entries.append(entry)


static func _are_known(call: String, given: Dictionary, allowed: Array[String]) -> bool:
	for key: Variant in given:
		var fault := _RAGValueLimits.fault_of(given[key])
		if fault:
			var name := _RAGValueLimits.shown(key)
			push_error("NPCWorldKnowledge.%s: the option %s %s." % [call, name, fault])
			return false
		if not key in allowed:
			var meant := _RAGValueLimits.did_you_mean(key, allowed)
			var words := "NPCWorldKnowledge.%s: there is no option %s.%s The options are %s."
			push_error(words % [call, key, meant, ", ".join(PackedStringArray(allowed))])
			return false
	return true

@icon("res://addons/rag_memory/icons/MemoryServer.svg")
class_name NPCWorldKnowledge
extends Resource
## The truth about the world: canonical facts, the people, and the flags of the story.
##
## Make one per game, in the editor or in code: it says how the world is at the beginning. What
## changes while a save is open lies in that save, and goes back with it: flags that are set, and
## facts that are added. [NPCContextBuilder] takes facts for the prompt from it.
## Its methods may be called on every thread; its properties belong to one thread at a time.
## Memories are checked against it, so that no NPC remembers people who do not exist:
## [codeblock]
## var world := NPCWorldKnowledge.new()
## world.add_npc("gregor", "Gregor", ["the merchant"])
## world.add_fact("well", "The well of Thornhaven dried up last summer.")
## world.define_flag("bandits_defeated", false)
## print(world.check_memory("Gregorr sold the player a rope.")["text"])  # -> Gregor sold ...
## [/codeblock]

## Emitted when the value of a flag has changed.
signal flag_changed(flag: String, value: Variant)

const _RAGNameCheck := preload("res://addons/rag_memory/prompt/name_check.gd")
const _RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const _RAGEstablishmentCheck := preload("res://addons/rag_memory/prompt/establishment_check.gd")
const _RAGSavedWorld := preload("res://addons/rag_memory/prompt/saved_world.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const _FACT_OPTIONS: Array[String] = ["topics", "known_by", "locations", "requires_flag"]
const _ESTABLISHMENT_DATA: Array[String] = ["kind", "location", "owner", "sells", "requires_flag"]
const _FLAG_TYPES: Array[int] = [TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRING]

## The canonical facts. Each is a dictionary:[br]
## [code]id[/code] and [code]text[/code].[br]
## [code]topics[/code]: words it is about.[br]
## [code]known_by[/code]: ids of the NPCs who know it; empty for everybody.[br]
## [code]locations[/code]: places in which everybody knows it. Elsewhere only those in
## [code]known_by[/code] do.[br]
## [code]requires_flag[/code]: a flag that has to be set before it is true.
@export var facts: Array[Dictionary] = []
## Every NPC: id and name.
@export var npc_names: Dictionary[String, String] = {}
## Other names of an NPC, by id.
@export var npc_aliases: Dictionary[String, Array] = {}
## Inns, shops, smithies and the like. Each is a dictionary:[br]
## [code]id[/code] and [code]name[/code], for example [code]"Copper Kettle"[/code].[br]
## [code]kind[/code], for example [code]"inn"[/code].[br]
## [code]location[/code]: where it is.[br]
## [code]owner[/code]: the id of the NPC who runs it.[br]
## [code]sells[/code]: a list of what there is to buy.[br]
## [code]requires_flag[/code]: a flag that has to be set before it is open.
@export var establishments: Array[Dictionary] = []
## Names that are no people: places, taverns, weapons, gods.
@export var other_names: Array[String] = []
## The story flags with their defaults. The default also says the type: [bool], [int], [float] or
## [String].
@export var flag_defaults: Dictionary[String, Variant] = {}
## The player's name, once it is known. It then counts as a known name.
@export var player_name := ""

# Guards _flags and the collections above, where the methods use them. Never held while the worker
# is asked.
var _lock := Mutex.new()
# There is no self any more when it is needed.
var _id := get_instance_id()
# Flags that were set while no save was open. They wait for the next one.
var _flags: Dictionary[String, Variant] = {}
# Every capitalised word of a canonical fact is a known name.
var _name := RegEx.create_from_string("\\p{Lu}[\\p{L}'’-]*\\p{L}")


func _init() -> void:
	_RAGSavedWorld.add_waiting(self)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_RAGSavedWorld.remove_waiting(_id)


## Adds a fact, or replaces the one with this [param id]. While a save is open the fact is added to
## that save. Before, it is one of [member facts], which every save begins with.
## [param options]: [code]topics[/code], [code]known_by[/code], [code]locations[/code] and
## [code]requires_flag[/code], as in [member facts].
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
	if _RAGSavedWorld.is_open():
		_RAGSavedWorld.set_facts({id: fact})
	else:
		_lock.lock()
		_put(facts, fact)
		_lock.unlock()


## Returns the text of a fact, or an empty string when there is none with this id.
func get_fact(id: String) -> String:
	for fact: Dictionary in _facts_now():
		if fact.get("id", "") == id:
			return fact.get("text", "")
	return ""


## Returns the facts that [param npc_id] knows now. Those that share most words with [param context]
## come first. [param limit]: -1 for all of them. [param location]: where she is, for the facts of a
## place; the name of an establishment stands for its location, too.
## [codeblock]
## world.add_fact("toll", "The ferryman takes two coins.", {"locations": ["Ferry"]})
## print(world.get_facts_for("mira", "", -1, "Ferry"))  # -> ["The ferryman takes two coins."]
## print(world.get_facts_for("mira", "", -1, "Thornhaven").size())  # -> 0
## [/codeblock]
func get_facts_for(npc_id: String, context := "", limit := -1, location := "") -> PackedStringArray:
	var words := _words_of(context)
	var places := _places_of(location)
	var ranked: Array[Dictionary] = []
	var all := _facts_now()
	for index: int in all.size():
		var fact: Dictionary = all[index]
		if _is_known_by(fact, npc_id, places):
			ranked.append({"text": fact["text"], "shared": _shared(fact, words), "index": index})
	ranked.sort_custom(_is_nearer)
	var texts := PackedStringArray()
	for entry: Dictionary in ranked.slice(0, ranked.size() if limit < 0 else limit):
		texts.append(entry["text"] as String)
	return texts


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
	var places := _places_of(location)
	var matching: Array[Dictionary] = []
	for establishment: Dictionary in _establishments_now():
		var is_there := not location or str(establishment.get("location", "")).to_lower() in places
		if is_there and _is_true_now(establishment):
			if not _RAGValueLimits.fault_of(establishment):
				matching.append(establishment.duplicate(true))
	return matching


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
	return _RAGEstablishmentCheck.outcome(
		text, _establishments_now(), get_known_names(), _names_of_npcs(), location
	)


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
	var people := _name_words(" ".join(_names_of_npcs()))
	var words := _name_words(name)
	return not words.is_empty() and Array(words).all(people.has)


## Returns all names that memories may use: NPCs, establishments, [member other_names],
## [member player_name], and the capitalised words of facts; and while a save is open, the
## characters and the player that [MemoryWorld] was told of.
## Give them to [method MemoryServer.register_names] with [code]check_people[/code], so that every
## memory of every NPC is checked when it is stored. Give them again after adding names.
func get_known_names() -> PackedStringArray:
	var names := _names_of_npcs()
	names.append_array(PackedStringArray(other_names))
	for establishment: Dictionary in _establishments_now():
		names.append(str(establishment.get("name", "")))
		if establishment.get("location", ""):
			names.append(str(establishment["location"]))
	for fact: Dictionary in _facts_now():
		for hit: RegExMatch in _name.search_all(fact.get("text", "") as String):
			names.append(hit.get_string())
	if player_name:
		names.append(player_name)
	if _RAGSavedWorld.is_open():
		names.append_array(_names_in_save())
	return names


## Checks whether a memory is about people nobody knows. Looks at the text and at
## [code]participants[/code] of [param data].[br]
## Keys of the result:[br]
## [code]accepted[/code].[br]
## [code]text[/code] and [code]data[/code]: corrected where a name was only misspelled.[br]
## [code]unknown_names[/code], and [code]corrections[/code] (from the wrong name to the right
## one).[br]
## [code]reason[/code]: a sentence, empty when nothing was wrong.[br]
## Keys of [param options]:[br]
## [code]known_names[/code]: more names that count as known, for this call.[br]
## [code]correct[/code]: default [code]true[/code]; [code]false[/code] rejects misspelled names,
## too.[br]
## [code]check_names[/code]: default [code]true[/code]; [code]false[/code] accepts everything.[br]
## The check needs no language model. A capitalised word counts as the name of a person when it
## stands inside a sentence, or at its start before a verb of speech. After an article or a word of
## place it does not. The worker does the check ([method MemoryServer.check_names]). The first check
## starts it when no [RAGMemory] has.
## [codeblock]
## var checked := world.check_memory("Gregorr sold the player a rope.")
## print(checked["text"])  # -> Gregor sold the player a rope.
## print(world.check_memory("Ravenna sold the player a rope.")["accepted"])  # -> false
## [/codeblock]
func check_memory(text: String, data: Dictionary = {}, options: Dictionary = {}) -> Dictionary:
	var fault := _RAGValueLimits.fault_of([data, options])
	if fault:
		push_error(
			"NPCWorldKnowledge.check_memory(): data or options %s. Pass flatter values." % fault
		)
		var refused := _RAGNameCheck.outcome(text, {}, {})
		refused.merge({"accepted": false, "reason": "Its data %s." % fault}, true)
		return refused
	if not options.get("check_names", true):
		return _RAGNameCheck.outcome(text, data, {})
	var names := get_known_names()
	names.append_array(PackedStringArray(Array(options.get("known_names", []))))
	var checks := MemoryServer.check_names([_RAGNameCheck.question(text, data)], names, [])
	if checks.is_empty():
		return _RAGNameCheck.unchecked(text, data)
	var first := checks[0]
	return _RAGNameCheck.outcome(text, data, first, options.get("correct", true) as bool)


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
	_flags.erase(flag)
	_lock.unlock()
	return OK


## Sets a story flag, in the open save. With none open the value waits for the next one that is
## opened. An unknown flag or a value of another type is an error and changes nothing. An
## [int] is taken for a [float] flag, 0 or 1 for a [bool] flag, a [StringName] for a [String] flag.
func set_flag(flag: String, value: Variant) -> Error:
	var default: Variant = _default_of(flag)
	if default == null:
		push_error("There is no story flag %s. Define it with define_flag() first." % flag)
		return ERR_DOES_NOT_EXIST
	var type := typeof(default)
	var converted: Variant = _converted(value, type)
	if converted == null:
		var words := "The story flag %s is of type %s and cannot be %s. Pass a value of its type."
		push_error(words % [flag, type_string(type), _RAGValueLimits.shown(value)])
		return ERR_INVALID_PARAMETER
	var before: Variant = get_flag(flag)
	if _is_saved():
		_RAGSavedWorld.set_flags({flag: converted})
	else:
		_lock.lock()
		_flags[flag] = converted
		_lock.unlock()
	if before != converted:
		flag_changed.emit(flag, converted)
	return OK


## Returns the value of a story flag; [code]null[/code] with an error when there is no such flag.
func get_flag(flag: String) -> Variant:
	var default: Variant = _default_of(flag)
	if default == null:
		push_error("There is no story flag %s. Define it with define_flag() first." % flag)
		return null
	var set_value: Variant = null
	if _is_saved():
		set_value = _RAGSavedWorld.flags().get(flag)
	else:
		_lock.lock()
		set_value = _flags.get(flag)
		_lock.unlock()
	var value: Variant = _converted(set_value, typeof(default))
	return default if value == null else value


## Returns whether there is such a story flag.
func has_flag(flag: String) -> bool:
	return _default_of(flag) != null


## Returns the values of all story flags, with the default of each that was not set. What was set is
## in the open save: [method MemoryWorld.get_flags].
## [codeblock]
## world.define_flag("mill_burned", false)
## print(world.get_flags()["mill_burned"])  # -> false
## [/codeblock]
func get_flags() -> Dictionary:
	var values := {}
	for flag: String in _defaults_now():
		values[flag] = get_flag(flag)
	return values


## Returns the exported properties as plain data, and under [code]flags[/code] what waits for a save.
func to_data() -> Dictionary:
	_save_what_waits()
	var data := {}
	_lock.lock()
	for property: Dictionary in get_property_list():
		var value: Variant = get(property["name"] as StringName)
		if property["usage"] & PROPERTY_USAGE_SCRIPT_VARIABLE and property["usage"] & PROPERTY_USAGE_STORAGE:
			if not _RAGValueLimits.fault_of(value):
				data[property["name"]] = value
	data["flags"] = _flags
	_lock.unlock()
	return data


func _is_saved() -> bool:
	_save_what_waits()
	return _RAGSavedWorld.is_open()


func _save_what_waits() -> void:
	if not _RAGSavedWorld.is_open():
		return
	_lock.lock()
	var flags := _flags
	_flags = {}
	_lock.unlock()
	if not flags.is_empty():
		_RAGSavedWorld.set_flags(flags)


func _defaults_now() -> Dictionary:
	_lock.lock()
	var defaults := flag_defaults.duplicate()
	_lock.unlock()
	return defaults


## Null when there is no such flag.
func _default_of(flag: String) -> Variant:
	_lock.lock()
	var default: Variant = flag_defaults.get(flag)
	_lock.unlock()
	return default


func _establishments_now() -> Array[Dictionary]:
	_lock.lock()
	var all := establishments.duplicate()
	_lock.unlock()
	return all


## The facts of the beginning, and what the open save says instead of them and besides.
func _facts_now() -> Array[Dictionary]:
	_lock.lock()
	var all := facts.duplicate()
	_lock.unlock()
	if not _RAGSavedWorld.is_open():
		return all
	for fact: Dictionary in _RAGSavedWorld.facts().values():
		_put(all, fact)
	return all


func _names_in_save() -> PackedStringArray:
	var names := PackedStringArray([str(MemoryWorld.get_player_info().get("name", ""))])
	for character: Dictionary in MemoryWorld.list_characters():
		names.append(str(character.get("name", "")))
	return PackedStringArray(Array(names).filter(func(name: String) -> bool: return name != ""))


func _names_of_npcs() -> PackedStringArray:
	var names := PackedStringArray()
	_lock.lock()
	for id: String in npc_names:
		names.append(id)
		names.append(npc_names[id])
		for alias: String in npc_aliases.get(id, []):
			names.append(alias)
	_lock.unlock()
	return names


func _is_known_by(fact: Dictionary, npc_id: String, places: PackedStringArray) -> bool:
	var known_by: Array = fact.get("known_by", [])
	var locations := Array(fact.get("locations", []))
	var is_common := known_by.is_empty() and locations.is_empty()
	var is_there := locations.any(
		func(place: Variant) -> bool: return str(place).to_lower() in places
	)
	return (is_common or npc_id in known_by or is_there) and _is_true_now(fact)


func _is_true_now(stated: Dictionary) -> bool:
	var flag: String = stated.get("requires_flag", "")
	return flag.is_empty() or (has_flag(flag) and get_flag(flag))


## A place and what it lies in, in small letters.
func _places_of(location: String) -> PackedStringArray:
	var places := PackedStringArray([location.to_lower()]) if location else PackedStringArray()
	for establishment: Dictionary in _establishments_now():
		for key: String in ["id", "name"]:
			if (
				location
				and _RAGEstablishmentCheck.is_same_place(location, str(establishment.get(key, "")))
			):
				places.append(str(establishment.get("location", "")).to_lower())
	return places


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


static func _converted(value: Variant, type: int) -> Variant:
	if value is float and not is_finite(value as float):
		return null
	if type == TYPE_STRING and value is StringName:
		return String(value as StringName)
	if typeof(value) == type:
		return value
	if type == TYPE_FLOAT and value is int:
		return float(value as int)
	if type == TYPE_INT and value is float and value == floorf(value as float):
		return int(value as float)
	if type == TYPE_BOOL and (value is int or value is float) and (value == 0 or value == 1):
		return value == 1
	return null


static func _name_words(text: String) -> PackedStringArray:
	var words := PackedStringArray()
	for hit: RegExMatch in RegEx.create_from_string("[\\p{L}\\p{N}'’-]+").search_all(text):
		words.append(hit.get_string().to_lower().trim_suffix("'s").trim_suffix("’s"))
	return words


static func _words_of(text: String) -> Dictionary:
	var words := {}
	for hit: RegExMatch in RegEx.create_from_string("[\\p{L}\\p{N}']{3,}").search_all(text):
		words[hit.get_string().to_lower()] = true
	return words


static func _shared(fact: Dictionary, words: Dictionary) -> int:
	var of_fact := _words_of(
		fact["text"] + " " + " ".join(PackedStringArray(Array(fact.get("topics", []))))
	)
	var count := 0
	for word: String in of_fact:
		count += 1 if words.has(word) else 0
	return count


static func _is_nearer(left: Dictionary, right: Dictionary) -> bool:
	if left["shared"] != right["shared"]:
		return left["shared"] > right["shared"]
	return left["index"] < right["index"]

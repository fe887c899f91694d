@icon("res://addons/rag_memory/icons/MemoryServer.svg")
class_name NPCWorldEvents
extends RefCounted
## The log of what really happened in the world. The game adds events, and nobody changes them.
##
## An NPC's memory is what she believes. This log is the truth. It lies in the open save, together
## with what [method MemoryWorld.record_event] records, and goes back with it. While no save is
## open, events wait in this object for the next one that is opened.[br]
## Every thread may use it. Its signals are emitted on the thread that calls.
## [codeblock]
## var events := NPCWorldEvents.new(world)
## events.append("quest_completed", "The bandits of Iron Hollow were driven out.", {
##     "participants": ["player", "aldric"], "location": "Iron Hollow", "witnesses": ["aldric"],
## })
## [/codeblock]

## Emitted after an event was appended.
signal event_appended(event: Dictionary)
const _RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const _RAGWorldEvents := preload("res://addons/rag_memory/prompt/npc_world_events.gd")
const _RAGSavedWorld := preload("res://addons/rag_memory/prompt/saved_world.gd")
const _RAGValueLimits := preload("res://addons/rag_memory/prompt/value_limits.gd")
const _FORMAT := "rag_memory_world_events"
## 1 had the events as plain JSON, in which whole numbers and vectors lose their type.
const _VERSION := 2
const _OWN_KEYS: Array[String] = ["sequence", "event_type", "description"]

## The known people. With it, an event that names somebody unknown is refused.
var knowledge: _RAGWorldKnowledge
## A function that returns seconds, for events whose data has no [code]timestamp[/code]. Give it the
## one you gave to [method MemoryServer.set_clock].
var clock: Callable = Time.get_unix_time_from_system:
	set(value):
		clock = value
		_clock_owner = value.get_object_id()

# Guards what waits for a save. Never held while the worker is asked.
var _lock := Mutex.new()
# There is no self any more when it is needed.
var _id := get_instance_id()
# Events that wait for a save.
var _events: Array[Dictionary] = []
# Asked for while it lives: a lambda cannot name its object any more when that was freed.
var _clock_owner := clock.get_object_id()


func _init(world_knowledge: _RAGWorldKnowledge = null) -> void:
	knowledge = world_knowledge
	_RAGSavedWorld.add_waiting(self)


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_RAGSavedWorld.remove_waiting(_id)


## Appends an event and returns its sequence number (0 for the first). Returns -1, with an error,
## when the event is refused.[br]
## Keys of [param data] with a meaning; others are kept:[br]
## [code]participants[/code] and [code]location[/code].[br]
## [code]witnesses[/code]: who may tell of it. With none, everybody may.[br]
## [code]visibility[/code], [code]known_by[/code], [code]actor[/code], [code]target[/code],
## [code]actor_faction[/code], [code]target_faction[/code], [code]title[/code],
## [code]importance[/code] and [code]expires_day[/code]: as in
## [method MemoryWorld.record_event].[br]
## [code]timestamp[/code]: game time in seconds, a finite number.[br]
## [code]check_names[/code]: [code]false[/code] switches the check against [member knowledge] off.
func append(event_type: String, description: String, data: Dictionary = {}) -> int:
	var refusal := _refusal_of(event_type, description, data)
	if refusal:
		push_error("NPCWorldEvents.append(): %s." % refusal)
		return -1
	var details := data.duplicate(true)
	details.erase("check_names")
	if knowledge != null and data.get("check_names", true):
		var checked := knowledge.check_memory(description, details, {"correct": false})
		if not checked["accepted"]:
			push_error("The event was not added. %s" % checked["reason"])
			return -1
	var event := {"sequence": -1, "event_type": event_type, "description": description}
	event.merge(details)
	if not event.has("timestamp"):
		if not is_instance_id_valid(_clock_owner) or not clock.is_valid():
			push_error(
				"NPCWorldEvents.append(): the object of the clock was freed, so the event was not added.",
				" Put the clock into an autoload, or pass a timestamp."
			)
			return -1
		event["timestamp"] = clock.call()
	if not _is_moment(event["timestamp"]):
		var wrong := var_to_str(event["timestamp"])
		push_error(
			"NPCWorldEvents.append(): the timestamp is %s, so the event was not added." % wrong,
			" Pass seconds as a finite number, or have the clock return one."
		)
		return -1
	_add(event)
	event_appended.emit(event)
	return event["sequence"]


## Returns how many events there are.
func get_count() -> int:
	return _all().size()


## Returns an event by its sequence number, read-only. Empty when there is none.
func get_event(sequence: int) -> Dictionary:
	var all := _all()
	return all[sequence] if sequence >= 0 and sequence < all.size() else {}


## Returns the events, oldest first; read-only. Keys of [param filter]: [code]event_type[/code],
## [code]participant[/code], [code]location[/code], [code]since[/code] and [code]until[/code]
## (times, both included), [code]known_to[/code], and [code]limit[/code]: at most as many, the
## newest ones.[br]
## An NPC knows an event when she took part in it or witnessed it, or when it has no witnesses; more
## exactly as its [code]visibility[/code] says. When a save is open, the worker is asked what she
## knows, and the events have the keys [code]text[/code] (as she tells it) and
## [code]confidence[/code].
## [codeblock]
## var events := NPCWorldEvents.new()
## events.append("fire", "The inn burned down.", {"witnesses": ["mira"]})
## print(events.get_events({"known_to": "mira"}).size())  # -> 1
## print(events.get_events({"known_to": "bjorn"}).size())  # -> 0
## [/codeblock]
func get_events(filter: Dictionary = {}) -> Array[Dictionary]:
	var conditions := filter.duplicate()
	var limit: int = filter.get("limit", 1 << 30)
	conditions.erase("limit")
	var among := _all()
	if filter.has("known_to") and _RAGSavedWorld.is_open():
		conditions.erase("known_to")
		var wanted := {}
		for key: String in ["event_type", "participant"]:
			if conditions.has(key):
				wanted[key] = conditions[key]
		if filter.has("limit") and wanted.size() == conditions.size():
			wanted["limit"] = limit
		among = _RAGSavedWorld.events_known_to(filter["known_to"] as String, wanted)
	var matching := among.filter(_matches.bind(conditions))
	return matching.slice(maxi(0, matching.size() - limit))


## Returns whether an event of this type happened.
func has_happened(event_type: String) -> bool:
	return _all().any(func(event: Dictionary) -> bool: return event["event_type"] == event_type)


## Returns the whole log as text, for a file of the game's own. The open save has it already.
## [codeblock]
## var events := NPCWorldEvents.new()
## events.append("fire", "The inn burned down.")
## var loaded := NPCWorldEvents.from_json(events.to_json())
## print(loaded.has_happened("fire"))  # -> true
## [/codeblock]
func to_json() -> String:
	var log := {"format": _FORMAT, "version": _VERSION, "events": JSON.from_native(_all())}
	return JSON.stringify(log, "", true, true)


## Makes a log from [method to_json]; [code]null[/code] with an error when the text is something
## else. When a save is open, what the text has goes into it; events that it has already are left
## out.
static func from_json(text: String, world_knowledge: _RAGWorldKnowledge = null) -> _RAGWorldEvents:
	var json := JSON.new()
	if json.parse(text) != OK or not json.data is Dictionary or json.data.get("format") != _FORMAT:
		push_error("This is no log of world events: pass the text that to_json() returned.")
		return null
	var saved: Variant = json.data.get("events")
	if json.data.get("version", 1) > 1:
		saved = JSON.to_native(saved)
	if not saved is Array or not (saved as Array).all(_is_event):
		push_error("The log of world events is damaged: pass the text that to_json() returned.")
		return null
	var log := _RAGWorldEvents.new(world_knowledge)
	for record: Dictionary in saved:
		var event := record.duplicate(true)
		event["sequence"] = log._events.size()
		_RAGSavedWorld.freeze(event)
		log._events.append(event)
	log._save_what_waits()
	return log


static func _refusal_of(event_type: String, description: String, data: Dictionary) -> String:
	if not event_type or not description.strip_edges():
		return "it needs an event_type and a description; nothing was added"
	var fault := _RAGValueLimits.fault_of(data)
	if fault:
		return "data %s, so the event was not added. Pass flatter data" % fault
	for key: String in _OWN_KEYS:
		if data.has(key):
			return "data must not have the key %s" % key
	return ""


func _all() -> Array[Dictionary]:
	if not _is_saved():
		_lock.lock()
		var waiting := _events.duplicate()
		_lock.unlock()
		return waiting
	return Array(_RAGSavedWorld.events().values(), TYPE_DICTIONARY, &"", null)


## Gives the event its sequence number.
func _add(event: Dictionary) -> void:
	if _is_saved():
		_RAGSavedWorld.add_event(event)
		return
	_lock.lock()
	event["sequence"] = _events.size()
	_RAGSavedWorld.freeze(event)
	_events.append(event)
	_lock.unlock()


func _is_saved() -> bool:
	_save_what_waits()
	return _RAGSavedWorld.is_open()


func _save_what_waits() -> void:
	if not _RAGSavedWorld.is_open():
		return
	_lock.lock()
	var events := _events
	_events = []
	_lock.unlock()
	if not events.is_empty():
		var saved := {}
		for event: Dictionary in _RAGSavedWorld.events().values():
			saved[_identity(event)] = true
		for event: Dictionary in events:
			if not saved.has(_identity(event)):
				_RAGSavedWorld.add_event(event.duplicate())


## Returns what makes an event the same as another one. As text a time may lose its last digits.
static func _identity(event: Dictionary) -> Array:
	var milliseconds := roundi(float(event["timestamp"]) * 1000.0)
	return [event["event_type"], event["description"], milliseconds]


static func _is_moment(value: Variant) -> bool:
	return value is int or (value is float and is_finite(value as float))


static func _is_event(value: Variant) -> bool:
	return (
		value is Dictionary
		and value.get("event_type") is String
		and value.get("description") is String
		and (value.get("timestamp") is float or value.get("timestamp") is int)
	)


static func _matches(event: Dictionary, filter: Dictionary) -> bool:
	for key: Variant in filter:
		if not _matches_key(event, str(key), filter[key]):
			return false
	return true


static func _matches_key(event: Dictionary, key: String, wanted: Variant) -> bool:
	match key:
		"event_type", "location":
			return event.get(key, "") == wanted
		"participant":
			return wanted in Array(event.get("participants", []))
		"since":
			return event["timestamp"] >= wanted
		"until":
			return event["timestamp"] <= wanted
		"known_to":
			var witnesses := Array(event.get("witnesses", []))
			var participants := Array(event.get("participants", []))
			return witnesses.is_empty() or wanted in witnesses or wanted in participants
	push_error("NPCWorldEvents.get_events(): there is no filter %s." % key)
	return false

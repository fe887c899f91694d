@icon("res://addons/rag_memory/icons/MemoryServer.svg")
class_name NPCWorldEvents
extends RefCounted
## The log of what really happened in the world. The game adds events, and nobody changes them.
##
## An NPC's memory is what the NPC believes. This log is the truth. It lies in the open save,
## together with what [method MemoryWorld.record_event] records, and goes back with it. While no
## save is open, events wait in this object for the next one that is opened.[br] Every thread may
## use it. Its signals are emitted on the thread that calls. Its methods wait for the memory worker;
## [method append] takes some milliseconds in an open save.
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
const _RAGWaiting := preload("res://addons/rag_memory/prompt/waiting_for_save.gd")
const _FORMAT := "rag_memory_world_events"
## 1 had the events as plain JSON, in which whole numbers and vectors lose their type.
const _VERSION := 2

## The known people. With it, an event that names somebody unknown is refused.
var knowledge: _RAGWorldKnowledge
# There is no self any more when it is needed.
var _id := get_instance_id()


func _init(world_knowledge: _RAGWorldKnowledge = null) -> void:
	knowledge = world_knowledge


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		_RAGWaiting.forget(_id)


## Appends an event and returns its sequence number (0 for the first). Returns -1, with an error,
## when the event is refused.[br]
## Keys of [param data] with a meaning; others are kept:[br]
## [code]participants[/code] and [code]location[/code].[br]
## [code]witnesses[/code]: who may tell of it. With none, everybody may.[br]
## [code]visibility[/code], [code]known_by[/code], [code]actor[/code], [code]target[/code],
## [code]actor_faction[/code], [code]target_faction[/code], [code]title[/code],
## [code]importance[/code] and [code]expires_day[/code]: as in
## [method MemoryWorld.record_event].[br]
## [code]timestamp[/code]: game time in seconds, a finite number; without it that of
## [method MemoryServer.set_clock].[br]
## [code]check_names[/code]: [code]false[/code]: names that [member knowledge] does not have are not
## marked as [code]name_suspects[/code].
func append(event_type: String, description: String, data: Dictionary = {}) -> int:
	var people := knowledge if data.get("check_names", true) else null
	_RAGWaiting.is_save_open()
	var appended: Variant = MemoryWorld.apply_rule(
		"events.append", [event_type, description, data, people]
	)
	if appended == null:
		return -1
	var event: Dictionary = appended
	if not event.has("sequence"):
		event["sequence"] = _RAGWaiting.add_event(_id, event)
	event_appended.emit(event)
	return event["sequence"]


## Returns how many events there are.
func get_count() -> int:
	return _apply("count", [], 0)


## Returns an event by its sequence number, as a copy. Empty when there is none.
func get_event(sequence: int) -> Dictionary:
	return _apply("event", [sequence], {})


## Returns the events, oldest first, as copies. Keys of [param filter]: [code]event_type[/code],
## [code]participant[/code], [code]location[/code], [code]since[/code] and [code]until[/code]
## (times, both included), [code]known_to[/code], and [code]limit[/code]: at most as many, the
## newest ones.[br]
## An NPC knows an event when it took part in it or witnessed it, or when it has no witnesses; more
## exactly as its [code]visibility[/code] says. When a save is open, the worker is asked what the
## NPC knows, and the events have the keys [code]text[/code] (as the NPC tells it) and
## [code]confidence[/code].
## [codeblock]
## var events := NPCWorldEvents.new()
## events.append("fire", "The inn burned down.", {"witnesses": ["mira"]})
## print(events.get_events({"known_to": "mira"}).size())  # -> 1
## print(events.get_events({"known_to": "bjorn"}).size())  # -> 0
## [/codeblock]
func get_events(filter: Dictionary = {}) -> Array[Dictionary]:
	var matching: Array[Dictionary] = []
	matching.assign(_apply("events", [filter], []) as Array)
	return matching


## Returns whether an event of this type happened.
func has_happened(event_type: String) -> bool:
	return not get_events({"event_type": event_type, "limit": 1}).is_empty()


## Returns the whole log as text, for a file of the game's own. The open save has it already.
## [codeblock]
## var events := NPCWorldEvents.new()
## events.append("fire", "The inn burned down.")
## var loaded := NPCWorldEvents.from_json(events.to_json())
## print(loaded.has_happened("fire"))  # -> true
## [/codeblock]
func to_json() -> String:
	var log := {"format": _FORMAT, "version": _VERSION, "events": JSON.from_native(get_events())}
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
	for event: Dictionary in saved:
		event.erase("sequence")
		_RAGWaiting.add_event(log._id, event)
	_RAGWaiting.is_save_open()
	return log


func _apply(rule: String, arguments: Array, without_answer: Variant) -> Variant:
	_RAGWaiting.is_save_open()
	var answer: Variant = MemoryWorld.apply_rule(
		"events." + rule, [_RAGWaiting.events_of(_id)] + arguments
	)
	return without_answer if answer == null else answer


static func _is_event(value: Variant) -> bool:
	return (
		value is Dictionary
		and value.get("event_type") is String
		and value.get("description") is String
		and (value.get("timestamp") is float or value.get("timestamp") is int)
	)

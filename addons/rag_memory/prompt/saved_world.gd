extends RefCounted
## The flags, facts and events of the open save, as they were read last. Every
## NPCWorldKnowledge and NPCWorldEvents looks here, so that they say the same.
##
## Changes go to the save at once, without waiting for it. Every thread may call: what is
## cached is replaced and never written to, and the lock is not held while the worker is asked. The
## worker may be waiting for the main thread, and that one for the lock.

const RAGCalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")
const _FLAGS := "flags"
const _FACTS := "facts"
const _EVENTS := "events"
const _APPENDED := "appended"
const _NATIVE := "native"
## The keys of an event that MemoryWorld has itself, with their types.
const _RECORDED := {
	"title": TYPE_STRING,
	"location": TYPE_STRING,
	"actor": TYPE_STRING,
	"target": TYPE_STRING,
	"actor_faction": TYPE_STRING,
	"target_faction": TYPE_STRING,
	"visibility": TYPE_STRING,
	"importance": TYPE_INT,
	"expires_day": TYPE_FLOAT,
}

## Guards everything below.
static var _lock := Mutex.new()
static var _read: Dictionary[String, Variant] = {}
static var _save := ""
## Counts what makes an answer stale that the worker is giving at this moment.
static var _changes := 0
## The ids of events that were sent to the save, and are shown already.
static var _sent: Dictionary[String, bool] = {}
static var _is_connected := false
## The objects with values that may wait for a save, by their ids.
static var _waiting: Dictionary[int, WeakRef] = {}


## Has `_save_what_waits()` of an object called whenever another save is open. Objects do not
## connect themselves: one may be freed by its thread while the main thread emits.
static func add_waiting(object: RefCounted) -> void:
	_lock.lock()
	_waiting[object.get_instance_id()] = weakref(object)
	_lock.unlock()
	_connect_signals()


## Has to be called before the object is gone, which waits until nobody takes hold of it.
static func remove_waiting(id: int) -> void:
	if _lock == null:  # the game is quitting
		return
	_lock.lock()
	_waiting.erase(id)
	_lock.unlock()


## Returns whether a save is open, which then has what is asked for.
static func is_open() -> bool:
	return MemoryServer.current_save() != ""


static func flags() -> Dictionary:
	return _cached(_FLAGS, MemoryWorld.get_flags)


static func set_flags(values: Dictionary) -> void:
	_send(_FLAGS, values, MemoryWorld.set_flags_async.bind(values))


static func facts() -> Dictionary:
	return _cached(_FACTS, MemoryWorld.get_facts)


static func set_facts(changes: Dictionary) -> void:
	_send(_FACTS, changes, MemoryWorld.set_facts_async.bind(changes))


## The events, by their ids, oldest first; read-only ones.
static func events() -> Dictionary:
	return _cached(_EVENTS, _read_events)


## Gives an event the next sequence number, and makes it read-only.
static func add_event(event: Dictionary) -> void:
	var id := _new_id(event)
	var before := events()
	_lock.lock()
	# Another thread may have added some since; what was read must be there, to know the number.
	before = _read.get(_EVENTS, before)
	event["sequence"] = before.size()
	freeze(event)
	_sent[id] = true
	_replace(_EVENTS, before, {id: event})
	var request := MemoryWorld.record_event_async(_record_of(id, event))
	_lock.unlock()
	_when_done.call_deferred(request, _on_event_added.bind(id))


## The events that an NPC knows of, in the order of [param wanted], as she tells them: with the keys
## [code]text[/code] and [code]confidence[/code].
static func events_known_to(npc_id: String, wanted: Dictionary) -> Array[Dictionary]:
	var filter := {"known_to": npc_id}
	filter.merge(wanted)
	var all := events()
	var matching: Array[Dictionary] = []
	for record: Dictionary in MemoryWorld.get_events(filter):
		var event: Dictionary = (all.get(record["id"], {}) as Dictionary).duplicate()
		if event.is_empty():
			event = _event_of(record)
		event["text"] = record["text"]
		event["confidence"] = record["confidence"]
		freeze(event)
		matching.append(event)
	return matching


static func forget() -> void:
	_lock.lock()
	_forget()
	_lock.unlock()


static func freeze(value: Variant) -> void:
	if value is Dictionary:
		for key: Variant in value:
			freeze(value[key])
		(value as Dictionary).make_read_only()
	elif value is Array:
		for item: Variant in value:
			freeze(item)
		(value as Array).make_read_only()


## Returns what the save has of this kind; read-only.
static func _cached(what: String, read: Callable) -> Dictionary:
	_connect_signals()
	_lock.lock()
	_look_at_save()
	var cached: Variant = _read.get(what)
	var changes := _changes
	_lock.unlock()
	if cached != null:
		return cached
	var values: Dictionary = read.call()
	values.make_read_only()
	_lock.lock()
	# Without the signals nobody would say that it is stale.
	if changes == _changes and _is_connected:
		_read[what] = values
	_lock.unlock()
	return values


## Shows the changes from now on; `send` gives them to the save.
static func _send(what: String, changes: Dictionary, send: Callable) -> void:
	_lock.lock()
	_look_at_save()
	if _read.has(what):
		_replace(what, _read[what] as Dictionary, changes)
	_changes += 1
	# Under the lock, so that the save gets the changes in the order in which they are shown.
	var request: MemoryRequest = send.call()
	_lock.unlock()
	_when_done.call_deferred(request, _on_set)


## With the lock.
static func _replace(what: String, before: Dictionary, changes: Dictionary) -> void:
	var after := before.duplicate()
	for key: Variant in changes:
		if changes[key] == null:
			after.erase(key)
		else:
			after[key] = changes[key]
	after.make_read_only()
	_changes += 1
	if _is_connected:
		_read[what] = after


## With the lock.
static func _look_at_save() -> void:
	var save := MemoryServer.current_save()
	if save != _save:
		_forget()
		_save = save


## With the lock.
static func _forget() -> void:
	_read.clear()
	_changes += 1


## Signals are connected and emitted on the main thread only: elsewhere it would be a race.
static func _connect_signals() -> void:
	if OS.get_thread_caller_id() != OS.get_main_thread_id():
		if not _is_connected:
			_connect_signals.call_deferred()
		return
	if _is_connected:
		return
	MemoryWorld.world_changed.connect(_on_world_changed)
	MemoryWorld.event_recorded.connect(_on_event_recorded)
	_lock.lock()
	_forget()
	_is_connected = true
	_lock.unlock()


## On the main thread.
static func _when_done(request: MemoryRequest, then: Callable) -> void:
	if request.is_completed():
		then.call(request.get_result())
	else:
		request.completed.connect(then, CONNECT_ONE_SHOT)


## Stops showing changes that the save has refused.
static func _on_set(result: Variant) -> void:
	if result != OK:
		forget()


static func _on_event_added(result: Variant, id: String) -> void:
	_lock.lock()
	_sent.erase(id)
	if result is String and not result:
		_forget()
	_lock.unlock()


static func _on_event_recorded(id: String) -> void:
	_lock.lock()
	if not _sent.has(id):
		_read.erase(_EVENTS)
		_changes += 1
	_lock.unlock()


static func _on_world_changed() -> void:
	var objects: Array[RefCounted] = []
	_lock.lock()
	_forget()
	for reference: WeakRef in _waiting.values():
		var object: RefCounted = reference.get_ref()
		if object != null:
			objects.append(object)
	_lock.unlock()
	for object: RefCounted in objects:
		object.call(&"_save_what_waits")


static func _read_events() -> Dictionary:
	var by_id := {}
	for record: Dictionary in MemoryWorld.get_events({"include_expired": true}):
		var event := _event_of(record)
		event["sequence"] = by_id.size()
		freeze(event)
		by_id[record["id"]] = event
	return by_id


## Returns how an event of NPCWorldEvents is recorded. Without witnesses everybody may know of it.
static func _record_of(id: String, event: Dictionary) -> Dictionary:
	var witnesses := _texts(event.get("witnesses"))
	var participants := _texts(event.get("participants"))
	var recorded := {
		"id": id,
		"event_type": event["event_type"],
		"summary": event["description"],
		"day": event["timestamp"] / RAGCalendarText.seconds_per_day(),
		"visibility": "global" if witnesses.is_empty() else "private",
		"participants": participants,
		"known_by": _texts(event.get("known_by")) + witnesses,
		_APPENDED: {},
	}
	if not witnesses.is_empty():
		recorded["known_by"] += participants
	for key: String in event:
		if not key in ["sequence", "event_type", "description"]:
			recorded[_APPENDED][key] = _storable(event[key])
	for key: String in _RECORDED:
		if typeof(event.get(key)) == _RECORDED[key]:
			recorded[key] = event[key]
	return recorded


## An event as NPCWorldEvents tells it.
static func _event_of(record: Dictionary) -> Dictionary:
	var event := {"event_type": record["event_type"], "description": record["summary"]}
	if record.has(_APPENDED):
		for key: String in record[_APPENDED]:
			event[key] = _restored(record[_APPENDED][key])
		return event
	event["timestamp"] = record["day"] * RAGCalendarText.seconds_per_day()
	event["participants"] = [record["actor"], record["target"]].filter(
		func(id: String) -> bool: return id != ""
	)
	for key: String in record:
		if not key in ["id", "summary", "text", "confidence", "expired", "relevance"]:
			event[key] = record[key]
	return event


static func _new_id(event: Dictionary) -> String:
	var type := (event["event_type"] as String).to_snake_case().validate_filename()
	return "event_%s_%08x%08x" % [type.replace(" ", "_"), randi(), Time.get_ticks_usec()]


static func _texts(value: Variant) -> Array:
	if value is Array or value is PackedStringArray:
		return Array(value).map(func(item: Variant) -> String: return str(item))
	return []


## A value as a save keeps it; what only the engine has is a text inside a dictionary.
static func _storable(value: Variant) -> Variant:
	if _is_plain(value):
		return value
	return {_NATIVE: JSON.stringify(JSON.from_native(value), "", true, true)}


static func _restored(stored: Variant) -> Variant:
	if stored is Dictionary and (stored as Dictionary).keys() == [_NATIVE]:
		return JSON.to_native(JSON.parse_string(stored[_NATIVE] as String))
	return stored


static func _is_plain(value: Variant) -> bool:
	match typeof(value):
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_STRING:
			return true
		TYPE_FLOAT:
			return is_finite(value as float)
		TYPE_ARRAY:
			return not (value as Array).is_typed() and (value as Array).all(_is_plain)
		TYPE_DICTIONARY:
			var keys := (value as Dictionary).keys()
			return (
				not (value as Dictionary).is_typed()
				and keys.all(func(key: Variant) -> bool: return key is String)
				and keys != [_NATIVE]
				and (value as Dictionary).values().all(_is_plain)
			)
	return false

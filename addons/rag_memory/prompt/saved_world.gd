extends RefCounted
## What the open save keeps of flags, facts, events and the player, as it was read last. Every
## NPCWorldKnowledge and NPCWorldEvents looks here, so that they say the same.
##
## What is set goes to the save at once, without waiting for it.

const CalendarText := preload("res://addons/rag_memory/prompt/calendar_text.gd")
const _FLAGS := "flags"
const _FACTS := "facts"
const _PLAYER := "player"
const _EVENTS := "events"
const _APPENDED := "appended"
const _NATIVE := "native"
## What of the data of an event MemoryWorld knows itself, with its type.
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

static var _read: Dictionary[String, Variant] = {}
static var _save := ""
## The ids of events that were sent to the save, and are shown already.
static var _sent: Dictionary[String, bool] = {}
static var _is_connected := false


## Whether a save is open, which then has what is asked for.
static func is_open() -> bool:
	return MemoryServer.current_save() != ""


static func flags() -> Dictionary:
	return _known(_FLAGS, MemoryWorld.get_flags)


static func set_flags(values: Dictionary) -> void:
	_merge(flags(), values)
	_expect_ok(MemoryWorld.set_flags_async(values))


static func facts() -> Dictionary:
	return _known(_FACTS, MemoryWorld.get_facts)


static func set_facts(changes: Dictionary) -> void:
	_merge(facts(), changes)
	_expect_ok(MemoryWorld.set_facts_async(changes))


static func player() -> Dictionary:
	return _known(_PLAYER, _read_player)


static func set_player(changes: Dictionary) -> void:
	_merge(player(), changes)
	var kept := {}
	for key: String in changes:
		kept[key] = _kept(changes[key])
	_expect_ok(MemoryWorld.set_player_info_async(kept))


## The events, by their ids, oldest first; read-only ones.
static func events() -> Dictionary:
	return _known(_EVENTS, _read_events)


static func add_event(event: Dictionary) -> void:
	var id := _new_id(event)
	events()[id] = event
	_sent[id] = true
	var request := MemoryWorld.record_event_async(_record_of(id, event))
	request.completed.connect(
		func(result: Variant) -> void:
			_sent.erase(id)
			if result is String and not result:
				forget(),
		CONNECT_ONE_SHOT
	)


## The events that an NPC knows of, in the order of [param wanted], as she tells them: with the keys
## [code]text[/code] and [code]confidence[/code].
static func events_known_to(npc_id: String, wanted: Dictionary) -> Array[Dictionary]:
	var filter := {"known_to": npc_id}
	filter.merge(wanted)
	var all := events()
	var known: Array[Dictionary] = []
	for told: Dictionary in MemoryWorld.get_events(filter):
		var event: Dictionary = (all.get(told["id"], {}) as Dictionary).duplicate()
		if event.is_empty():
			event = _event_of(told)
		event["text"] = told["text"]
		event["confidence"] = told["confidence"]
		freeze(event)
		known.append(event)
	return known


static func forget() -> void:
	_read.clear()


static func freeze(value: Variant) -> void:
	if value is Dictionary:
		for key: Variant in value:
			freeze(value[key])
		(value as Dictionary).make_read_only()
	elif value is Array:
		for each: Variant in value:
			freeze(each)
		(value as Array).make_read_only()


static func _known(what: String, read: Callable) -> Dictionary:
	if not _is_connected:
		_is_connected = true
		MemoryWorld.world_changed.connect(forget)
		MemoryWorld.event_recorded.connect(_on_event_recorded)
	var save := MemoryServer.current_save()
	if save != _save:
		forget()
		_save = save
	if not _read.has(what):
		_read[what] = read.call()
	return _read[what]


static func _merge(known: Dictionary, changes: Dictionary) -> void:
	for key: Variant in changes:
		if changes[key] == null:
			known.erase(key)
		else:
			known[key] = changes[key]


## What the save has refused is not shown any longer.
static func _expect_ok(request: MemoryRequest) -> void:
	request.completed.connect(
		func(result: Variant) -> void:
			if result != OK:
				forget(),
		CONNECT_ONE_SHOT
	)


static func _on_event_recorded(id: String) -> void:
	if not _sent.has(id):
		_read.erase(_EVENTS)


static func _read_player() -> Dictionary:
	var player_info := MemoryWorld.get_player_info()
	for key: String in player_info:
		player_info[key] = _restored(player_info[key])
	return player_info


static func _read_events() -> Dictionary:
	var found := {}
	for told: Dictionary in MemoryWorld.get_events({"include_expired": true}):
		var event := _event_of(told)
		event["sequence"] = found.size()
		freeze(event)
		found[told["id"]] = event
	return found


## How an event of NPCWorldEvents is recorded. Without witnesses everybody may know of it.
static func _record_of(id: String, event: Dictionary) -> Dictionary:
	var witnesses := _texts(event.get("witnesses"))
	var participants := _texts(event.get("participants"))
	var recorded := {
		"id": id,
		"event_type": event["event_type"],
		"summary": event["description"],
		"day": event["timestamp"] / CalendarText.seconds_per_day(),
		"visibility": "global" if witnesses.is_empty() else "private",
		"participants": participants,
		"known_by": _texts(event.get("known_by")) + witnesses,
		_APPENDED: {},
	}
	if not witnesses.is_empty():
		recorded["known_by"] += participants
	for key: String in event:
		if not key in ["sequence", "event_type", "description"]:
			recorded[_APPENDED][key] = _kept(event[key])
	for key: String in _RECORDED:
		if typeof(event.get(key)) == _RECORDED[key]:
			recorded[key] = event[key]
	return recorded


## An event as NPCWorldEvents tells it.
static func _event_of(told: Dictionary) -> Dictionary:
	var event := {"event_type": told["event_type"], "description": told["summary"]}
	if told.has(_APPENDED):
		for key: String in told[_APPENDED]:
			event[key] = _restored(told[_APPENDED][key])
		return event
	event["timestamp"] = told["day"] * CalendarText.seconds_per_day()
	event["participants"] = [told["actor"], told["target"]].filter(
		func(id: String) -> bool: return id != ""
	)
	for key: String in told:
		if not key in ["id", "summary", "text", "confidence", "expired", "relevance"]:
			event[key] = told[key]
	return event


static func _new_id(event: Dictionary) -> String:
	var type := (event["event_type"] as String).to_snake_case().validate_filename()
	return "event_%s_%08x%08x" % [type.replace(" ", "_"), randi(), Time.get_ticks_usec()]


static func _texts(value: Variant) -> Array:
	if value is Array or value is PackedStringArray:
		return Array(value).map(func(each: Variant) -> String: return str(each))
	return []


## A value as a save keeps it; what only the engine has is a text inside a dictionary.
static func _kept(value: Variant) -> Variant:
	if _is_plain(value):
		return value
	return {_NATIVE: JSON.stringify(JSON.from_native(value), "", true, true)}


static func _restored(kept: Variant) -> Variant:
	if kept is Dictionary and (kept as Dictionary).keys() == [_NATIVE]:
		return JSON.to_native(JSON.parse_string(kept[_NATIVE] as String))
	return kept


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

@tool
extends RefCounted
## The world of the open save as rows of a table: events, rumors, tasks, open matters,
## facts and flags. Everything is asked of the public API.


## One thing in the world.
class RAGRow:
	## The texts of the columns.
	var cells: PackedStringArray
	var tooltip: String
	## The event behind it; empty for anything else.
	var event: Dictionary


const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
## By the name of a kind: its columns, and the method of MemoryWorld with which a game adds one.
const KINDS: Dictionary[String, Array] = {
	"Events": [["When", "Event", "Where", "Who learns of it"], "record_event"],
	"Rumors": [["When", "Rumor", "Where", "How sure"], "spread_rumor"],
	"Tasks": [["Due", "Task", "Whose", "Status"], "add_task"],
	"Open matters": [["Due", "Matter", "Between", "State"], "get_open_matters"],
	"Facts": [["Id", "Fact", "About", "Who knows it"], "set_facts"],
	"Flags": [["", "Flag", "", "Value"], "set_flags"],
}
const _REACH: Dictionary[String, String] = {
	"private": "who took part",
	"local": "who is there",
	"faction": "its factions",
	"global": "everybody",
	"rumor": "who hears of it",
}

var _session: RAGSaveSession


func _init(session: RAGSaveSession) -> void:
	_session = session


## The rows of a kind; with [param npc_id] only what this NPC knows or has to do with. Await it.
func of(kind: String, npc_id: String) -> Array[RAGRow]:
	match kind:
		"Events", "Rumors":
			return await _events(kind == "Rumors", npc_id)
		"Tasks":
			var filter := {"involves": npc_id} if npc_id else {}
			return _rows(await _ask(&"get_tasks", [filter]), _task)
		"Open matters":
			return _rows(await _ask(&"get_open_matters", [npc_id, "", true]), _matter)
		"Facts":
			return _by_id(await _ask(&"get_facts"), _fact)
	return _by_id(await _ask(&"get_flags"), _flag)


## Returns which of these know of an event, in words. Await it.
func knowers(event: Dictionary, npc_ids: PackedStringArray) -> String:
	var filter := {"event_type": event.event_type, "since_day": event.day, "until_day": event.day}
	var requests: Dictionary[String, MemoryRequest] = {}
	for npc_id in await _asked_of(event, npc_ids):
		requests[npc_id] = MemoryWorld.get_events_async(filter.merged({"known_to": npc_id}))
	var sure := PackedStringArray()
	for npc_id in requests:
		# A request that is answered is not awaited: that takes a frame, and there may be hundreds.
		if not requests[npc_id].is_completed():
			await requests[npc_id].completed
		for other: Dictionary in requests[npc_id].get_result():
			if other.id == event.id:
				sure.append(npc_id + ("" if other.confidence >= 1.0 else " (%s)" % _sure(other)))
	return ", ".join(sure) if not sure.is_empty() else "nobody yet"


# NPCs with memories, characters, and who took part.
func _asked_of(event: Dictionary, npc_ids: PackedStringArray) -> PackedStringArray:
	var ids := npc_ids.duplicate()
	var characters: Variant = await _ask(&"list_characters")
	for character: Dictionary in characters if characters is Array else []:
		if not character.get("is_player", false) and not character.id in ids:
			ids.append(character.id as String)
	for id: String in [event.actor, event.target]:
		if id and not id in ids:
			ids.append(id)
	return ids


func _events(are_rumors: bool, npc_id: String) -> Array[RAGRow]:
	var filter := {"known_to": npc_id} if npc_id else {"include_expired": true}
	if are_rumors and not npc_id:
		filter["visibility"] = "rumor"
	var answer: Variant = await _ask(&"get_events", [filter])
	var events: Array = answer if answer is Array else []
	events.reverse()
	if are_rumors and npc_id:
		events = events.filter(
			func(event: Dictionary) -> bool: return (event.confidence as float) < 1.0
		)
	return _rows(events, _event.bind(are_rumors))


func _event(event: Dictionary, is_rumor: bool) -> RAGRow:
	var reach: String = _REACH[event.visibility]
	if not event.known_by.is_empty():
		reach += ", " + _owners(event.known_by as Array)
	var last := _sure(event) if is_rumor else reach
	var made := _row([_day(event.day as float), event.summary, event.location, last])
	made.event = event
	if event.get("expired", false):
		made.cells[3] = "it is over"
	made.tooltip += "\nimportance %d of 10, %s" % [event.importance, event.id]
	return made


func _task(task: Dictionary) -> RAGRow:
	var made := _row([_day(task.due_day as float), task.summary, task.assignee, task.status])
	made.tooltip += "\nfrom %s, priority %s, %s" % [task.issuer, task.priority, task.id]
	return made


func _matter(matter: Dictionary) -> RAGRow:
	var between := "%s → %s" % [matter.by, matter.to]
	return _row([_day(matter.due_day as float), matter.text, between, matter.state])


func _fact(id: String, fact: Dictionary) -> RAGRow:
	var owners := _owners(fact.get("known_by", []))
	var topics := ", ".join(PackedStringArray(fact.get("topics", []) as Array))
	return _row([id, fact.text, topics, owners if owners else "everybody"])


func _flag(name: String, value: Variant) -> RAGRow:
	return _row(["", name, "", str(value)])


func _row(cells: Array) -> RAGRow:
	var made := RAGRow.new()
	made.cells = PackedStringArray(cells.map(func(cell: Variant) -> String: return str(cell)))
	made.tooltip = made.cells[1]
	return made


func _rows(answer: Variant, make: Callable) -> Array[RAGRow]:
	var rows: Array[RAGRow] = []
	rows.assign((answer as Array).map(make) if answer is Array else [])
	return rows


func _by_id(answer: Variant, make: Callable) -> Array[RAGRow]:
	var entries: Dictionary = answer if answer is Dictionary else {}
	return _rows(
		entries.keys(), func(id: Variant) -> RAGRow: return make.call(str(id), entries[id])
	)


func _ask(method: StringName, arguments: Array = []) -> Variant:
	return await _session.ask_world(method, arguments)


static func _sure(event: Dictionary) -> String:
	return "%d %%" % roundi(100.0 * event.confidence) if event.has("confidence") else ""


static func _day(day: float) -> String:
	return "" if day < 0.0 else RAGGameTime.text_of(day * RAGGameTime.SECONDS_PER_DAY)


# The owners in a known_by, as docs/who_knows_what.md writes them.
static func _owners(known_by: Variant) -> String:
	var owners := PackedStringArray()
	for owner: Variant in known_by if known_by is Array else [known_by]:
		var parts := PackedStringArray()
		for key: Variant in owner if owner is Dictionary else {}:
			parts.append("%s: %s" % [key, owner[key]])
		owners.append(" and ".join(parts) if owner is Dictionary else str(owner))
	return ", ".join(owners)

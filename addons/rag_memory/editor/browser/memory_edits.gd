@tool
extends Node
## Every change the browser makes, with undo and redo: what a memory is before and after it is kept
## whole, so that going back and forth is exact.

## Memories of this NPC have changed.
signal changed(npc_id: String)
signal done(message: String)

const RAGSaveSession := preload("res://addons/rag_memory/editor/browser/save_session.gd")
const _TOLD_AGAIN := "%s remembers this already. It now counts as told %d times."
const _NO_UNDO := "Undo cannot take this back."

var undo_redo: EditorUndoRedoManager

var _session: RAGSaveSession


func set_up(session: RAGSaveSession) -> void:
	_session = session


## Stores a new memory, and returns its id; "" when it could not be stored. Await it.
func add(npc_id: String, text: String, importance: int, event_type: String) -> String:
	var save_id := _session.save_id
	var data := {"event_type": event_type} if event_type else {}
	# The same told again changes a memory that is there.
	var same := await _ids_that_say(npc_id, text)
	var before: Variant = await _session.ask(npc_id, &"capture_memories", [same])
	var id: Variant = await _session.ask(npc_id, &"store", [text, importance, data])
	if not id:
		return ""
	var after: Variant = await _session.ask(npc_id, &"capture_memories", [[id]])
	var memory: Variant = await _session.ask(npc_id, &"get_memory", [id])
	if before == null or after == null or not memory:
		return id
	var times: int = memory.metadata.repeat_count
	if times > 1:
		var words := _TOLD_AGAIN % [npc_id, times]
		done.emit(words if id in same else "%s %s" % [words, _NO_UNDO])
	if times == 1 or id in same:
		if times == 1:
			before.memories.append(_unused(id as String))
		_note("Add Memory", [save_id, npc_id], before, after)
	changed.emit(npc_id)
	return id


## Changes text or metadata, as RAGMemory.update_memory(); await it.
func update(npc_id: String, id: String, changes: Dictionary) -> void:
	await _change("Edit Memory", npc_id, [id], &"update_memory", [[id, changes]])


## Pins, unpins or forgets memories: `method` is the call of RAGMemory for each of them. Await it.
func change(title: String, method: StringName, npc_id: String, ids: PackedStringArray) -> void:
	var calls := Array(ids).map(func(id: String) -> Array: return [id])
	await _change(title, npc_id, ids, method, calls)


## Merges the memories that RAGMemory.preview_consolidation() lists; await it.
func merge(npc_id: String, ids: PackedStringArray) -> void:
	await _change("Merge Memories", npc_id, ids, &"consolidate", [[]])


## Takes an exchange back, which has no undo; await it.
func undo_exchange(npc_id: String, exchange_id: String) -> void:
	if await _session.ask(npc_id, &"undo_exchange", [exchange_id]):
		changed.emit(npc_id)


## Makes archived memories hold again; `rows` are those of RAGMemory.browse().
func restore(npc_id: String, rows: Array) -> void:
	var ids := PackedStringArray()
	var calls: Array[Array] = []
	for row: Dictionary in rows:
		ids.append(row.id as String)
		calls.append([row.id, row.archived.number])
		ids.append_array(await _in_the_way(npc_id, row.metadata as Dictionary))
	await _change("Restore Memory", npc_id, ids, &"restore_archived", calls)


## Makes memories what they were; this is what undo and redo call.
func put_back(save_id: String, npc_id: String, captured: Dictionary) -> void:
	if _session.save_id != save_id and not await _session.open(save_id):
		return
	if await _session.ask(npc_id, &"put_back_memories", [captured]) != null:
		changed.emit(npc_id)


func _change(
	title: String, npc_id: String, ids: PackedStringArray, method: StringName, calls: Array
) -> void:
	var whose := [_session.save_id, npc_id]
	var before: Variant = await _session.ask(npc_id, &"capture_memories", [ids])
	if before == null:
		return
	var count := 0
	var missing := 0
	for arguments: Array in calls:
		var result: Variant = await _session.ask(npc_id, method, arguments)
		count += 1 if result else 0
		missing += 1 if result is bool and not result else 0
		for id: String in result.summary_ids if result is Dictionary else []:
			ids.append(id)
			before.memories.append(_unused(id))
	var after: Variant = await _session.ask(npc_id, &"capture_memories", [ids])
	if count > 0 and after != null and after != before:
		_note(title if count == 1 else "%s (%d)" % [title, count], whose, before, after)
	if missing > 0:
		done.emit("%d of %d memories no longer exist." % [missing, calls.size()])
	changed.emit(npc_id)


func _note(title: String, whose: Array, before: Dictionary, after: Dictionary) -> void:
	undo_redo.create_action(title)
	undo_redo.add_do_method(self, &"put_back", whose[0], whose[1], after)
	undo_redo.add_undo_method(self, &"put_back", whose[0], whose[1], before)
	undo_redo.commit_action(false)


# What capture_memories() returns of an id that no memory has.
func _unused(id: String) -> Dictionary:
	return {"id": id, "memory": null, "versions": [], "supersedes": []}


func _ids_that_say(npc_id: String, text: String) -> PackedStringArray:
	var ids := PackedStringArray()
	var answer: Variant = await _session.ask(npc_id, &"browse", [{"text": text, "limit": 1000}])
	for row: Dictionary in answer.rows if answer is Dictionary else []:
		if row.document_full == text:
			ids.append(row.id as String)
	return ids


# The memories that an archived one takes the place of when it holds again.
func _in_the_way(npc_id: String, metadata: Dictionary) -> PackedStringArray:
	var ids := PackedStringArray()
	for field: String in ["slot_type", "info_type"]:
		if metadata[field]:
			var options := {"filter": {field: metadata[field]}, "limit": 1000}
			var answer: Variant = await _session.ask(npc_id, &"browse", [options])
			for row: Dictionary in answer.rows if answer is Dictionary else []:
				ids.append(row.id as String)
	return ids

# A game with saves on a server. Its argument is JSON: calls of MemoryServer, each an Array of a
# name and arguments. A "storage" among their options is an Array: the class and its values.
extends "scenario.gd"


func play() -> void:
	var calls: Array = JSON.parse_string(arguments[0])
	for each: Array in calls:
		var name: String = each.pop_front()
		for argument: Variant in each:
			if argument is Dictionary and (argument as Dictionary).has("storage"):
				argument["storage"] = _storage_of(argument["storage"])
		if has_method(name):
			say(name, await callv(name, each))
		else:
			say(name, MemoryServer.callv(name, each))


# By ptrcall, as typed code calls.
func open_save_typed(save_id: String, options: Dictionary) -> Error:
	var typed: Dictionary[String, Variant] = {}
	typed.assign(options)
	return MemoryServer.open_save(save_id, typed)


func store(npc_id: String, text: String) -> bool:
	return not make_memory(npc_id).store(text).is_empty()


func count(npc_id: String) -> int:
	return make_memory(npc_id).get_memory_count()


func store_about(npc_id: String, text: String, who: String) -> bool:
	return not make_memory(npc_id).store(text, 5, {"participants": [who]}).is_empty()


func forget_where(npc_id: String, filter: Dictionary) -> int:
	return make_memory(npc_id).forget_where(filter)


func forget_with(npc_id: String, word: String) -> bool:
	var memory := make_memory(npc_id)
	for recent: Dictionary in memory.get_recent(100):
		if word in str(recent["document"]):
			return memory.forget(str(recent["id"]))
	return false


func remembered(npc_id: String) -> Array[String]:
	var texts: Array[String] = []
	for recent: Dictionary in make_memory(npc_id).get_recent(100):
		texts.append(str(recent["rendered_text"]))
	return texts


func trust(npc_id: String, who: String, by: float) -> float:
	var memory := make_memory(npc_id)
	if by != 0:
		memory.store_relationship(who, {"trust": by})
	return float(memory.get_relationship(who)["trust"])


# Tells an NPC as many lines, and waits for the summary of the older ones.
func converse(npc_id: String, first: String, lines: int) -> String:
	var memory := make_memory(npc_id)
	memory.store_turn(first, "Hush!")
	for number in lines:
		memory.store_turn("Line %d about the harvest." % number, "Indeed.")
	return await summary(npc_id)


func summary(npc_id: String) -> String:
	var memory := make_memory(npc_id)
	while memory.get_conversation_summary()["turn_count"] == 0:
		await process_frame
	return str(memory.get_conversation_summary()["summary"])


func save_error() -> String:
	return str((MemoryServer.health()["save"] as Dictionary).get("error", ""))


func await_file(path: String) -> bool:
	while not FileAccess.file_exists(path):
		await process_frame
	return true


func _storage_of(told: Variant) -> Variant:
	if told is not Array:
		return told
	var made: Object = ClassDB.instantiate((told as Array)[0] as String)
	var values: Dictionary = told[1]
	for each: String in values:
		made.set(each, values[each])
	return made

extends RefCounted
## What a prompt says of the world: who and what there is, what is true, what happened, and how
## things are at the moment. Each line is harmless.

const PlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGWorldEvents := preload("res://addons/rag_memory/prompt/world_events.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/world_knowledge.gd")
const _PEOPLE := "Nobody else lives here: %s."
const _ESTABLISHMENTS := "There are no other inns, shops or workshops%s: %s."
const _NO_ESTABLISHMENTS := "There is no inn, shop or workshop%s."
const _HERE := " here"
const _OWNER := "kept by %s"
const _SELLS := "sells %s"
const _KNOWN_PLAYER := "- Everybody knows the player as %s."
const _HAPPENED := "- It happened: %s"
const _PLACE := "- place: %s"
const _STATE := "- %s: %s"
const _MOST_EVENTS := 5
const _MOST_DEEDS := 5


static func of_knowledge(
	world: RAGWorldKnowledge, npc_id: String, question: String, location: String
) -> PackedStringArray:
	var lines := PackedStringArray()
	var people := PackedStringArray(world.npc_names.values().map(PlayerText.clean))
	if not people.is_empty():
		lines.append(_PEOPLE % ", ".join(people))
	if not world.establishments.is_empty():
		lines.append(_establishments(world, location))
	for fact: String in world.get_facts_for(npc_id, question, -1, location):
		lines.append("- " + PlayerText.clean(fact))
	return lines


static func of_events(events: RAGWorldEvents, npc_id: String) -> PackedStringArray:
	var lines := PackedStringArray()
	var player := events.get_player_info(npc_id)
	var called := PackedStringArray([player["name"]] if player.has("name") else [])
	if player.get("titles") is Array or player.get("titles") is PackedStringArray:
		called.append_array(PackedStringArray(Array(player["titles"])))
	if not called.is_empty():
		lines.append(PlayerText.clean(_KNOWN_PLAYER % ", ".join(called)))
	var newest := events.get_events({"known_to": npc_id}).slice(-_MOST_EVENTS)
	var deeds: Array[Dictionary] = player["deeds"]
	for deed: Dictionary in deeds.slice(-_MOST_DEEDS):
		if not deed in newest:
			lines.append(_happened(deed))
	for event: Dictionary in newest:
		lines.append(_happened(event))
	return lines


static func of_state(state: Dictionary, location: String) -> PackedStringArray:
	var lines := PackedStringArray()
	if location:
		lines.append(PlayerText.clean(_PLACE % location))
	for key: Variant in state:
		lines.append(PlayerText.clean(_STATE % [key, state[key]]))
	return lines


static func _establishments(world: RAGWorldKnowledge, location: String) -> String:
	var where := _HERE if location else ""
	var described := PackedStringArray()
	for each: Dictionary in world.get_establishments(location):
		var details := PackedStringArray()
		if each.get("kind", ""):
			details.append(str(each["kind"]))
		if each.get("owner", ""):
			var owner: String = each["owner"]
			details.append(_OWNER % world.npc_names.get(owner, owner))
		var goods := Array(each.get("sells", []))
		if not goods.is_empty():
			details.append(_SELLS % ", ".join(PackedStringArray(goods)))
		var name: String = each.get("name", "")
		described.append("%s (%s)" % [name, "; ".join(details)] if not details.is_empty() else name)
	if described.is_empty():
		return _NO_ESTABLISHMENTS % where
	return _ESTABLISHMENTS % [where, PlayerText.clean(", ".join(described))]


static func _happened(event: Dictionary) -> String:
	return _HAPPENED % PlayerText.clean(event["description"] as String)

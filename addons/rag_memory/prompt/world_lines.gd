extends RefCounted
## The lines of a prompt about the world: who and what there is, what is true, what happened, and
## how things are at the moment. Each line is harmless.

const RAGPlayerText := preload("res://addons/rag_memory/prompt/player_text.gd")
const RAGWorldEvents := preload("res://addons/rag_memory/prompt/npc_world_events.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")
const _MOST_EVENTS := 5
const _MOST_DEEDS := 5


static func of_knowledge(
	world: RAGWorldKnowledge,
	npc_id: String,
	question: String,
	location: String,
	config: MemoryConfig
) -> PackedStringArray:
	var lines := PackedStringArray()
	var people := PackedStringArray(world.npc_names.values().map(RAGPlayerText.clean))
	if not people.is_empty():
		lines.append(RAGWording.text(config, "people", {"names": ", ".join(people)}))
	if not world.establishments.is_empty():
		lines.append(_establishments(world, location, config))
	for fact: String in world.get_facts_for(npc_id, question, -1, location):
		lines.append("- " + RAGPlayerText.clean(fact))
	return lines


static func of_events(
	events: RAGWorldEvents, npc_id: String, config: MemoryConfig
) -> PackedStringArray:
	var lines := PackedStringArray()
	var player := MemoryWorld.get_player_info() if MemoryServer.current_save() else {}
	var called := PackedStringArray([player["name"]] if player.has("name") else [])
	if player.get("titles") is Array or player.get("titles") is PackedStringArray:
		called.append_array(PackedStringArray(Array(player["titles"])))
	if not called.is_empty():
		var names := RAGPlayerText.clean(", ".join(called))
		lines.append("- " + RAGWording.text(config, "known_player", {"names": names}))
	var newest := events.get_events({"known_to": npc_id, "limit": _MOST_EVENTS})
	var deeds := events.get_events({"participant": "player", "known_to": npc_id})
	for deed: Dictionary in deeds.slice(-_MOST_DEEDS):
		if not deed in newest:
			lines.append(_happened(deed, config))
	for event: Dictionary in newest:
		lines.append(_happened(event, config))
	return lines


static func of_state(
	state: Dictionary, location: String, config: MemoryConfig
) -> PackedStringArray:
	var lines := PackedStringArray()
	if location:
		lines.append(
			"- " + RAGWording.text(config, "place", {"place": RAGPlayerText.clean(location)})
		)
	for key: Variant in state:
		lines.append(RAGPlayerText.clean("- %s: %s" % [key, state[key]]))
	return lines


static func _establishments(
	world: RAGWorldKnowledge, location: String, config: MemoryConfig
) -> String:
	var described := PackedStringArray()
	for establishment: Dictionary in world.get_establishments(location):
		var details := PackedStringArray()
		if establishment.get("kind", ""):
			details.append(str(establishment["kind"]))
		if establishment.get("owner", ""):
			var owner: String = establishment["owner"]
			owner = world.npc_names.get(owner, owner)
			details.append(RAGWording.text(config, "kept_by", {"owner": owner}))
		var goods := Array(establishment.get("sells", []))
		if not goods.is_empty():
			var sold := ", ".join(PackedStringArray(goods))
			details.append(RAGWording.text(config, "sells", {"goods": sold}))
		var name: String = establishment.get("name", "")
		described.append("%s (%s)" % [name, "; ".join(details)] if not details.is_empty() else name)
	if described.is_empty():
		return RAGWording.text(config, "no_establishment_here" if location else "no_establishment")
	var names := RAGPlayerText.clean(", ".join(described))
	var key := "establishments_here" if location else "establishments"
	return RAGWording.text(config, key, {"names": names})


static func _happened(event: Dictionary, config: MemoryConfig) -> String:
	var text := RAGPlayerText.clean(event.get("text", event["description"]) as String)
	if event.get("confidence", 1.0) < 1.0:
		return "- " + text
	return "- " + RAGWording.text(config, "happened", {"event": text})

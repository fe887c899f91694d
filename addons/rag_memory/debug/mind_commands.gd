extends RefCounted
## The console's commands about what an NPC with an [NPCMind] feels and concludes.

const RAGChosenNpc := preload("res://addons/rag_memory/debug/chosen_npc.gd")
const RAGMindTexts := preload("res://addons/rag_memory/debug/mind_texts.gd")

const COMMANDS: Array[String] = ["mood", "feelings", "interactions", "reflect", "perceive"]
const _DEFAULT_COUNT := 10

var _npc: RAGChosenNpc


func _init(npc: RAGChosenNpc) -> void:
	_npc = npc


## Runs one of COMMANDS; await it.
func run(command: String, rest: String) -> String:
	return await call("_run_" + command, rest)


func _run_mood(id: String) -> String:
	var felt: Variant = await _npc.ask_mind(id, &"get_emotion")
	return felt if _npc.has_failed else RAGMindTexts.mood(felt as Dictionary)


func _run_feelings(id: String) -> String:
	var felt: Variant = await _npc.ask_mind(id, &"get_dispositions")
	if _npc.has_failed:
		return felt
	var lines := PackedStringArray()
	for disposition: Dictionary in RAGMindTexts.strongest_first((felt as Dictionary).values()):
		lines.append("%s  (%s)" % [RAGMindTexts.feeling(disposition), disposition["character_id"]])
	return "\n".join(lines) if not lines.is_empty() else "Nobody is known."


func _run_interactions(rest: String) -> String:
	var last := rest.get_slice(" ", rest.get_slice_count(" ") - 1)
	var has_count: bool = last.is_valid_int() and _npc.memory_of(rest) == null
	var id := rest.trim_suffix(last).strip_edges() if has_count else rest
	var count := last.to_int() if has_count else _DEFAULT_COUNT
	var interactions: Variant = await _npc.ask_mind(id, &"get_interactions", ["", count])
	if _npc.has_failed:
		return interactions
	var lines := PackedStringArray()
	for record: Dictionary in interactions:
		lines.append(RAGMindTexts.interaction(record))
	return "\n".join(lines) if not lines.is_empty() else "Nothing has happened."


func _run_reflect(id: String) -> String:
	var ids: Variant = await _npc.ask_mind(id, &"reflect", [true])
	if _npc.has_failed:
		return ids
	_npc.list(Array(ids))
	var lines := PackedStringArray()
	for memory_id: String in ids:
		var record: Variant = await _npc.ask_memory(&"get_memory", [memory_id])
		if _npc.has_failed:
			return record
		lines.append("#%d %s" % [lines.size() + 1, record["document"]])
	return "\n".join(lines) if not lines.is_empty() else "No conclusions."


func _run_perceive(rest: String) -> String:
	var words := rest.split(" ", false, 3)
	var event := {"action": words[1]}
	if words.size() > 2:
		event["source_id"] = words[2]
	if words.size() > 3:
		event["content"] = words[3]
	var felt: Variant = await _npc.ask_mind(words[0], &"perceive", [event])
	if _npc.has_failed:
		return felt
	var outcome := "no memory"
	if felt["kind"]:
		outcome = "%s of importance %d, %s" % [felt["kind"], felt["importance"], felt["memory_id"]]
	var lines := PackedStringArray([outcome, "why: %s" % felt["why"]])
	lines.append("sentiment: %d" % felt["sentiment"])
	if words.size() > 2:
		lines.append(RAGMindTexts.feeling(felt["disposition"] as Dictionary))
	lines.append("mood: %s" % RAGMindTexts.mood(felt["emotion"] as Dictionary))
	return "\n".join(lines)

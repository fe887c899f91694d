extends RefCounted
## The console's commands about what an NPC with an [NPCMind] feels and concludes.

const RAGMindTexts := preload("res://addons/rag_memory/debug/mind_texts.gd")

const HELP: Dictionary[String, String] = {
	"mood": "mood [ID]: the mood of this NPC, or of the chosen one",
	"feelings": "feelings [ID]: what it feels towards others, the strongest first",
	"interactions": "interactions [ID] [COUNT]: what happened to it last (10)",
	"reflect": "reflect [ID]: let it draw conclusions from its last memories",
	"perceive":
	"perceive ID ACTION [SOURCE] [WORDS]: something happens to it, such as: spoke kael You fool!",
}
const _DEFAULT_COUNT := 10

# (id of an NPC or "", method, arguments) -> the answer of her mind, or a reason; awaited.
var _ask: Callable
# (reason) -> the reason, noted as a failure.
var _fail: Callable
# () -> whether the last answer is a reason.
var _has_failed: Callable
# (id) -> whether there is such an NPC.
var _is_npc: Callable
# (ids of memories) -> a line for each; awaited.
var _show_listed: Callable


func _init(
	ask: Callable, fail: Callable, has_failed: Callable, is_npc: Callable, show_listed: Callable
) -> void:
	_ask = ask
	_fail = fail
	_has_failed = has_failed
	_is_npc = is_npc
	_show_listed = show_listed


## Runs a command of HELP; await it.
func run(command: String, rest: String) -> String:
	return await call("_run_" + command, rest)


func _run_mood(id: String) -> String:
	var felt: Variant = await _ask.call(id, &"get_emotion", [])
	return felt if _has_failed.call() else RAGMindTexts.mood(felt as Dictionary)


func _run_feelings(id: String) -> String:
	var felt: Variant = await _ask.call(id, &"get_dispositions", [])
	if _has_failed.call():
		return felt
	var lines := PackedStringArray()
	for disposition: Dictionary in RAGMindTexts.strongest_first((felt as Dictionary).values()):
		lines.append("%s  (%s)" % [RAGMindTexts.feeling(disposition), disposition["character_id"]])
	return "\n".join(lines) if not lines.is_empty() else "Nobody is known."


func _run_interactions(rest: String) -> String:
	var last := rest.get_slice(" ", rest.get_slice_count(" ") - 1)
	var has_count: bool = last.is_valid_int() and not _is_npc.call(rest)
	var id := rest.trim_suffix(last).strip_edges() if has_count else rest
	var count := last.to_int() if has_count else _DEFAULT_COUNT
	var interactions: Variant = await _ask.call(id, &"get_interactions", ["", count])
	if _has_failed.call():
		return interactions
	var lines := PackedStringArray()
	for record: Dictionary in interactions:
		lines.append(RAGMindTexts.interaction(record))
	return "\n".join(lines) if not lines.is_empty() else "Nothing has happened."


func _run_reflect(id: String) -> String:
	var ids: Variant = await _ask.call(id, &"reflect", [true])
	if _has_failed.call():
		return ids
	var lines: String = await _show_listed.call(ids)
	return lines if lines else "No conclusions."


func _run_perceive(rest: String) -> String:
	var words := rest.split(" ", false, 3)
	if words.size() < 2:
		return _fail.call(HELP["perceive"])
	var event := {"action": words[1]}
	if words.size() > 2:
		event["source_id"] = words[2]
	if words.size() > 3:
		event["content"] = words[3]
	var felt: Variant = await _ask.call(words[0], &"perceive", [event])
	if _has_failed.call():
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

extends RefCounted
## The commands of MemoryDebugConsole: a line of text in, lines of text out.

const RAGContextBuilder := preload("res://addons/rag_memory/prompt/npc_context_builder.gd")
const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGPromptDraft := preload("res://addons/rag_memory/prompt/prompt_draft.gd")
const RAGQuestCommands := preload("res://addons/rag_memory/debug/quest_commands.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGMindCommands := preload("res://addons/rag_memory/debug/mind_commands.gd")
const RAGSceneMinds := preload("res://addons/rag_memory/debug/scene_minds.gd")

const HELP: Dictionary[String, String] = {
	"help": "help [command]: this list, or one command",
	"npcs": "npcs: every NPC with a memory in the scene",
	"npc": "npc ID: choose whose memory the other commands are about",
	"list": "list [COUNT]: the newest memories (10)",
	"turns": "turns [COUNT]: what was said last (6), and what the summary tells of before",
	"show":
	"show [MEMORY]: one memory in full, or the NPC. A MEMORY is an id, or #1 for the first line",
	"search": "search TEXT: what retrieve_scored() returns for it, with each score's factors",
	"store": "store [IMPORTANCE] TEXT: store a memory (importance 5)",
	"forget": "forget MEMORY: delete it for good",
	"pin": "pin MEMORY: make it PINNED",
	"unpin": "unpin MEMORY: give it the tier of its event again",
	"relationship": "relationship [DIMENSION VALUE]: show it, or set trust, affection, fear, ...",
	"flag": "flag [NAME [VALUE]]: all story flags, one of them, or set it",
	"show_npc": "show_npc ID: choose this NPC and show it",
	"set_trust": "set_trust ID VALUE: choose this NPC and set its trust",
	"set_respect": "set_respect ID VALUE: choose this NPC and set its respect",
	"set_affection": "set_affection ID VALUE: choose this NPC and set its affection",
	"set_fear": "set_fear ID VALUE: choose this NPC and set its fear",
	"set_familiarity": "set_familiarity ID VALUE: choose this NPC and set its familiarity",
	"has_met": "has_met ID: choose this NPC; whether it has met the player, and when",
	"reset_npc": "reset_npc ID confirm: choose this NPC; it forgets everything for good",
	"dump_prompt":
	"dump_prompt ID [LINE]: choose this NPC; the prompt for its answer to the player's LINE",
	"dossier":
	"dossier [LINE]: what it knows for its answer to the player's LINE, and what was left out",
	"set_flag": "set_flag NAME VALUE: set a story flag",
	"consolidate": "consolidate: merge old memories into summaries",
	"snapshot": "snapshot SLOT: keep the save as it is now",
	"snapshots": "snapshots: all snapshots of the save",
	"restore": "restore SLOT: go back to a snapshot",
	"rollback":
	"rollback TIME: forget everything after this game time in seconds; -3d, -2h: so long ago",
	"stats": "stats: numbers of this NPC's memory and of the runtime",
	"dump": "dump: all memories as text",
	"clear": "clear: empty the screen",
}
const _WITHOUT_NPC: Array[String] = [
	"help",
	"npcs",
	"npc",
	"show_npc",
	"set_trust",
	"set_respect",
	"set_affection",
	"set_fear",
	"set_familiarity",
	"has_met",
	"reset_npc",
	"dump_prompt",
	"flag",
	"set_flag",
	"clear",
	"snapshot",
	"snapshots",
	"restore",
	"rollback",
]
const _NO_NPC := "No NPC of this scene has a RAGMemory."
const _FACTORS: Array[String] = [
	"tier_weight", "importance", "recency", "relevance", "supersession"
]
const _TIERS: Array[String] = ["pinned", "important", "regular"]
const _SECONDS := {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
const _DEFAULT_COUNT := 10
const _DEFAULT_TURNS := 6
const _DEFAULT_IMPORTANCE := 5
const _DEFAULT_LINE := "Hello."
const _CONFIRM := "confirm"

## Whose memory it is; null until one is chosen or found.
var memory: RAGMemory
var world_knowledge: RAGWorldKnowledge
## [code]true[/code] if the last command failed.
var has_failed := false
## The game's own commands: {help, run} by name.
var own: Dictionary[String, Dictionary] = {}

var _tree: SceneTree
var _listed: Array[String] = []
var _quests: RAGQuestCommands
var _minds: RAGMindCommands


func _init(tree: SceneTree) -> void:
	_tree = tree
	_quests = RAGQuestCommands.new(_ask_memory, _failure, _is_failure, _config)
	_minds = RAGMindCommands.new(_ask_mind, _failure, _is_failure, _is_npc, _show_listed)


## The function of every command, by name, the game's own last. These take the place of those of the
## same name.
func help() -> Dictionary[String, String]:
	var lines := HELP.merged(RAGMindCommands.HELP).merged(RAGQuestCommands.HELP)
	for command: String in own:
		lines.erase(command)
		lines[command] = own[command]["help"]
	return lines


## The commands that are followed by the id of an NPC.
func names_an_npc(command: String) -> bool:
	var usage: String = help().get(command, "")
	return usage.begins_with(command + " ID") or usage.begins_with(command + " [ID]")


## Every NPC with a memory in the scene.
func memories_in_scene() -> Array[RAGMemory]:
	var nodes: Array[RAGMemory] = []
	for node: Node in _tree.root.find_children("*", "RAGMemory", true, false):
		nodes.append(node as RAGMemory)
	return nodes


## Runs a command; await it. Returns what to print.
func run(line: String) -> String:
	has_failed = false
	var words := line.strip_edges().split(" ", false)
	if words.is_empty():
		return ""
	var command := words[0].to_lower()
	var rest := line.strip_edges().substr(words[0].length()).strip_edges()
	if own.has(command):
		return await _run_own(command, rest)
	if not help().has(command):
		return _failure("There is no command %s. Try: help" % command)
	if not is_instance_valid(memory):
		var nodes := memories_in_scene()
		memory = nodes[0] if not nodes.is_empty() else null
	if memory == null and not (command in _WITHOUT_NPC or RAGMindCommands.HELP.has(command)):
		return _failure(_NO_NPC)
	return await _carried_out(command, rest)


func _carried_out(command: String, rest: String) -> String:
	if RAGMindCommands.HELP.has(command):
		return await _minds.run(command, rest)
	if RAGQuestCommands.HELP.has(command):
		return await _quests.run(command, rest)
	return await call("_run_" + command, rest)


func _run_own(command: String, rest: String) -> String:
	var action: Callable = own[command]["run"]
	if not action.is_valid():
		return _failure("The command %s is gone: the object of its Callable was freed." % command)
	var answer: Variant = await action.call(rest.split(" ", false))
	return "" if answer == null else str(answer)


func _run_help(about: String) -> String:
	var lines := help()
	return lines[about] if lines.has(about) else "\n".join(PackedStringArray(lines.values()))


func _run_npcs(_rest: String) -> String:
	var lines := PackedStringArray()
	for other: RAGMemory in memories_in_scene():
		var mark := "> " if other == memory else "  "
		lines.append("%s%s  (%s)" % [mark, other.npc_id, other.get_path()])
	return "\n".join(lines) if not lines.is_empty() else _NO_NPC


func _run_npc(id: String) -> String:
	for other: RAGMemory in memories_in_scene():
		if other.npc_id == id:
			memory = other
			_listed.clear()
			return "The memory of %s." % id
	return _failure("No NPC of this scene has the id %s. Try: npcs" % id)


func _run_list(count: String) -> String:
	var wanted := count.to_int() if count.is_valid_int() else _DEFAULT_COUNT
	var memories: Variant = await _ask_memory(&"get_recent", [wanted])
	return memories if has_failed else _lines_of(memories as Array, false)


func _run_turns(count: String) -> String:
	var wanted := count.to_int() if count.is_valid_int() else _DEFAULT_TURNS
	var turns: Variant = await _ask_memory(&"get_turns", [wanted])
	if has_failed:
		return turns
	var summary: Dictionary = await _ask_memory(&"get_conversation_summary", [])
	var lines := PackedStringArray()
	if summary["turn_count"] > 0:
		lines.append("Summary of %d turns: %s" % [summary["turn_count"], summary["summary"]])
	for turn: Dictionary in turns:
		lines.append("day %.1f, player: %s" % [turn["day"], turn["player_message"]])
		lines.append("    %s: %s" % [memory.npc_id, turn["npc_message"]])
	return "\n".join(lines) if not lines.is_empty() else "Nothing was said."


func _run_show(which: String) -> String:
	if not which:
		return await _show_npc()
	var record: Variant = await _ask_memory(&"get_memory", [_id_of(which)])
	if has_failed:
		return record
	if (record as Dictionary).is_empty():
		return _failure("%s has no memory %s." % [memory.npc_id, which])
	var moment := RAGGameTime.text_of(record["metadata"]["timestamp"] as float)
	return "Game time: %s\n%s" % [moment, JSON.stringify(record, "  ")]


func _run_search(text: String) -> String:
	if not text:
		return _failure(HELP["search"])
	var memories: Variant = await _ask_memory(&"retrieve_scored", [text])
	return memories if has_failed else _lines_of(memories as Array, true)


func _run_store(rest: String) -> String:
	var importance := _DEFAULT_IMPORTANCE
	var first := rest.get_slice(" ", 0)
	if first.is_valid_int():
		importance = first.to_int()
		rest = rest.substr(first.length()).strip_edges()
	if not rest:
		return _failure(HELP["store"])
	var id: Variant = await _ask_memory(&"store_with_conflict_check", [rest, importance])
	return id if has_failed else "Stored as %s" % id


func _run_forget(which: String) -> String:
	return await _change(&"forget", which, "Forgotten: %s")


func _run_pin(which: String) -> String:
	return await _change(&"pin_memory", which, "Pinned: %s")


func _run_unpin(which: String) -> String:
	return await _change(&"unpin_memory", which, "Unpinned: %s")


func _run_relationship(rest: String) -> String:
	var words := rest.split(" ", false)
	if words.is_empty():
		return _line_of(await _header())
	if words.size() != 2 or not words[1].is_valid_float():
		return _failure(HELP["relationship"])
	var dimension := words[0].to_lower()
	var wanted := roundi(words[1].to_float())
	var header := await _header()
	var before := RAGPromptDraft.relationship_in(header)
	if has_failed:
		return _line_of(header)
	if not before.has(dimension):
		return _failure("The dimensions are %s." % ", ".join(PackedStringArray(before.keys())))
	var stored: Variant = await _ask_memory(&"store_relationship", ["player", {dimension: wanted}])
	if has_failed:
		return stored
	# A state that the game told goes before the stored one, so it is told anew.
	header = await _header()
	if not has_failed and RAGPromptDraft.relationship_in(header).get(dimension) != wanted:
		before[dimension] = wanted
		memory.set_relationship_state(before)
	return _line_of(await _header())


func _run_flag(rest: String) -> String:
	if world_knowledge == null:
		return _failure("The console knows no story flags: set its property world_knowledge.")
	var words := rest.split(" ", false, 1)
	if words.is_empty():
		var lines := PackedStringArray()
		var flags := world_knowledge.get_flags()
		for flag: String in flags:
			lines.append("%s = %s" % [flag, var_to_str(flags[flag])])
		return "\n".join(lines) if not lines.is_empty() else "There are no story flags."
	if not world_knowledge.has_flag(words[0]):
		return _failure("There is no story flag %s. Try: flag" % words[0])
	if words.size() > 1:
		var value := _value_of(words[1], world_knowledge.get_flag(words[0]))
		if world_knowledge.set_flag(words[0], value) != OK:
			return _failure("%s cannot be %s." % [words[0], words[1]])
	return "%s = %s" % [words[0], var_to_str(world_knowledge.get_flag(words[0]))]


func _run_show_npc(id: String) -> String:
	var chosen := _run_npc(id)
	return chosen if has_failed else await _show_npc()


func _run_set_trust(rest: String) -> String:
	return await _set_dimension("trust", rest)


func _run_set_respect(rest: String) -> String:
	return await _set_dimension("respect", rest)


func _run_set_affection(rest: String) -> String:
	return await _set_dimension("affection", rest)


func _run_set_fear(rest: String) -> String:
	return await _set_dimension("fear", rest)


func _run_set_familiarity(rest: String) -> String:
	return await _set_dimension("familiarity", rest)


func _set_dimension(dimension: String, rest: String) -> String:
	var words := rest.split(" ", false)
	if words.size() != 2 or not words[1].is_valid_float():
		return _failure(HELP["set_" + dimension])
	var chosen := _run_npc(words[0])
	if has_failed:
		return chosen
	return await _run_relationship("%s %s" % [dimension, words[1]])


func _run_has_met(id: String) -> String:
	var chosen := _run_npc(id)
	if has_failed:
		return chosen
	var count: Variant = await _ask_memory(&"get_memory_count", [])
	if has_failed:
		return count
	var header := await _header()
	if has_failed:
		return _line_of(header)
	var relationship: Dictionary = header["metadata"]["relationship"]
	var summary := "familiarity %d, %d memories" % [relationship["familiarity"], count]
	if not relationship["met"]:
		return "%s has never met the player: %s." % [id, summary]
	return "%s has met the player, %d days ago: %s." % [id, relationship["days_known"], summary]


func _run_reset_npc(rest: String) -> String:
	var words := _id_and_rest(rest)
	if not words[1] in ["", _CONFIRM]:
		return _failure(HELP["reset_npc"])
	var chosen := _run_npc(words[0])
	if has_failed:
		return chosen
	if not words[1]:
		var stored: Variant = await _ask_memory(&"get_memory_count", [])
		if has_failed:
			return stored
		return (
			"%s would forget %d memories and the relationship for good. Type: reset_npc %s confirm"
			% [words[0], stored, words[0]]
		)
	var count: Variant = await _ask_memory(&"clear_all_memories", [])
	if has_failed:
		return count
	memory.set_relationship_state({})
	return (
		"%s is as at first: %d memories are forgotten. What the game itself keeps is as it was."
		% [words[0], count]
	)


func _run_dump_prompt(rest: String) -> String:
	var words := _id_and_rest(rest)
	var chosen := _run_npc(words[0])
	if has_failed:
		return chosen
	var parent := memory.get_parent()
	var npc: Object = parent if RAGPromptDraft.memory_of(parent) == memory else memory
	var options := {}
	if world_knowledge != null and (npc == memory or npc.get(&"world_knowledge") == null):
		options["world_knowledge"] = world_knowledge
	var line := words[1] if words[1] else _DEFAULT_LINE
	var prompt: Dictionary = await (
		RAGContextBuilder.new(npc, options).build_prompt_async(line).completed
	)
	if prompt.is_empty():
		return _failure("There is no prompt. The output says why.")
	var tokens := PackedStringArray()
	for section: String in prompt["sections"]:
		tokens.append("%s %d" % [section, prompt["sections"][section]["tokens"]])
	return "%s\n\n%d tokens: %s" % [prompt["prompt"], prompt["total_tokens"], ", ".join(tokens)]


func _run_set_flag(rest: String) -> String:
	if rest.split(" ", false).size() < 2:
		return _failure(HELP["set_flag"])
	return _run_flag(rest)


func _run_consolidate(_rest: String) -> String:
	var outcome: Variant = await _ask_memory(&"consolidate", [])
	return outcome if has_failed else JSON.stringify(outcome, "  ")


func _run_snapshot(slot: String) -> String:
	return await _serve(&"snapshot", slot, "The save is kept as %s.")


func _run_restore(slot: String) -> String:
	return await _serve(&"restore", slot, "The save is as it was in %s.")


func _run_snapshots(_rest: String) -> String:
	var slots: Variant = await _ask(MemoryServer, &"list_snapshots", [])
	if has_failed:
		return slots
	return "\n".join(PackedStringArray(Array(slots))) if slots else "There are no snapshots."


func _run_rollback(rest: String) -> String:
	var moment := rest.to_float()
	if rest.begins_with("-"):
		var ago := rest.substr(1, rest.length() - 2)
		if not _SECONDS.has(rest.right(1)) or not ago.is_valid_float() or ago.begins_with("-"):
			return _failure(
				"How long ago? With a unit: -3d, -2h, -90m or -30s. Nothing is forgotten."
			)
		var header: Variant = await _ask_memory(&"generate_relationship_header", [])
		if has_failed:
			return header
		moment = header["metadata"]["timestamp"] - ago.to_float() * _SECONDS[rest.right(1)]
	elif not rest.is_valid_float():
		return _failure(HELP["rollback"])
	var count: Variant = await _ask(MemoryServer, &"rollback_to", [moment])
	return count if has_failed else "%d memories of all NPCs are forgotten." % count


func _run_dossier(line: String) -> String:
	var dossier: Variant = await _ask_memory(&"build_dossier", [line if line else _DEFAULT_LINE])
	if has_failed:
		return dossier
	var lines := PackedStringArray([dossier["text"], ""])
	for section: String in dossier["sections"]:
		var details: Dictionary = dossier["sections"][section]
		var ids := ", ".join(PackedStringArray(dossier["sources"].get(section, [])))
		lines.append(
			"%s: %d of %d tokens  %s" % [section, details["tokens"], details["budget"], ids]
		)
	lines.append("together: %d tokens" % dossier["tokens"])
	for entry: Dictionary in dossier["left_out"]:
		lines.append("left out of %s: %s, %s" % [entry["section"], entry["id"], entry["reason"]])
	return "\n".join(lines)


func _run_stats(_rest: String) -> String:
	var stats: Variant = await _ask_memory(&"get_memory_stats", [])
	if has_failed:
		return stats
	var health := MemoryServer.health()
	health.erase("python_path")
	health.erase("timings")
	var maintenance: Dictionary = MemoryServer.get_activity()["maintenance"]
	return JSON.stringify({"memory": stats, "runtime": health, "maintenance": maintenance}, "  ")


func _run_dump(_rest: String) -> String:
	return str(await _ask_memory(&"dump_all_memories", []))


func _run_clear(_rest: String) -> String:
	return ""


func _show_npc() -> String:
	var count: Variant = await _ask_memory(&"get_memory_count", [])
	if has_failed:
		return count
	var header := await _header()
	if has_failed:
		return _line_of(header)
	var lines := PackedStringArray(["%s: %d memories" % [memory.npc_id, count], _line_of(header)])
	var personality: Variant = memory.get_parent().get(&"personality")
	if personality is RAGNPCPersonality:
		var relationship := RAGPromptDraft.relationship_in(header)
		lines.append_array(_secret_lines(personality as RAGNPCPersonality, relationship))
		if (personality as RAGNPCPersonality).is_romantic_available:
			var is_open := (personality as RAGNPCPersonality).is_romance_unlocked(relationship)
			lines.append("romance: %s" % ("possible" if is_open else "not yet"))
	return "\n".join(lines)


## Every secret: whether she would tell it, and what it takes.
func _secret_lines(personality: RAGNPCPersonality, relationship: Dictionary) -> PackedStringArray:
	var unlocked := personality.get_unlocked_secrets(relationship)
	var lines := PackedStringArray()
	for secret: Dictionary in personality.secrets:
		var state := "would tell"
		var has_threshold := secret.has("unlock_trust") or secret.has("unlock_affection")
		if secret.get("unbreakable", false) or not has_threshold:
			state = "never tells"
		elif not secret in unlocked:
			state = (
				"hides until trust %s, affection %s"
				% [secret.get("unlock_trust", "any"), secret.get("unlock_affection", "any")]
			)
		lines.append("%s: %s" % [state, secret.get("secret", "")])
	return lines


## The relationship header; with the text of the failure when there is none.
func _header() -> Dictionary:
	var header: Variant = await _ask_memory(&"generate_relationship_header", [])
	return {"document": header} if has_failed else header


## The header does not show the familiarity, which a command sets.
func _line_of(header: Dictionary) -> String:
	var relationship := RAGPromptDraft.relationship_in(header)
	if relationship.is_empty():
		return header["document"]
	return "%s Familiarity=%d" % [header["document"], relationship["familiarity"]]


func _change(method: StringName, which: String, message: String) -> String:
	if not which:
		return _failure("Which memory? Give its id, or #1 for the first line of the last list.")
	var id := _id_of(which)
	var is_done: Variant = await _ask_memory(method, [id])
	if has_failed:
		return is_done
	return message % id if is_done else _failure("%s has no memory %s." % [memory.npc_id, which])


func _serve(method: StringName, slot: String, message: String) -> String:
	if not slot:
		return _failure(HELP[method])
	var error: Variant = await _ask(MemoryServer, method, [slot])
	if has_failed:
		return error
	return message % slot if error == OK else _failure(error_string(error as int))


## The result of a call to the memory, which may be freed with its scene meanwhile; then a reason.
func _ask_memory(method: StringName, arguments: Array) -> Variant:
	if not is_instance_valid(memory):
		return _failure(_NO_NPC)
	var answer: Variant = await _ask(memory, method, arguments)
	if not is_instance_valid(memory):
		return _failure("The NPC was freed before it answered. Try: npcs")
	return answer


## The result of a call to the mind of an NPC, which is chosen; an empty id is the chosen one.
func _ask_mind(id: String, method: StringName, arguments: Array) -> Variant:
	if id:
		var chosen := _run_npc(id)
		if has_failed:
			return chosen
	if not is_instance_valid(memory):
		return _failure(_NO_NPC)
	var mind := RAGSceneMinds.mind_of(memory, _tree.root)
	if mind == null:
		return _failure("%s has no NPCMind." % memory.npc_id)
	return await _ask(mind, method, arguments)


## The texts of memories, one a line, which # and a number then stand for.
func _show_listed(ids: PackedStringArray) -> String:
	_listed.assign(Array(ids))
	var lines := PackedStringArray()
	for id in _listed:
		var record: Variant = await _ask_memory(&"get_memory", [id])
		if has_failed:
			return record
		lines.append("#%d %s" % [lines.size() + 1, record["document"]])
	return "\n".join(lines)


func _is_npc(id: String) -> bool:
	return memories_in_scene().any(func(node: RAGMemory) -> bool: return node.npc_id == id)


## The result of a call that does not make the game wait; when it failed, the reason.
func _ask(object: Object, method: StringName, arguments: Array) -> Variant:
	if not object.has_method(method):
		return _failure("This version of RAG Memory has no %s()." % method)
	var request: MemoryRequest = object.callv(method + "_async", arguments)
	await request.completed
	return _failure(request.get_error()) if request.get_error() else request.get_result()


## A method, for a lambda would keep this object alive for ever.
func _is_failure() -> bool:
	return has_failed


func _config() -> MemoryConfig:
	return memory.config if is_instance_valid(memory) else null


func _failure(reason: String) -> String:
	has_failed = true
	return reason


## An id of the scene, which may contain spaces, and what comes after it.
func _id_and_rest(words: String) -> PackedStringArray:
	var id := words.get_slice(" ", 0)
	for node: RAGMemory in memories_in_scene():
		if node.npc_id.length() > id.length() and (words + " ").begins_with(node.npc_id + " "):
			id = node.npc_id
	return PackedStringArray([id, words.substr(id.length()).strip_edges()])


func _id_of(which: String) -> String:
	var digits := which.trim_prefix("#")
	if not which.begins_with("#") or not digits.is_valid_int():
		return which
	var number := digits.to_int()
	return _listed[number - 1] if number >= 1 and number <= _listed.size() else which


func _lines_of(memories: Array, with_scores: bool) -> String:
	_listed.clear()
	var lines := PackedStringArray()
	for record: Dictionary in memories:
		_listed.append(record["id"] as String)
		var metadata: Dictionary = record["metadata"]
		var tier: String = _TIERS[metadata["memory_tier"]]
		var superseded := " superseded" if metadata.get("superseded_by", "") else ""
		lines.append(
			(
				"#%d %s, importance %d, %s%s, %s"
				% [
					_listed.size(),
					tier,
					metadata["importance"],
					metadata["event_type"],
					superseded,
					RAGGameTime.text_of(metadata["timestamp"] as float)
				]
			)
		)
		if with_scores:
			lines.append("   " + _score_of(record))
		lines.append("   " + str(record["rendered_text"]).replace("\n", " "))
	return "\n".join(lines) if not lines.is_empty() else "Nothing."


static func _score_of(record: Dictionary) -> String:
	if record["protected"]:
		return "protected: always there"
	var factors := PackedStringArray()
	for factor: String in _FACTORS:
		factors.append("%s %.2f" % [factor.trim_suffix("_weight"), record["breakdown"][factor]])
	return "score %.3f: %s (%s form)" % [record["score"], ", ".join(factors), record["used_form"]]


## Returns what was typed as a value of the same type as the one that is there.
static func _value_of(text: String, like: Variant) -> Variant:
	match typeof(like):
		TYPE_BOOL:
			return text.to_lower() in ["true", "yes", "on", "1"]
		TYPE_INT:
			return text.to_int() if text.is_valid_int() else text as Variant
		TYPE_FLOAT:
			return text.to_float() if text.is_valid_float() else text as Variant
		_:
			return text

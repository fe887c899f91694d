extends RefCounted
## The commands of MemoryDebugConsole: a line of text in, lines of text out.

const RAGContextBuilder := preload("res://addons/rag_memory/prompt/npc_context_builder.gd")
const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")
const RAGQuestCommands := preload("res://addons/rag_memory/debug/quest_commands.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGMindCommands := preload("res://addons/rag_memory/debug/mind_commands.gd")
const RAGChosenNpc := preload("res://addons/rag_memory/debug/chosen_npc.gd")

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
## Commands that need no NPC, beside those that name one.
const _WITHOUT_NPC: Array[String] = [
	"help", "npcs", "flag", "set_flag", "clear", "snapshot", "snapshots", "restore", "rollback"
]
const _FACTORS: Array[String] = [
	"tier_weight", "importance", "recency", "relevance", "supersession"
]
const _DIMENSIONS: Array[String] = ["trust", "respect", "affection", "fear", "familiarity"]
const _TIERS: Array[String] = ["pinned", "important", "regular"]
const _SECONDS := {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
const _DEFAULT_COUNT := 10
const _DEFAULT_TURNS := 6
const _DEFAULT_IMPORTANCE := 5
const _DEFAULT_LINE := "Hello."
const _CONFIRM := "confirm"

## Whose memory and mind the commands are about.
var npc: RAGChosenNpc
var world_knowledge: RAGWorldKnowledge
## The game's own commands: {help, run} by name.
var own: Dictionary[String, Dictionary] = {}

var _quests: RAGQuestCommands
var _minds: RAGMindCommands


func _init(tree: SceneTree) -> void:
	npc = RAGChosenNpc.new(tree)
	_quests = RAGQuestCommands.new(npc)
	_minds = RAGMindCommands.new(npc)


## Returns the help line of every command, by name, the game's own last: they take the place of
## those of the same name.
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


## Runs a command; await it. Returns what to print.
func run(line: String) -> String:
	npc.has_failed = false
	var words := line.strip_edges().split(" ", false)
	if words.is_empty():
		return ""
	var command := words[0].to_lower()
	var rest := line.strip_edges().substr(words[0].length()).strip_edges()
	if own.has(command):
		return await _run_own(command, rest)
	if not help().has(command):
		return npc.fail("There is no command %s. Try: help" % command)
	if not (npc.choose_any() or command in _WITHOUT_NPC or names_an_npc(command)):
		return npc.fail(RAGChosenNpc.NOBODY)
	return await _carried_out(command, rest)


func _carried_out(command: String, rest: String) -> String:
	if RAGMindCommands.HELP.has(command):
		return await _minds.run(command, rest)
	if RAGQuestCommands.HELP.has(command):
		return await _quests.run(command, rest)
	var dimension := command.trim_prefix("set_")
	if names_an_npc(command):
		var words := _id_and_rest(rest)
		if dimension in _DIMENSIONS and not words[1].is_valid_float():
			return npc.fail(HELP[command])
		var chosen := npc.choose(words[0])
		if npc.has_failed or command == "npc":
			return chosen
		rest = words[1]
	if dimension in _DIMENSIONS:
		return await _run_relationship("%s %s" % [dimension, rest])
	return await call("_run_" + command, rest)


func _run_own(command: String, rest: String) -> String:
	var action: Callable = own[command]["run"]
	if not action.is_valid():
		return npc.fail("The command %s is gone: the object of its Callable was freed." % command)
	var answer: Variant = await action.call(rest.split(" ", false))
	return "" if answer == null else str(answer)


func _run_help(about: String) -> String:
	var lines := help()
	return lines[about] if lines.has(about) else "\n".join(PackedStringArray(lines.values()))


func _run_npcs(_rest: String) -> String:
	var lines := PackedStringArray()
	for other: RAGMemory in npc.memories_in_scene():
		var mark := "> " if other == npc.memory else "  "
		lines.append("%s%s  (%s)" % [mark, other.npc_id, other.get_path()])
	return "\n".join(lines) if not lines.is_empty() else RAGChosenNpc.NOBODY


func _run_list(count: String) -> String:
	var wanted := count.to_int() if count.is_valid_int() else _DEFAULT_COUNT
	var memories: Variant = await npc.ask_memory(&"get_recent", [wanted, 0, PackedStringArray()])
	return memories if npc.has_failed else _lines_of(memories as Array, false)


func _run_turns(count: String) -> String:
	var wanted := count.to_int() if count.is_valid_int() else _DEFAULT_TURNS
	var turns: Variant = await npc.ask_memory(&"get_turns", [wanted])
	if npc.has_failed:
		return turns
	var summary: Dictionary = await npc.ask_memory(&"get_conversation_summary")
	var lines := PackedStringArray()
	if summary["turn_count"] > 0:
		lines.append("Summary of %d turns: %s" % [summary["turn_count"], summary["summary"]])
	for turn: Dictionary in turns:
		lines.append("day %.1f, player: %s" % [turn["day"], turn["player_message"]])
		lines.append("    %s: %s" % [npc.memory.npc_id, turn["npc_message"]])
	return "\n".join(lines) if not lines.is_empty() else "Nothing was said."


func _run_show(which: String) -> String:
	if not which:
		return await _show_npc()
	var record: Variant = await npc.ask_memory(&"get_memory", [npc.id_of(which)])
	if npc.has_failed:
		return record
	if (record as Dictionary).is_empty():
		return npc.fail("%s has no memory %s." % [npc.memory.npc_id, which])
	var moment := RAGGameTime.text_of(record["metadata"]["timestamp"] as float)
	return "Game time: %s\n%s" % [moment, JSON.stringify(record, "  ")]


func _run_search(text: String) -> String:
	if not text:
		return npc.fail(HELP["search"])
	var memories: Variant = await npc.ask_memory(&"retrieve_scored", [text])
	return memories if npc.has_failed else _lines_of(memories as Array, true)


func _run_store(rest: String) -> String:
	var importance := _DEFAULT_IMPORTANCE
	var first := rest.get_slice(" ", 0)
	if first.is_valid_int():
		importance = first.to_int()
		rest = rest.substr(first.length()).strip_edges()
	if not rest:
		return npc.fail(HELP["store"])
	var id: Variant = await npc.ask_memory(&"store_with_conflict_check", [rest, importance])
	return id if npc.has_failed else "Stored as %s" % id


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
		return npc.fail(HELP["relationship"])
	var dimension := words[0].to_lower()
	var wanted := roundi(words[1].to_float())
	var header := await _header()
	var before := _relationship_in(header)
	if npc.has_failed:
		return _line_of(header)
	if not before.has(dimension):
		return npc.fail("The dimensions are %s." % ", ".join(PackedStringArray(before.keys())))
	var stored: Variant = await npc.ask_memory(
		&"store_relationship", ["player", {dimension: wanted}]
	)
	if npc.has_failed:
		return stored
	# A state that the game told goes before the stored one, so it is told anew.
	header = await _header()
	if not npc.has_failed and _relationship_in(header).get(dimension) != wanted:
		before[dimension] = wanted
		npc.memory.set_relationship_state(before)
	return _line_of(await _header())


func _run_flag(rest: String) -> String:
	if world_knowledge == null:
		return npc.fail("The console knows no story flags: set its property world_knowledge.")
	var words := rest.split(" ", false, 1)
	if words.is_empty():
		var lines := PackedStringArray()
		var flags := world_knowledge.get_flags()
		for flag: String in flags:
			lines.append("%s = %s" % [flag, var_to_str(flags[flag])])
		return "\n".join(lines) if not lines.is_empty() else "There are no story flags."
	if not world_knowledge.has_flag(words[0]):
		return npc.fail("There is no story flag %s. Try: flag" % words[0])
	if words.size() > 1:
		var value := _value_of(words[1], world_knowledge.get_flag(words[0]))
		if world_knowledge.set_flag(words[0], value) != OK:
			return npc.fail("%s cannot be %s." % [words[0], words[1]])
	return "%s = %s" % [words[0], var_to_str(world_knowledge.get_flag(words[0]))]


func _run_show_npc(_rest: String) -> String:
	return await _show_npc()


func _run_has_met(_rest: String) -> String:
	var id := npc.memory.npc_id
	var count: Variant = await npc.ask_memory(&"get_memory_count")
	if npc.has_failed:
		return count
	var header := await _header()
	if npc.has_failed:
		return _line_of(header)
	var relationship: Dictionary = header["metadata"]["relationship"]
	var summary := "familiarity %d, %d memories" % [relationship["familiarity"], count]
	if not relationship["met"]:
		return "%s has never met the player: %s." % [id, summary]
	return "%s has met the player, %d days ago: %s." % [id, relationship["days_known"], summary]


func _run_reset_npc(confirmation: String) -> String:
	if not confirmation in ["", _CONFIRM]:
		return npc.fail(HELP["reset_npc"])
	var id := npc.memory.npc_id
	if not confirmation:
		var stored: Variant = await npc.ask_memory(&"get_memory_count")
		if npc.has_failed:
			return stored
		return (
			"%s would forget %d memories and the relationship for good. Type: reset_npc %s confirm"
			% [id, stored, id]
		)
	var count: Variant = await npc.ask_memory(&"clear_all_memories")
	if npc.has_failed:
		return count
	npc.memory.set_relationship_state({})
	return (
		"%s is as at first: %d memories are forgotten. What the game itself keeps is as it was."
		% [id, count]
	)


func _run_dump_prompt(line: String) -> String:
	var parent := npc.memory.get_parent()
	var speaker: Object = npc.memory
	if RAGSentOptions.memory_of(parent) == npc.memory:
		speaker = parent
	var options := {}
	if (
		world_knowledge != null
		and (speaker == npc.memory or speaker.get(&"world_knowledge") == null)
	):
		options["world_knowledge"] = world_knowledge
	line = line if line else _DEFAULT_LINE
	var prompt: Dictionary = await (
		RAGContextBuilder.new(speaker, options).build_prompt_async(line).completed
	)
	if prompt.is_empty():
		return npc.fail("There is no prompt. The output says why.")
	var tokens := PackedStringArray()
	for section: String in prompt["sections"]:
		tokens.append("%s %d" % [section, prompt["sections"][section]["tokens"]])
	return "%s\n\n%d tokens: %s" % [prompt["prompt"], prompt["total_tokens"], ", ".join(tokens)]


func _run_set_flag(rest: String) -> String:
	if rest.split(" ", false).size() < 2:
		return npc.fail(HELP["set_flag"])
	return _run_flag(rest)


func _run_consolidate(_rest: String) -> String:
	var outcome: Variant = await npc.ask_memory(&"consolidate")
	return outcome if npc.has_failed else JSON.stringify(outcome, "  ")


func _run_snapshot(slot: String) -> String:
	return await _serve(&"snapshot", slot, "The save is kept as %s.")


func _run_restore(slot: String) -> String:
	return await _serve(&"restore", slot, "The save is as it was in %s.")


func _run_snapshots(_rest: String) -> String:
	var slots: Variant = await npc.ask(MemoryServer, &"list_snapshots")
	if npc.has_failed:
		return slots
	return "\n".join(PackedStringArray(Array(slots))) if slots else "There are no snapshots."


func _run_rollback(rest: String) -> String:
	var moment := rest.to_float()
	if rest.begins_with("-"):
		var ago := rest.substr(1, rest.length() - 2)
		if not _SECONDS.has(rest.right(1)) or not ago.is_valid_float() or ago.begins_with("-"):
			return npc.fail(
				"How long ago? With a unit: -3d, -2h, -90m or -30s. Nothing is forgotten."
			)
		var header: Variant = await npc.ask_memory(&"generate_relationship_header")
		if npc.has_failed:
			return header
		moment = header["metadata"]["timestamp"] - ago.to_float() * _SECONDS[rest.right(1)]
	elif not rest.is_valid_float():
		return npc.fail(HELP["rollback"])
	var count: Variant = await npc.ask(MemoryServer, &"rollback_to", [moment])
	return count if npc.has_failed else "%d memories of all NPCs are forgotten." % count


func _run_dossier(line: String) -> String:
	var dossier: Variant = await npc.ask_memory(&"build_dossier", [line if line else _DEFAULT_LINE])
	if npc.has_failed:
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
	var stats: Variant = await npc.ask_memory(&"get_memory_stats")
	if npc.has_failed:
		return stats
	var health := MemoryServer.health()
	health.erase("python_path")
	health.erase("timings")
	var maintenance: Dictionary = MemoryServer.get_activity()["maintenance"]
	return JSON.stringify({"memory": stats, "runtime": health, "maintenance": maintenance}, "  ")


func _run_dump(_rest: String) -> String:
	return str(await npc.ask_memory(&"dump_all_memories"))


func _show_npc() -> String:
	var count: Variant = await npc.ask_memory(&"get_memory_count")
	if npc.has_failed:
		return count
	var header := await _header()
	if npc.has_failed:
		return _line_of(header)
	var lines := PackedStringArray(
		["%s: %d memories" % [npc.memory.npc_id, count], _line_of(header)]
	)
	var personality: Variant = npc.memory.get_parent().get(&"personality")
	if personality is RAGNPCPersonality:
		var relationship := _relationship_in(header)
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
	var header: Variant = await npc.ask_memory(&"generate_relationship_header")
	return {"document": header} if npc.has_failed else header


## The five numbers of a relationship header.
static func _relationship_in(header: Dictionary) -> Dictionary:
	var relationship: Dictionary = header.get("metadata", {}).get("relationship", {}).duplicate()
	for key: String in ["met", "days_known", "status"]:
		relationship.erase(key)
	return relationship


## The header does not show the familiarity, which a command sets.
func _line_of(header: Dictionary) -> String:
	var relationship := _relationship_in(header)
	if relationship.is_empty():
		return header["document"]
	return "%s Familiarity=%d" % [header["document"], relationship["familiarity"]]


func _change(method: StringName, which: String, message: String) -> String:
	if not which:
		return npc.fail("Which memory? Give its id, or #1 for the first line of the last list.")
	var id := npc.id_of(which)
	var is_done: Variant = await npc.ask_memory(method, [id])
	if npc.has_failed:
		return is_done
	return (
		message % id if is_done else npc.fail("%s has no memory %s." % [npc.memory.npc_id, which])
	)


func _serve(method: StringName, slot: String, message: String) -> String:
	if not slot:
		return npc.fail(HELP[method])
	var error: Variant = await npc.ask(MemoryServer, method, [slot])
	if npc.has_failed:
		return error
	return message % slot if error == OK else npc.fail(error_string(error as int))


## An id of the scene, which may contain spaces, and what comes after it.
func _id_and_rest(words: String) -> PackedStringArray:
	var id := words.get_slice(" ", 0)
	for node: RAGMemory in npc.memories_in_scene():
		if node.npc_id.length() > id.length() and (words + " ").begins_with(node.npc_id + " "):
			id = node.npc_id
	return PackedStringArray([id, words.substr(id.length()).strip_edges()])


func _lines_of(memories: Array, with_scores: bool) -> String:
	npc.list(memories.map(func(record: Dictionary) -> String: return record["id"]))
	var lines := PackedStringArray()
	var number := 0
	for record: Dictionary in memories:
		number += 1
		var metadata: Dictionary = record["metadata"]
		var tier: String = _TIERS[metadata["memory_tier"]]
		var superseded := " superseded" if metadata.get("superseded_by", "") else ""
		var event: String = metadata["event_type"] + superseded
		var time := RAGGameTime.text_of(metadata["timestamp"] as float)
		var values := [number, tier, metadata["importance"], event, time]
		lines.append("#%d %s, importance %d, %s, %s" % values)
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

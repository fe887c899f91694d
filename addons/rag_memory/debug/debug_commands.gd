extends RefCounted
## The commands of MemoryDebugConsole: a line of text in, lines of text out. Those about a memory,
## and the help of all, are in python/rag_memory/godot/console_commands.py, those about a mind in
## mind_commands.py beside it.

const RAGContextBuilder := preload("res://addons/rag_memory/prompt/npc_context_builder.gd")
const RAGGameTime := preload("res://addons/rag_memory/debug/game_time.gd")
const RAGSentOptions := preload("res://addons/rag_memory/prompt/sent_options.gd")
const RAGWorldKnowledge := preload("res://addons/rag_memory/prompt/npc_world_knowledge.gd")
const RAGNPCPersonality := preload("res://addons/rag_memory/prompt/npc_personality.gd")
const RAGChosenNpc := preload("res://addons/rag_memory/debug/chosen_npc.gd")

## Commands that need no NPC, beside those that name one.
const _WITHOUT_NPC: Array[String] = [
	"help", "npcs", "flag", "set_flag", "clear", "snapshot", "snapshots", "restore", "rollback"
]
## Commands about the NPC's [NPCMind].
const _OF_A_MIND: Array[String] = ["mood", "feelings", "interactions", "reflect", "perceive"]
const _SECONDS := {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
const _DEFAULT_LINE := "Hello."

## Whose memory and mind the commands are about.
var npc: RAGChosenNpc
var world_knowledge: RAGWorldKnowledge
## The game's own commands: {help, run} by name.
var own: Dictionary[String, Dictionary] = {}

var _help: Dictionary[String, String] = {}


func _init(tree: SceneTree) -> void:
	npc = RAGChosenNpc.new(tree)


## Returns the help line of every command, by name, the game's own last: they take the place of
## those of the same name. Without Python there are only these.
func help() -> Dictionary[String, String]:
	var shipped: Variant = MemoryServer.apply_rule("console.help", []) if not _help else null
	if shipped is Dictionary:
		_help.assign(shipped as Dictionary)
	var lines := _help.duplicate()
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
	if not (npc.choose_any() or command in _WITHOUT_NPC or rest and names_an_npc(command)):
		return npc.fail(RAGChosenNpc.NOBODY)
	if words.size() - 1 < _least_words(_help[command]):
		return npc.fail(_help[command])
	return await _carried_out(command, rest)


func _carried_out(command: String, rest: String) -> String:
	if names_an_npc(command) and not _is_about_the_chosen_one(command, rest):
		var words := _id_and_rest(rest)
		var chosen := npc.choose(words[0])
		if npc.has_failed or command == "npc":
			return chosen
		rest = words[1]
	if has_method("_run_" + command):
		return await call("_run_" + command, rest)
	return await _run_in_worker(command, npc.id_of(rest) if "MEMORY" in _help[command] else rest)


## Returns whether nobody is named where an NPC may be. A number alone is a count.
func _is_about_the_chosen_one(command: String, rest: String) -> bool:
	var is_named := rest and not (rest.is_valid_int() and npc.memory_of(rest) == null)
	return not is_named and _help[command].begins_with(command + " [ID]")


## Runs a command about the memory or the mind of the chosen NPC.
func _run_in_worker(command: String, rest: String) -> String:
	var result: Variant
	if command in _OF_A_MIND:
		result = await npc.ask_mind(&"run_command", [command, rest])
	else:
		var options := {}
		var personality: Variant = npc.memory.get_parent().get(&"personality")
		if personality is RAGNPCPersonality:
			options["personality"] = (personality as RAGNPCPersonality).to_data()
		result = await npc.ask_memory(&"run_command", [command, rest, options])
	if npc.has_failed:
		return result
	npc.has_failed = result["is_failed"]
	if result.has("listed"):
		npc.list(result["listed"] as Array)
	var text := ""
	for piece: Variant in result["pieces"]:
		if piece is float:
			text += RAGGameTime.text_of(piece as float)
		else:
			text += piece if piece is String else JSON.stringify(piece, "  ")
	return text


## Number of words that have to follow a command: those of its usage in capitals, before a bracket.
static func _least_words(usage: String) -> int:
	var count := 0
	for word: String in usage.get_slice(":", 0).split(" ").slice(1):
		if word.begins_with("[") or word != word.to_upper():
			break
		count += 1
	return count


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
	return _run_flag(rest)


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
		return npc.fail(_help["rollback"])
	var count: Variant = await npc.ask(MemoryServer, &"rollback_to", [moment])
	return count if npc.has_failed else "%d memories of all NPCs are forgotten." % count


func _run_stats(_rest: String) -> String:
	var stats: Variant = await npc.ask_memory(&"get_memory_stats")
	if npc.has_failed:
		return stats
	var health := MemoryServer.health()
	health.erase("python_path")
	health.erase("timings")
	var maintenance: Dictionary = MemoryServer.get_activity()["maintenance"]
	return JSON.stringify({"memory": stats, "runtime": health, "maintenance": maintenance}, "  ")


func _serve(method: StringName, slot: String, message: String) -> String:
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

extends Node
## Plays a story (bench/measurement/story.py) with the seven villagers of the demo, through the same
## calls as a game, and notes what the villagers recall.

const VILLAGERS := "res://demo/villagers/%s.tres"
const FIRST_FEW := 5
const SUMMARISE_ABOVE := 400
const STEPS_BETWEEN_REPORTS := 250

var _now := 0.0
var _start := 0.0
var _options: Dictionary = {}
var _memories: Dictionary[String, RAGMemory] = {}
## The same villagers, asked with [constant MemoryConfig.BALANCED].
var _balanced: Dictionary[String, RAGMemory] = {}
## By tag: what was stored for an interaction.
var _ids: Dictionary[int, PackedStringArray] = {}
## The newest save: its slot, its time, and what every villager knew.
var _saved: Dictionary = {}
## The texts of what was undone and has not happened again.
var _undone: Dictionary[String, bool] = {}
var _stored_since_save := PackedStringArray()

var _questions: Array[Dictionary] = []
var _scores: Array[float] = []
var _over_budget: Array[String] = []
var _wrong_after_load: Array[String] = []
var _loads := 0
var _most_tokens := 0


func measure(input: Dictionary) -> Dictionary:
	_start = input["start"]
	_now = _start
	MemoryServer.set_clock(func() -> float: return _now)
	if MemoryServer.open_save("play") != OK:
		return {"problem": "The save could not be opened; the messages above say why."}
	_meet_villagers(input["people"] as Array, input["villagers"] as Array)
	var steps: Array = input["steps"]
	for index: int in steps.size():
		var step: Dictionary = steps[index]
		_now = _start + (step["time"] as float)
		var problem := _carry_out(step)
		if problem:
			return {"problem": problem}
		if index % STEPS_BETWEEN_REPORTS == 0:
			print("%d of %d steps" % [index, steps.size()])
			await get_tree().process_frame
	var counts := {}
	for npc: String in _memories:
		counts[npc] = _memories[npc].get_memory_count()
	return {
		"questions": _questions,
		"scores": _scores,
		"over_budget": _over_budget,
		"wrong_after_load": _wrong_after_load,
		"loads": _loads,
		"most_tokens": _most_tokens,
		"memories": counts,
		"health": MemoryServer.health(),
		"engine": Engine.get_version_info()["string"],
	}


func _meet_villagers(people: Array, villagers: Array) -> void:
	var world := NPCWorldKnowledge.new()
	for person: String in people:
		world.add_npc(person.to_lower(), person)
	var config := MemoryConfig.new()
	config.max_memories_before_consolidate = SUMMARISE_ABOVE
	config.consolidate_target = roundi(SUMMARISE_ABOVE * 0.75)
	config.score_mode = MemoryConfig.PRODUCT
	var balanced_config: MemoryConfig = config.duplicate()
	balanced_config.score_mode = MemoryConfig.BALANCED
	for npc: String in villagers:
		var personality: NPCPersonality = load(VILLAGERS % npc)
		world.add_npc(npc, personality.display_name)
		_memories[npc] = _make_memory(npc, config)
		_balanced[npc] = _make_memory(npc, balanced_config)
		_options[npc] = {"personality": personality, "world_knowledge": world}


func _make_memory(npc: String, config: MemoryConfig) -> RAGMemory:
	var memory := RAGMemory.new()
	memory.npc_id = npc
	memory.config = config
	add_child(memory)
	return memory


func _carry_out(step: Dictionary) -> String:
	match step["do"] as String:
		"interact":
			return _interact(step)
		"ask":
			_ask(step)
		"save":
			return _save(step["slot"] as String)
		"load":
			return _load(step["how"] as String)
	return ""


func _interact(step: Dictionary) -> String:
	var memory: RAGMemory = _memories[step["npc"]]
	var line: String = step["line"]
	var ids := PackedStringArray()
	match step["kind"] as String:
		"witness":
			ids.append(memory.store_witnessed_event(line))
		"betrayal":
			ids.append(memory.store_player_action("betrayal", line))
		"rumor":
			ids.append(memory.store_npc_awareness(step["about"] as String, line, 5))
		_:
			ids = _talk(memory, line, step["answer"] as Dictionary)
	if ids.is_empty() or "" in ids:
		return "An interaction was not stored: %s" % line
	for id: String in ids:
		var text: String = memory.get_memory(id)["document_full"]
		_undone.erase(text)
		_stored_since_save.append(text)
	_ids[step["tag"]] = ids
	return ""


func _talk(memory: RAGMemory, line: String, given: Dictionary) -> PackedStringArray:
	var options: Dictionary = _options[memory.npc_id]
	var prompt: Dictionary = NPCContextBuilder.build(memory, line, options)
	_most_tokens = maxi(_most_tokens, prompt["total_tokens"] as int)
	for name: String in prompt["sections"]:
		var section: Dictionary = prompt["sections"][name]
		if (section["tokens"] as int) > (section["budget"] as int):
			_over_budget.append("section %s for %s" % [name, line])
	var answer: Dictionary = NPCContextBuilder.parse_response(JSON.stringify(given))
	var recorded: Dictionary = NPCContextBuilder.record_interaction(memory, line, answer, options)
	var ids := PackedStringArray()
	for each: Dictionary in recorded["stored"]:
		ids.append(each["id"] as String)
	return ids


func _ask(step: Dictionary) -> void:
	var memory: RAGMemory = _memories[step["npc"]]
	var recalled: Array[Dictionary] = memory.retrieve_scored(step["question"] as String)
	var question: String = step["question"]
	var tag: int = step["tag"]
	var tokens := 0
	for each: Dictionary in recalled:
		if each["document_full"] in _undone:
			_wrong_after_load.append("%s recalls: %s" % [memory.npc_id, each["document_full"]])
		if not each["protected"]:
			tokens += memory.estimate_tokens(each["rendered_text"] as String)
			_scores.append(each["score"] as float)
	if tokens > memory.config.memory_token_budget:
		_over_budget.append("answer to %s" % question)
	var ranks := {
		"kind": step["kind"],
		"PRODUCT": _rank(recalled, tag),
		"BALANCED": _rank(_balanced[step["npc"]].retrieve_scored(question), tag),
		"relevance": _rank(memory.retrieve_relevant_raw(question, {"limit": FIRST_FEW}), tag),
	}
	_questions.append(ranks)


## The place of the right memory among those that are not protected; -1 when it is not there.
func _rank(recalled: Array[Dictionary], tag: int) -> int:
	var place := 0
	for each: Dictionary in recalled:
		if each["protected"]:
			continue
		if _is_about(each, tag):
			return place
		place += 1
	return -1


func _is_about(memory: Dictionary, tag: int) -> bool:
	var ids: PackedStringArray = _ids[tag]
	if memory["id"] in ids:
		return true
	var sources: Array = memory["metadata"].get("source_ids", [])
	return sources.any(func(id: String) -> bool: return id in ids)


func _save(slot: String) -> String:
	for memory: RAGMemory in _memories.values():
		if memory.needs_consolidation():
			memory.consolidate()
	if MemoryServer.snapshot(slot) != OK:
		return "The snapshot failed; the messages above say why."
	_saved = {"slot": slot, "time": _now, "known": _known(), "ids": _ids.duplicate()}
	_stored_since_save.clear()
	return ""


func _load(how: String) -> String:
	_now = _saved["time"]
	if how == "restore":
		if MemoryServer.restore(_saved["slot"] as String) != OK:
			return "The snapshot could not be restored; the messages above say why."
	else:
		MemoryServer.rollback_to(_now)
	_loads += 1
	_ids = (_saved["ids"] as Dictionary[int, PackedStringArray]).duplicate()
	for text: String in _stored_since_save:
		_undone[text] = true
	_stored_since_save.clear()
	var before: Dictionary = _saved["known"]
	var after := _known()
	for npc: String in before:
		_compare(npc, how, before[npc] as Dictionary, after[npc] as Dictionary)
		for id: String in after[npc]:
			_undone.erase(after[npc][id]["document_full"])
	return ""


## Everything a villager knows, by id.
func _known() -> Dictionary:
	var known := {}
	for npc: String in _memories:
		var memories := {}
		for each: Dictionary in JSON.parse_string(_memories[npc].export_json())["memories"]:
			each["document_full"] = each["text"]
			memories[each["id"]] = each
		known[npc] = memories
	return known


func _compare(npc: String, how: String, before: Dictionary, after: Dictionary) -> void:
	for id: String in before:
		if not after.has(id):
			_wrong_after_load.append("%s, %s: forgot %s" % [npc, how, before[id]])
		elif before[id] != after[id]:
			_wrong_after_load.append("%s, %s: %s is now %s" % [npc, how, before[id], after[id]])
	for id: String in after:
		if not before.has(id):
			_wrong_after_load.append("%s, %s: knows of the future: %s" % [npc, how, after[id]])

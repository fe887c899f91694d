extends RefCounted
## The console's commands about quests, as the chosen NPC remembers them.

const RAGChosenNpc := preload("res://addons/rag_memory/debug/chosen_npc.gd")
const RAGWording := preload("res://addons/rag_memory/prompt/wording.gd")

const HELP: Dictionary[String, String] = {
	"quests": "quests: the quests that this NPC remembers, and how they stand",
	"quest_info": "quest_info QUEST: all that this NPC remembers of a quest, oldest first",
	"quest_start": "quest_start QUEST: this NPC learns that the player took on a quest",
	"quest_complete":
	"quest_complete QUEST [ENDING]: this NPC learns that the player completed it, and how",
	"quest_fail": "quest_fail QUEST: this NPC learns that the player failed it",
	"quest_reset": "quest_reset QUEST: this NPC forgets the quest",
	"objective_complete":
	"objective_complete QUEST OBJECTIVE: this NPC learns that a part of the quest is done",
}
## The state of a quest by the event type of its newest memory that has one.
const STATES: Dictionary[String, String] = {
	"quest_started": "started", "quest_completed": "completed", "quest_failed": "failed"
}
const _OUTCOMES: Dictionary[String, String] = {
	"quest_start": "started", "quest_complete": "completed", "quest_fail": "failed"
}
const _OBJECTIVE := "quest"
const _IMPORTANCE := 8
const _MOST := 1000

var _npc: RAGChosenNpc


func _init(npc: RAGChosenNpc) -> void:
	_npc = npc


## Runs a command of HELP; await it.
func run(command: String, rest: String) -> String:
	if command == "quests":
		return await _listed_quests()
	var quest := rest.get_slice(" ", 0)
	var detail := rest.substr(quest.length()).strip_edges()
	if not quest or (command == "objective_complete" and not detail):
		return _npc.fail(HELP[command])
	match command:
		"quest_info":
			return await _quest_info(quest)
		"quest_reset":
			return await _quest_reset(quest)
	return await _store_outcome(command, quest, detail)


func _listed_quests() -> String:
	var memories: Variant = await _memories()
	if _npc.has_failed:
		return memories
	var states := {}
	var counts := {}
	for memory: Dictionary in memories:
		var quest: String = memory["metadata"]["quest_id"]
		counts[quest] = counts.get(quest, 0) + 1
		states[quest] = STATES.get(memory["metadata"]["event_type"], states.get(quest, "going on"))
	var lines := PackedStringArray()
	for quest: String in states:
		lines.append("%s: %s (%d memories)" % [quest, states[quest], counts[quest]])
	return "\n".join(lines) if not lines.is_empty() else "This NPC remembers no quest."


func _quest_info(quest: String) -> String:
	var memories: Variant = await _memories(quest)
	if _npc.has_failed:
		return memories
	var lines := PackedStringArray()
	for memory: Dictionary in memories:
		lines.append("%s: %s" % [memory["metadata"]["event_type"], memory["document_full"]])
	return "\n".join(lines)


func _quest_reset(quest: String) -> String:
	var memories: Variant = await _memories(quest)
	if _npc.has_failed:
		return memories
	for memory: Dictionary in memories:
		var is_done: Variant = await _npc.ask_memory(&"forget", [memory["id"]])
		if _npc.has_failed:
			return is_done
	return "Forgotten: %d memories of the quest %s." % [(memories as Array).size(), quest]


func _store_outcome(command: String, quest: String, detail: String) -> String:
	if command == "objective_complete":
		var done := {"quest": _called(quest), "part": detail}
		return await _store(_OBJECTIVE, quest, detail, _wording("quest_part_done", done))
	if detail and command == "quest_complete":
		var ended := {"quest": _called(quest), "ending": detail}
		return await _store("quest_completed", quest, detail, _wording("quest_ended", ended))
	return _stored(await _npc.ask_memory(&"store_quest_memory", [quest, _OUTCOMES[command]]))


func _store(event_type: String, quest: String, detail: String, text: String) -> String:
	var data := {
		"event_type": event_type,
		"quest_id": quest,
		"outcome": detail,
		"participants": ["player"],
		"check_names": false,
	}
	return _stored(await _npc.ask_memory(&"store", [text, _IMPORTANCE, data]))


func _wording(key: String, values: Dictionary) -> String:
	var config := _npc.memory.config if is_instance_valid(_npc.memory) else null
	return RAGWording.text(config, key, values)


func _called(quest: String) -> String:
	return quest.replace("_", " ")


func _stored(id: Variant) -> String:
	return id if _npc.has_failed else "Stored as %s" % id


## The memories about quests, or about one, oldest first; a reason when there are none of it.
func _memories(quest := "") -> Variant:
	var options := {
		"filter": {"event_type": {"in": STATES.keys() + [_OBJECTIVE]}},
		"sort": "timestamp",
		"descending": false,
		"limit": _MOST,
	}
	var page: Variant = await _npc.ask_memory(&"browse", [options])
	if _npc.has_failed:
		return page
	var about := func(memory: Dictionary) -> bool:
		var id: String = memory["metadata"].get("quest_id", "")
		return id == quest if quest else id != ""
	var memories: Array = (page["rows"] as Array).filter(about)
	if quest and memories.is_empty():
		return _npc.fail("This NPC remembers no quest %s. Try: quests" % quest)
	return memories

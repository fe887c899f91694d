"""The GDScript examples of the F1 help of the native classes, by "Class.member".

They are not in the docstrings, which stay short and are shipped with games. A test runs every example
(tests/engine/documentation/test_examples.py): the output has to be as written after the arrow (`# ->`).
"""

from __future__ import annotations

from .world_examples import WORLD_EXAMPLES

EXAMPLES = {
    **WORLD_EXAMPLES,
    "RAGMemory.store": """
var id: String = memory.store("Rowan promised to mend my roof.", 6, {
    "event_type": "promise_made",
    "participants": ["Rowan"],
    "topics": ["roof", "promise"],
})
print(memory.get_memory(id)["metadata"]["event_type"])  # -> promise_made
""",
    "RAGMemory.store_with_conflict_check": """
var roof: String = memory.store("Rowan promised to mend my roof.", 6, {"event_type": "promise_made"})
memory.store("Rowan promised to find my cat.", 6, {"event_type": "promise_made"})
var breach: Dictionary = memory.store_with_conflict_check(
    "Rowan never came to mend my roof.", 8, {"event_type": "promise_broken"}
)
print(breach["superseded"] == [roof])  # -> true
print(memory.get_memory(roof)["metadata"]["superseded_by"] == breach["id"])  # -> true
""",
    "RAGMemory.store_conversation": """
var id: String = memory.store_conversation("player", "I will be back before the frost.", {
    "topics": ["frost"],
})
print(memory.get_memory(id)["document_full"])  # -> The player told me: "I will be back before the frost."
""",
    "RAGMemory.store_witnessed_event": """
memory.store_witnessed_event("The inn burned down.", 9, "horrified")
""",
    "RAGMemory.store_player_action": """
var id: String = memory.store_player_action("gift_given", "gave me a rose", 7, "touched")
print(memory.get_memory(id)["document_full"])  # -> The player gave me a rose
""",
    "RAGMemory.store_quest_memory": """
var id: String = memory.store_quest_memory("lost_ring", "completed")
print(memory.get_memory(id)["metadata"]["event_type"])  # -> quest_completed
""",
    "RAGMemory.store_milestone": """
memory.store_milestone("first_meeting", "The player walked into my tavern, wet to the bone.")
print(memory.generate_relationship_header()["document"])  # -> [Met=yes, Days=0, ...]
""",
    "RAGMemory.store_npc_awareness": """
memory.store_npc_awareness("bjorn", "Bjorn has left the village.")
""",
    "RAGMemory.store_npc_state": """
memory.store_npc_state(false, {"cause": "an arrow", "killed_by": "Varn"})
print(memory.get_npc_state()["is_alive"])  # -> false
""",
    "RAGMemory.check_npc_state": """
var state: Dictionary = memory.check_npc_state("elena")
print(state["is_alive"])  # -> true
print(state["known"])  # -> false
""",
    "RAGMemory.store_relationship": """
memory.store_relationship("bjorn", {"trust": -40, "fear": 30})
memory.store_relationship("bjorn", {"trust": -35})  # the fear stays
print(memory.get_relationship("bjorn")["fear"])  # -> 30
""",
    "RAGMemory.get_relationship": """
print(memory.get_relationship("player").is_empty())  # -> true
memory.store_relationship("player", {"trust": 65})
print(memory.get_relationship("player")["status"])  # -> friendly
""",
    "RAGMemory.store_batch": """
var memories: Array[Dictionary] = [
    {"text": "The ford is flooded.", "importance": 5, "event_type": "rumor"},
    {"text": "Tobias lost his mule.", "importance": 2, "event_type": "rumor"},
]
var ids: PackedStringArray = await memory.store_batch_async(memories).completed
print(ids.size())  # -> 2
""",
    "RAGMemory.retrieve_scored": """
memory.store("Rowan promised to mend my roof before the first frost.", 6)
var recalled: Array = await memory.retrieve_scored_async("Who mends the roof?", 500).completed
for recollection: Dictionary in recalled:
    print(recollection["rendered_text"], " ", recollection["score"])
print(recalled[1]["rendered_text"])  # -> Rowan promised to mend my roof before the first frost.
""",
    "RAGMemory.retrieve_tiered": """
memory.store_milestone("first_meeting", "We met at the well.")
memory.store("It rained.", 4)
var tiers: Dictionary = memory.retrieve_tiered("Where did we meet?", {"max_regular_memories": 3})
print(tiers["pinned"].size())  # -> 1
print(tiers["relevant"].size())  # -> 1
""",
    "RAGMemory.retrieve_relevant": """
memory.store("Varn hides in the cellar of the old mill.", 7)
memory.store("The bread was good.", 3)
var lines: PackedStringArray = memory.retrieve_relevant("Where is Varn?", {"limit": 1})
print(lines[0])  # -> ...Varn hides in the cellar of the old mill.
""",
    "RAGMemory.retrieve_relevant_raw": """
memory.store("Varn sold us to the bandits.", 9, {"event_type": "betrayal", "location": "cellar"})
memory.store("Varn bought a rope.", 3)
var filter := {"event_type": "betrayal", "importance": {">=": 4}}
var betrayals: Array = memory.retrieve_relevant_raw("Can I trust Varn?", {"filter": filter})
print(betrayals.size())  # -> 1
""",
    "RAGMemory.get_recent": """
memory.store("The first snow fell.", 5, {"timestamp": 100.0})
memory.store("The snow melted.", 5, {"timestamp": 200.0})
print(memory.get_recent(1)[0]["document"])  # -> The snow melted.
""",
    "RAGMemory.get_memory": """
print(memory.get_memory("no such id").is_empty())  # -> true
""",
    "RAGMemory.update_memory": """
var id: String = memory.store("The bridge is safe.", 4)
memory.update_memory(id, {"text": "The bridge is out.", "importance": 6})
print(memory.get_memory(id)["document"])  # -> The bridge is out.
""",
    "RAGMemory.pin_memory": """
var id: String = memory.store("He lied to me.", 4)
memory.pin_memory(id)
print(memory.get_memory(id)["metadata"]["memory_tier"])  # -> 0
memory.unpin_memory(id)
print(memory.get_memory(id)["metadata"]["memory_tier"])  # -> 2
""",
    "RAGMemory.forget": """
var id: String = memory.store("A slip of the tongue.", 2)
print(memory.forget(id))  # -> true
print(memory.forget(id))  # -> false
""",
    "RAGMemory.forget_where": """
memory.store("Rowan sang.", 3, {"participants": ["rowan"]})
print(memory.forget_where({"participants": {"contains": "rowan"}}))  # -> 1
""",
    "RAGMemory.clear_all_memories": """
memory.store("One.")
memory.store("Two.")
print(memory.clear_all_memories())  # -> 2
""",
    "RAGMemory.get_archived": """
var id: String = memory.store("The bridge is safe.")
memory.update_memory(id, {"text": "The bridge is out."})
var earlier: Array = memory.get_archived(id)
print(earlier[0]["document_full"])  # -> The bridge is safe.
print(earlier[0]["archived"]["reason"])  # -> updated
""",
    "RAGMemory.restore_archived": """
var id: String = memory.store("The bridge is safe.")
memory.update_memory(id, {"text": "The bridge is out."})
memory.restore_archived(id)
print(memory.get_memory(id)["document_full"])  # -> The bridge is safe.
""",
    "RAGMemory.get_memory_stats": """
memory.store_milestone("first_meeting", "We met at the well.")
var stats: Dictionary = memory.get_memory_stats()
print(stats["total"])  # -> 1
print(stats["pinned"])  # -> 1
""",
    "RAGMemory.consolidate": """
if memory.needs_consolidation():
    var merged: Dictionary = await memory.consolidate_async().completed
    print("%d memories became %d summaries" % [merged["removed"], merged["summary_ids"].size()])
""",
    "RAGMemory.preview_consolidation": """
for summary: Dictionary in memory.preview_consolidation():
    print("%d memories would become: %s" % [summary["sources"].size(), summary["extract"]])
""",
    "RAGMemory.import_json": """
memory.store("Marcus was seen at the mill.", 7)
var text: String = memory.export_json()
memory.clear_all_memories()
print(memory.import_json(text))  # -> 1
""",
    "RAGMemory.browse": """
memory.store("The bridge is out.", 7)
var page: Dictionary = memory.browse({"sort": "importance", "text": "bridge", "limit": 20})
print(page["total"])  # -> 1
print(page["rows"][0]["document_full"])  # -> The bridge is out.
""",
    "RAGMemory.put_back_memories": """
var id: String = memory.store("The bridge is out.")
var before: Dictionary = memory.capture_memories(PackedStringArray([id]))
memory.forget(id)
memory.put_back_memories(before)
print(memory.get_memory(id)["document"])  # -> The bridge is out.
""",
    "RAGMemory.export_csv": """
memory.store("Marcus was seen at the mill.", 7)
var file := FileAccess.open("user://mira.csv", FileAccess.WRITE)
file.store_string(memory.export_csv())
file.close()
""",
    "RAGMemory.get_timeline": """
memory.store_milestone("first_meeting", "We met at the well.")
var life: Dictionary = memory.get_timeline({"buckets": 10})
print(life["counts"].size())  # -> 3
""",
    "RAGMemory.set_relationship_state": """
memory.set_relationship_state({"trust": 85, "affection": 60})
print(memory.generate_relationship_header()["document"])  # -> [Met=no, Days=0, Trust=85, Affection=60, ...]
""",
    "RAGMemory.set_initial_relationship": """
memory.set_initial_relationship({"trust": 15, "affection": -5})
print(memory.generate_relationship_header()["document"])  # -> [Met=no, Days=0, Trust=15, Affection=-5, ...]
memory.store_relationship("player", {"trust": 40})
print(memory.generate_relationship_header()["document"])  # -> [Met=yes, Days=0, Trust=40, Affection=-5, ...]
""",
    "RAGMemory.generate_relationship_header": """
memory.set_relationship_state({"trust": 10, "affection": -5})
var header: Dictionary = memory.generate_relationship_header()
print(header["metadata"]["relationship"]["status"])  # -> hostile
""",
    "RAGMemory.estimate_tokens": """
print(memory.estimate_tokens("The bridge is out."))  # -> 6
""",
    "RAGMemory.explain": """
var id: String = memory.store("Greta hides the mill's key under the sundial.")
var why: Dictionary = memory.explain("Where is the key of the mill?", id)
print(why["reason"])  # -> returned
""",
    "RAGMemory.calculate_memory_score": """
var now: float = Time.get_unix_time_from_system()
var fresh := {"metadata": {"memory_tier": 2, "importance": 5, "timestamp": now}, "similarity": 1.0}
print(snappedf(memory.calculate_memory_score(fresh), 0.01))  # -> 1.0
""",
    "RAGMemory.calculate_importance": """
var importance: int = memory.calculate_importance("conversation", {}, {"secret_revealed": true})  # -> 9
""",
    "RAGMemory.get_deterministic_deltas": """
var deltas: Dictionary = memory.get_deterministic_deltas("gift_given")
print(deltas["affection_change"])  # -> 5
""",
    "RAGMemory.is_protected": """
print(memory.is_protected(memory.generate_relationship_header()))  # -> true
""",
    "RAGMemory.format_memories": """
memory.store("The bridge is out.", 4)
print(memory.format_memories(memory.get_recent(), "bullet")[0])  # -> - The bridge is out.
""",
    "RAGMemory.dump_all_memories": """
memory.store("The bridge is out.", 4)
print(memory.dump_all_memories())
""",
    "RAGMemory.npc_id": """
var elena := RAGMemory.new()
elena.npc_id = "elena"
add_child(elena)
elena.store("I was born in Thornhaven.")
""",
    "RAGMemory.config": """
var forgetful := MemoryConfig.new()
forgetful.recency_half_life_days = 2.0
memory.config = forgetful
""",
    "RAGMemory.persistent": """
var passer_by := RAGMemory.new()
passer_by.npc_id = "a guard at the gate"
passer_by.persistent = false
add_child(passer_by)
""",
    "RAGMemory.milestone_created": """
memory.milestone_created.connect(func(type: String) -> void: print("A turning point: ", type))
memory.store_milestone("first_meeting", "We met at the well.")
""",
    "RAGMemory.memory_superseded": """
memory.memory_superseded.connect(
    func(memory_id: String, by_memory_id: String) -> void: print(memory_id, " ended with ", by_memory_id)
)
memory.store("Rowan promised to come.", 6, {"event_type": "promise_made"})
memory.store_player_action("promise_broken", "never came")
""",
    "RAGMemory.failed": """
memory.failed.connect(func(error: String) -> void: push_warning(error))
""",
    "MemoryServer.open_save": """
if MemoryServer.open_save("slot_1") != OK:
    push_error(MemoryServer.health()["last_error"])
print(MemoryServer.current_save())  # -> slot_1
""",
    "MemoryServer.close_save": """
MemoryServer.close_save()
print(MemoryServer.current_save() == "")  # -> true
""",
    "MemoryServer.delete_save": """
MemoryServer.open_save("an old game")
print(MemoryServer.delete_save("an old game") == OK)  # -> true
""",
    "MemoryServer.has_save": """
MemoryServer.open_save("slot_1")
print(MemoryServer.has_save("slot_1"))  # -> true
""",
    "MemoryServer.copy_save": """
MemoryServer.open_save("slot_1")
if MemoryServer.has_save("slot_2"):
    MemoryServer.delete_save("slot_2")
print(MemoryServer.copy_save("slot_1", "slot_2") == OK)  # -> true
""",
    "MemoryServer.get_save_info": """
MemoryServer.open_save("slot_1", {"campaign": "the long winter"})
for save_id: String in MemoryServer.list_saves():
    var info: Dictionary = MemoryServer.get_save_info(save_id)
    print(save_id, ": ", info["campaign"], ", ", info["memories"], " memories")
""",
    "MemoryServer.acquire_npc": """
MemoryServer.open_save("slot_1")
if MemoryServer.acquire_npc("mira") == ERR_LOCKED:
    print(MemoryServer.get_npc_owner("mira"), " has her")
""",
    "MemoryServer.release_npc": """
MemoryServer.open_save("slot_1")
print(MemoryServer.release_npc("mira") == OK)  # -> true
""",
    "MemoryServer.get_npc_owner": """
MemoryServer.open_save("slot_1")
print(MemoryServer.get_npc_owner("mira") == "")  # -> false
""",
    "RAGMemory.get_diary": """
memory.store("The player mended my roof.", 8)
memory.store("It rained.", 2)
for day: Dictionary in memory.get_diary():
    print(day["lines"])  # -> ["The player mended my roof.", "It rained."]
""",
    "MemoryServer.rename_npc": """
MemoryServer.npc("bandit_7").store("The player spared my life.", 9)
MemoryServer.rename_npc("bandit_7", "olaf")
print(MemoryServer.npc("olaf").get_recent(1)[0]["document"])  # -> The player spared my life.
""",
    "MemoryServer.retire_player": """
memory.store("The player saved the mill.", 9)
MemoryServer.retire_player("theron", "Theron")
print(memory.get_recent(1)[0]["rendered_text"])  # -> Theron saved the mill.
""",
    "MemoryServer.merge_npcs": """
MemoryServer.npc("masked_stranger").store("I took the crown.", 9)
MemoryServer.npc("baker").store("I baked bread.")
MemoryServer.merge_npcs("baker", "masked_stranger")
print(MemoryServer.npc("baker").get_memory_count())  # -> 2
""",
    "MemoryServer.delete_snapshot": """
MemoryServer.snapshot("autosave")
MemoryServer.delete_snapshot("autosave")
print("autosave" in MemoryServer.list_snapshots())  # -> false
""",
    "MemoryServer.snapshot": """
var id: String = memory.store("Marcus is alive.", 9)
MemoryServer.snapshot("before the mill")
memory.forget(id)
MemoryServer.restore("before the mill")
print(memory.get_memory(id)["document"])  # -> Marcus is alive.
""",
    "MemoryServer.list_snapshots": """
memory.store("It rained.")
MemoryServer.snapshot("autosave")
print(MemoryServer.list_snapshots())  # -> ["autosave"]
""",
    "MemoryServer.compare_snapshots": """
memory.store("It rained.")
MemoryServer.snapshot("monday")
memory.store("The ford is flooded.")
print(MemoryServer.compare_snapshots("monday")["added"])  # -> 1
""",
    "MemoryServer.connect_bus": """
var cache := MemoryHotCache.new()
cache.url = bus.url
if MemoryServer.connect_bus(bus, cache) != OK:
    push_error(MemoryServer.health()["last_error"])
print(MemoryServer.health()["bus"]["zone"])  # -> zone_1
MemoryServer.disconnect_bus()
""",
    "MemoryServer.disconnect_bus": """
MemoryServer.connect_bus(bus)
MemoryServer.disconnect_bus()
print(MemoryServer.health().has("bus"))  # -> false
""",
    "MemoryServer.publish_event": """
MemoryServer.connect_bus(bus)
var id: String = MemoryServer.publish_event({
    "type": "item_gifted",
    "npcId": "mira",
    "sourceId": "char-123",
    "sourceName": "Kael",
    "content": "a rose",
})
print(id.is_empty())  # -> false
MemoryServer.disconnect_bus()
""",
    "MemoryServer.send_command": """
MemoryServer.connect_bus(bus)
print(MemoryServer.send_command("mira", "/say Hello, friend!") == OK)  # -> true
MemoryServer.disconnect_bus()
""",
    "MemoryServer.get_hot_memory": """
var cache := MemoryHotCache.new()
cache.url = bus.url
MemoryServer.connect_bus(bus, cache)
print(MemoryServer.get_hot_memory("somebody unknown"))  # -> {  }
MemoryServer.disconnect_bus()
""",
    "MemoryServer.world_event": """
func _ready() -> void:
    MemoryServer.world_event.connect(_on_world_event)


func _on_world_event(event: Dictionary) -> void:
    print(event.get("type"), " happened to ", event.get("npcId"))
""",
    "MemoryServer.command": """
func _ready() -> void:
    MemoryServer.command.connect(_on_command)


func _on_command(npc_id: String, text: String) -> void:
    if text.begins_with("/say "):
        print(npc_id, ": ", text.trim_prefix("/say "))
""",
    "MemoryServer.list_npcs": """
memory.store("It rained.")
for npc: Dictionary in MemoryServer.list_npcs():
    print(npc["npc_id"], ": ", npc["total"])
""",
    "MemoryServer.mark": """
memory.store("The bridge is safe.")
var mark: String = MemoryServer.mark()  # in your own save file
memory.store("The bridge is out.")
MemoryServer.rollback_to(mark)
print(memory.get_recent(1)[0]["document"])  # -> The bridge is safe.
""",
    "MemoryServer.sync": """
memory.store("The bridge is safe.")
if MemoryServer.sync() == OK:
    print("A power cut takes nothing of this.")
""",
    "MemoryServer.rollback_to": """
var time := {"now": 100.0}  # the game's calendar
MemoryServer.set_clock(func() -> float: return time["now"])
memory.store("The bridge is safe.")
time["now"] = 200.0
memory.store("The bridge is out.")
MemoryServer.rollback_to(150.0)
print(memory.get_recent(1)[0]["document"])  # -> The bridge is safe.
""",
    "MemoryServer.set_clock": """
var seconds_played := 3600.0
MemoryServer.set_clock(func() -> float: return seconds_played)
var id: String = memory.store("The bell rang.")
print(memory.get_memory(id)["metadata"]["timestamp"])  # -> 3600.0
""",
    "MemoryServer.preload": """
var is_ready: bool = await MemoryServer.preload().completed  # -> true
""",
    "MemoryServer.register_names": """
MemoryServer.register_names(PackedStringArray(["Thornhaven", "Iron Hollow", "Rowan"]))
""",
    "MemoryServer.npc": """
MemoryServer.npc("smith").store("The forge burned down.", 8)
print(MemoryServer.npc("smith").get_memory_count())  # -> 1
""",
    "MemoryServer.health": """
var health: Dictionary = MemoryServer.health()
print(health["state"], " ", health.get("model", "no model yet"))
""",
    "MemoryServer.runtime_failed": """
MemoryServer.runtime_failed.connect(func(error: String) -> void: push_error(error))
""",
    "MemoryRequest.completed": """
var request: MemoryRequest = memory.store_async("It rained.")
request.completed.connect(func(id: Variant) -> void: print("stored as ", id))
await request.completed
print(request.get_error() == "")  # -> true
""",
    "MemoryRequest.cancel": """
var request: MemoryRequest = memory.retrieve_scored_async("What happened?")
request.cancel()
var memories: Array = await request.completed
if request.get_error():
    print("Given up; there are no memories: ", memories.is_empty())
""",
    "MemoryConfig.get_tier_for_event": """
print(config.get_tier_for_event("betrayal", 5))  # -> 0
print(config.get_tier_for_event("conversation", 8))  # -> 1
print(config.get_tier_for_event("conversation", 4))  # -> 2
""",
    "MemoryConfig.validate_interaction_type": """
print(config.validate_interaction_type("gift_given"))  # -> gift_given
print(config.validate_interaction_type("present given"))  # -> casual_conversation
""",
    "MemoryConfig.clamp_relationship_deltas": """
var clamped: Dictionary = config.clamp_relationship_deltas({"trust_change": 80, "fear_change": -3})
print(clamped["trust_change"])  # -> 15
print(clamped["fear_change"])  # -> -3
""",
    "MemoryConfig.wording": """
config.wording = {"player_told_me": "The stranger told me: {message}"}
memory.config = config
memory.store_conversation("player", "Good evening.")
print(memory.get_recent(1)[0].document_full)  # -> The stranger told me: Good evening.
""",
    "MemoryConfig.get_interaction_type_constraint_prompt": """
var system_prompt: String = "You are Mira.\\n" + config.get_interaction_type_constraint_prompt()
""",
    "MemoryConfig.get_superseded_event_type": """
print(config.get_superseded_event_type("promise_broken"))  # -> promise_made
print(config.get_superseding_event_type("promise_made"))  # -> promise_broken
""",
    "MemoryServer.get_activity": """
mind.perceive({"action": "gifted", "source_id": "player", "source_name": "Rowan"})
var activity: Dictionary = MemoryServer.get_activity()
for npc_id: String in activity["minds"]:
    print(npc_id, ": ", activity["minds"][npc_id]["emotion"]["mood"])
""",
    "NPCMind.perceive": """
var event := {
    "action": "gifted",
    "description": "Rowan gave me a warm cloak.",
    "source_id": "player",
    "source_name": "Rowan",
}
var felt: Dictionary = mind.perceive(event)
print(felt["kind"])  # -> episode
print(felt["disposition"]["feeling"])  # -> friendly
print(felt["emotion"]["mood"])  # -> grateful
print(memory.get_memory(felt["memory_id"])["document"])  # -> Rowan gave me a warm cloak.
""",
    "NPCMind.get_interactions": """
mind.perceive({"action": "waved", "source_id": "player"})
mind.perceive({"action": "spoke", "source_id": "player", "content": "You idiot!"})
for interaction: Dictionary in mind.get_interactions("player", 3):
    print(interaction["action"], ": ", interaction["sentiment"])
""",
    "NPCMind.analyze_sentiment": """
print(mind.analyze_sentiment("Thank you, my friend!") > 0)  # -> true
print(mind.analyze_sentiment("", "attacked"))  # -> -30
""",
    "NPCMind.reflect": """
for gift: String in ["bread", "a cloak", "a lantern"]:
    var event := {"action": "gifted", "source_id": "player", "source_name": "Rowan"}
    event["description"] = "Rowan gave me %s." % gift
    mind.perceive(event)
for id: String in mind.reflect(true):
    var insight: Dictionary = memory.get_memory(id)
    print(insight["document"], " ", insight["metadata"]["evidence"].size())
""",
    "NPCMind.get_importance_since_reflection": """
mind.perceive({"action": "attacked", "source_id": "bandit"})
print(mind.get_importance_since_reflection())  # -> 0.8
""",
    "NPCMind.learn_fact": """
var id: String = mind.learn_fact("Wolves are dangerous at night.", {"importance": 6})
print(memory.get_memory(id)["metadata"]["kind"])  # -> fact
""",
    "NPCMind.get_facts": """
mind.learn_fact("Wolves are dangerous at night.")
mind.learn_fact("The mill belongs to Tobias.")
print(mind.get_facts("wolves").size())  # -> 1
""",
    "NPCMind.get_disposition": """
mind.perceive({"action": "helped", "source_id": "player", "source_name": "Rowan"})
var felt: Dictionary = mind.get_disposition("player")
print(felt["feeling"])  # -> neutral
print(felt["strength"])  # -> 65.0
""",
    "NPCMind.get_dispositions": """
mind.adjust_disposition("player", 30.0)
var felt: Dictionary = mind.get_dispositions()
for character_id: String in felt:
    print(character_id, ": ", felt[character_id]["feeling"])
""",
    "NPCMind.adjust_disposition": """
var felt: Dictionary = mind.adjust_disposition("player", 25.0, "paid my debts")
print(felt["feeling"])  # -> friendly
print(felt["reason"])  # -> paid my debts
""",
    "NPCMind.get_emotion": """
mind.perceive({"action": "threatened", "source_id": "bandit"})
var felt: Dictionary = mind.get_emotion()
print(felt["mood"])  # -> afraid
""",
    "NPCMind.feel": """
mind.feel("sad", 60.0, "the news from home", 3600.0)
print(mind.get_emotion()["mood"])  # -> sad
""",
    "NPCMind.build_listener_context": """
mind.perceive({"action": "helped", "source_id": "player", "source_name": "Rowan"})
var context: Dictionary = mind.build_listener_context(PackedStringArray(["player", "kael"]), line)
print(context["listeners"].size())  # -> 2
print("Rowan" in context["text"])  # -> true
""",
    "NPCMind.set_nearby": """
mind.set_nearby(PackedStringArray(["elena", "tobias"]))
print(mind.get_nearby().size())  # -> 2
""",
}

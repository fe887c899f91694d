"""The GDScript examples of the F1 help of WorldMemory and its configs, by "Class.member"."""

from __future__ import annotations

WORLD_EXAMPLES = {
    "WorldMemory.register_character": """
WorldMemory.register_character("mira", {
    "name": "Mira",
    "occupation": "innkeeper",
    "faction": "guild",
    "location": "inn",
    "traits": ["curious", "brave"],
})
WorldMemory.register_character("mira", {"location": "mill"})  # The rest stays as it was.
print(WorldMemory.get_character("mira").location)  # -> mill
""",
    "WorldMemory.list_characters": """
WorldMemory.register_character("tobias", {"name": "Tobias", "location": "smithy"})
for character: Dictionary in WorldMemory.list_characters({"location": "smithy"}):
    print(character.name)  # -> Tobias
""",
    "WorldMemory.record_event": """
WorldMemory.register_character("hanna", {"name": "Hanna", "faction": "river"})
WorldMemory.record_event({
    "event_type": "bridge_burned",
    "title": "The bridge burned",
    "summary": "Bandits burned the bridge over the Elm at night.",
    "actor_faction": "river",
    "importance": 8,
    "visibility": "faction",
})
var known: Array = WorldMemory.search_events("hanna", "What happened to the bridge?")
print(known[0].title)  # -> The bridge burned
""",
    "WorldMemory.record_events": """
var ids: PackedStringArray = WorldMemory.record_events([
    {"title": "First snow", "summary": "It snowed for the first time this winter.", "visibility": "global"},
    {"title": "A wedding", "summary": "Two millers married.", "location": "mill", "visibility": "local"},
])
print(ids.size())  # -> 2
""",
    "WorldMemory.get_events": """
WorldMemory.record_event({"title": "Market", "summary": "A market was held.", "event_type": "market"})
print(WorldMemory.get_events({"event_type": "market"})[0].title)  # -> Market
""",
    "WorldMemory.search_events": """
WorldMemory.record_event({
    "title": "A secret meeting",
    "summary": "Two captains met in the old tower.",
    "known_by": ["varn"],
    "visibility": "private",
})
print(WorldMemory.search_events("varn", "Who met in the tower?").size())  # -> 1
print(WorldMemory.search_events("nobody_told", "Who met in the tower?").size())  # -> 0
""",
    "WorldMemory.spread_rumor": """
WorldMemory.register_character("kael", {"name": "Kael"})
var id: String = WorldMemory.record_event({
    "title": "Gold",
    "summary": "Gold was found in the hills.",
    "visibility": "rumor",
})
WorldMemory.spread_rumor(id, "kael")
print(WorldMemory.search_events("kael", "gold")[0].text)  # -> I heard ...
""",
    "WorldMemory.set_flags": """
WorldMemory.set_flags({"gate_open": true})
print(WorldMemory.get_flags().gate_open)  # -> true
""",
    "WorldMemory.export_json": """
WorldMemory.register_character("mira", {"name": "Mira"})
var text: String = WorldMemory.export_json()
MemoryServer.open_save("another game")
print(WorldMemory.import_json(text) > 0)  # -> true
print(WorldMemory.get_character("mira")["name"])  # -> Mira
""",
    "WorldMemory.import_lore": """
var told: Dictionary = WorldMemory.import_lore("# The mill\\n\\nThe mill was built by Aldo.", {"key": "mill"})
print(told.chunks)  # -> 1
print(WorldMemory.search_lore("Who built the mill?", {"sources": ["mill"]})[0].text)  # -> The mill was ...
""",
    "WorldMemory.search_lore": """
WorldMemory.import_lore("# Elm\\n\\nThe river Elm freezes in winter. #river", {"key": "rivers"})
for chunk: Dictionary in WorldMemory.search_lore("Which river freezes?", {"tags": ["river"], "limit": 1}):
    print(chunk.heading_path)  # -> ["Elm"]
""",
    "WorldMemory.list_lore": """
WorldMemory.import_lore("# Songs\\n\\nThe miners sing at night.", {"key": "songs"})
for lore: Dictionary in WorldMemory.list_lore():
    print(lore.key, ": ", lore.chunks)
""",
    "WorldMemory.set_active_lore": """
WorldMemory.import_lore("# North\\n\\nSnow lies there all year.", {"key": "north"})
WorldMemory.set_active_lore(["north"])
""",
    "WorldMemory.remove_lore": """
WorldMemory.import_lore("# Draft\\n\\nNobody is to read this.", {"key": "draft"})
print(WorldMemory.remove_lore("draft") == OK)  # -> true
""",
    "WorldMemory.ensure_profile": """
WorldMemory.register_character("ida", {"name": "Ida", "occupation": "smith", "traits": ["proud"]})
var profile: Dictionary = await WorldMemory.ensure_profile_async("ida").completed
print(profile.backstory, " ", profile.speech_style)
""",
    "WorldMemory.set_profile": """
WorldMemory.set_profile("bjorn", {"speech_style": "Speaks slowly, in short sentences."})
print(WorldMemory.get_profile("bjorn").speech_style)  # -> Speaks slowly, in short sentences.
""",
    "WorldMemory.add_task": """
var id: String = WorldMemory.add_task({
    "assignee": "tobias",
    "issuer": "player",
    "summary": "Mend the roof of the inn.",
    "priority": 7,
    "status": "active",
})
WorldMemory.update_task(id, "completed", {"summary": "The roof is dry again."})
print(WorldMemory.get_tasks({"assignee": "tobias"})[0].status)  # -> completed
""",
    "WorldMemory.get_tasks": """
WorldMemory.add_task({"assignee": "hanna", "summary": "Guard the bridge.", "status": "active"})
for task: Dictionary in WorldMemory.get_tasks({"involves": "hanna", "status": "active"}):
    print(task.summary)  # -> Guard the bridge.
""",
    "WorldMemory.record_debate": """
WorldMemory.set_profile("varn", {"loyalties": ["the Duke"]})
WorldMemory.record_debate({"topic": "Taxes for the Duke", "participants": ["varn", "aldric"]})
print(WorldMemory.search_debates("taxes")[0].positions)  # -> { "varn": "for", "aldric": "undecided" }
""",
    "WorldMemory.search_debates": """
WorldMemory.record_debate({
    "topic": "A new well",
    "participants": ["gregor", "elena"],
    "outcome": "They will dig behind the smithy.",
})
print(WorldMemory.search_debates("Where is the well?", {"npc_id": "elena"})[0].outcome)  # -> They will ...
""",
    "RAGMemory.store_turn": """
memory.store_turn("I promise to mend your roof.", "Thank you. I will hold you to that.")
for turn: Dictionary in memory.get_turns(4):
    print(turn.player_message, " / ", turn.npc_message)
""",
    "RAGMemory.extract_facts": """
var facts: Array = memory.extract_facts("My name is Rowan.", "Well met.")
print(facts.size())  # -> 1
""",
    "MemoryServer.task_validator": """
MemoryServer.task_validator = func(request: Dictionary) -> Dictionary:
    var is_possible: bool = request.task.assignee != "player"
    return {"accepted": is_possible, "reason": "" if is_possible else "Only the player decides that."}
var id: String = WorldMemory.add_task({"assignee": "player", "summary": "Pay my rent."})
print(WorldMemory.get_tasks({"assignee": "player"})[0].status)  # -> rejected
MemoryServer.task_validator = Callable()
""",
}

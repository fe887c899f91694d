"""The GDScript examples of the F1 help of MemoryWorld and its configs, by "Class.member"."""

from __future__ import annotations

WORLD_EXAMPLES = {
    "MemoryWorld.register_character": """
MemoryWorld.register_character("mira", {
    "name": "Mira",
    "occupation": "innkeeper",
    "faction": "guild",
    "location": "inn",
    "traits": ["curious", "brave"],
})
MemoryWorld.register_character("mira", {"location": "mill"})  # The rest stays as it was.
print(MemoryWorld.get_character("mira").location)  # -> mill
""",
    "MemoryWorld.list_characters": """
MemoryWorld.register_character("tobias", {"name": "Tobias", "location": "smithy"})
for character: Dictionary in MemoryWorld.list_characters({"location": "smithy"}):
    print(character.name)  # -> Tobias
""",
    "MemoryWorld.record_event": """
MemoryWorld.register_character("hanna", {"name": "Hanna", "faction": "river"})
MemoryWorld.record_event({
    "event_type": "bridge_burned",
    "title": "The bridge burned",
    "summary": "Bandits burned the bridge over the Elm at night.",
    "actor_faction": "river",
    "importance": 8,
    "visibility": "faction",
})
var matches: Array = MemoryWorld.search_events("hanna", "What happened to the bridge?")
print(matches[0].title)  # -> The bridge burned
""",
    "MemoryWorld.record_events": """
var ids: PackedStringArray = MemoryWorld.record_events([
    {"title": "First snow", "summary": "It snowed for the first time this winter.", "visibility": "global"},
    {"title": "A wedding", "summary": "Two millers married.", "location": "mill", "visibility": "local"},
])
print(ids.size())  # -> 2
""",
    "MemoryWorld.get_events": """
MemoryWorld.record_event({"title": "Market", "summary": "A market was held.", "event_type": "market"})
print(MemoryWorld.get_events({"event_type": "market"})[0].title)  # -> Market
""",
    "MemoryWorld.search_events": """
MemoryWorld.record_event({
    "title": "A secret meeting",
    "summary": "Two captains met in the old tower.",
    "known_by": ["varn"],
    "visibility": "private",
})
print(MemoryWorld.search_events("varn", "Who met in the tower?").size())  # -> 1
print(MemoryWorld.search_events("nobody_told", "Who met in the tower?").size())  # -> 0
""",
    "MemoryWorld.spread_rumor": """
MemoryWorld.register_character("kael", {"name": "Kael"})
var id: String = MemoryWorld.record_event({
    "title": "Gold",
    "summary": "Gold was found in the hills.",
    "visibility": "rumor",
})
MemoryWorld.spread_rumor(id, "kael")
print(MemoryWorld.search_events("kael", "gold")[0].text)  # -> I heard ...
""",
    "MemoryWorld.set_flags": """
MemoryWorld.set_flags({"gate_open": true})
print(MemoryWorld.get_flags().gate_open)  # -> true
""",
    "MemoryWorld.export_json": """
MemoryWorld.register_character("mira", {"name": "Mira"})
var text: String = MemoryWorld.export_json()
MemoryServer.open_save("another game")
print(MemoryWorld.import_json(text) > 0)  # -> true
print(MemoryWorld.get_character("mira")["name"])  # -> Mira
""",
    "MemoryWorld.import_file": """
var book: Dictionary = {"entries": [{"keys": ["oak"], "content": "The oldest oak is hollow."}]}
var card: Dictionary = {
    "spec": "chara_card_v2",
    "data": {"name": "Sera", "description": "{{char}} guards the glade.", "character_book": book},
}
# Usually a file: MemoryWorld.import_file("res://cards/sera.png")
var result: Dictionary = MemoryWorld.import_file(JSON.stringify(card))
var sera := NPCPersonality.from_data(result.personality as Dictionary)
print(sera.background)  # -> Sera guards the glade.
var hits: Array = MemoryWorld.search_lore("Which oak is hollow?", {"known_to": "sera"})
print(hits[0].text)  # -> The oldest oak is hollow.
""",
    "MemoryWorld.import_lore": """
var lore: Dictionary = MemoryWorld.import_lore("# The mill\\n\\nThe mill was built by Aldo.", {"key": "mill"})
print(lore.chunks)  # -> 1
print(MemoryWorld.search_lore("Who built the mill?", {"sources": ["mill"]})[0].text)  # -> The mill was ...
""",
    "MemoryWorld.search_lore": """
MemoryWorld.import_lore("# Elm\\n\\nThe river Elm freezes in winter. #river", {"key": "rivers"})
for chunk: Dictionary in MemoryWorld.search_lore("Which river freezes?", {"tags": ["river"], "limit": 1}):
    print(chunk.heading_path)  # -> ["Elm"]
""",
    "MemoryWorld.list_lore": """
MemoryWorld.import_lore("# Songs\\n\\nThe miners sing at night.", {"key": "songs"})
for lore: Dictionary in MemoryWorld.list_lore():
    print(lore.key, ": ", lore.chunks)
""",
    "MemoryWorld.set_active_lore": """
MemoryWorld.import_lore("# North\\n\\nSnow lies there all year.", {"key": "north"})
MemoryWorld.set_active_lore(["north"])
""",
    "MemoryWorld.remove_lore": """
MemoryWorld.import_lore("# Draft\\n\\nNobody is to read this.", {"key": "draft"})
print(MemoryWorld.remove_lore("draft") == OK)  # -> true
""",
    "MemoryWorld.ensure_profile": """
MemoryWorld.register_character("ida", {"name": "Ida", "occupation": "smith", "traits": ["proud"]})
var profile: Dictionary = await MemoryWorld.ensure_profile_async("ida").completed
print(profile.backstory, " ", profile.speech_style)
""",
    "MemoryWorld.set_profile": """
MemoryWorld.set_profile("bjorn", {"speech_style": "Speaks slowly, in short sentences."})
print(MemoryWorld.get_profile("bjorn").speech_style)  # -> Speaks slowly, in short sentences.
""",
    "MemoryWorld.add_task": """
var id: String = MemoryWorld.add_task({
    "assignee": "tobias",
    "issuer": "player",
    "summary": "Mend the roof of the inn.",
    "priority": 7,
    "status": "active",
})
MemoryWorld.update_task(id, "completed", {"summary": "The roof is dry again."})
print(MemoryWorld.get_tasks({"assignee": "tobias"})[0].status)  # -> completed
""",
    "MemoryWorld.get_tasks": """
MemoryWorld.add_task({"assignee": "hanna", "summary": "Guard the bridge.", "status": "active"})
for task: Dictionary in MemoryWorld.get_tasks({"involves": "hanna", "status": "active"}):
    print(task.summary)  # -> Guard the bridge.
""",
    "MemoryWorld.record_debate": """
MemoryWorld.set_profile("varn", {"loyalties": ["the Duke"]})
MemoryWorld.record_debate({"topic": "Taxes for the Duke", "participants": ["varn", "aldric"]})
print(MemoryWorld.search_debates("taxes")[0].positions)  # -> { "varn": "for", "aldric": "undecided" }
""",
    "MemoryWorld.search_debates": """
MemoryWorld.record_debate({
    "topic": "A new well",
    "participants": ["gregor", "elena"],
    "outcome": "They will dig behind the smithy.",
})
print(MemoryWorld.search_debates("Where is the well?", {"npc_id": "elena"})[0].outcome)  # -> They will ...
""",
    "RAGMemory.store_turn": """
memory.store_turn("I promise to mend your roof.", "Thank you. I will hold you to that.")
for turn: Dictionary in memory.get_turns(4):
    print(turn.player_message, " / ", turn.npc_message)
""",
    "RAGMemory.extract_memories": """
var memories: Array = memory.extract_memories("My name is Rowan.", "Well met.")
print(memories.size())  # -> 1
""",
    "MemoryServer.task_validator": """
MemoryServer.task_validator = func(request: Dictionary) -> Dictionary:
    var is_possible: bool = request.task.assignee != "player"
    return {"accepted": is_possible, "reason": "" if is_possible else "Only the player decides that."}
var id: String = MemoryWorld.add_task({"assignee": "player", "summary": "Pay my rent."})
print(MemoryWorld.get_tasks({"assignee": "player"})[0].status)  # -> rejected
MemoryServer.task_validator = Callable()
""",
}

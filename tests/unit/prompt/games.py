"""Six moments of six games, for whole prompts that are read: tests/golden/writer_*.txt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory import Npc, Save
from rag_memory.text.file_text import FileText

DAY, HOUR = 86400.0, 3600.0
SetClock = Callable[[float], None]


def personality(**fields: Any) -> dict[str, Any]:
    return {"class": "NPCPersonality", "values": fields}


def mind_of(npc: Npc, *nearby: str) -> dict[str, Any]:
    return {"class": "NPCMind", "values": {"npc_id": npc.npc_id, "nearby": list(nearby), "config": None}}


def first_meeting(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A stranger in a space station's bar."""
    set_clock(3 * DAY + 20 * HOUR)
    npc = save.npc("okoro")
    npc.memories.store("The airlock on deck nine has been leaking for a month.", 4, {"timestamp": 1 * DAY})
    npc.memories.store("Chief Vance docked my pay because I was late.", 6, {"timestamp": 2 * DAY})
    options = {
        "personality": personality(
            npc_id="okoro", display_name="Okoro", role="barkeeper of the Long Dark",
            background="Okoro came aboard as a stowaway and never left.",
            anchors=["You have never set foot on a planet."], traits=["dry", "watchful"],
            goals=["to buy the bar"], extraversion=0.2, speech_style="Few words.",
            schedule=[{"from": 18, "to": 2, "activity": "polishing glasses", "location": "the bar"}],
        ),
        "world_knowledge": {"class": "NPCWorldKnowledge", "values": {
            "npc_names": {"okoro": "Okoro", "vance": "Chief Vance"},
            "facts": [{"id": "lift", "text": "The lift to deck nine is out of order."}],
            "establishments": [{"id": "bar", "name": "Long Dark", "kind": "bar", "owner": "okoro"}],
        }},
        "world_state": {"station_time": "20:00", "is_power_failing": True, "docked_ships": 3},
        "location": "long_dark_bar",
    }  # fmt: skip
    return npc.prompts.build_prompt("greeting", "", options)


def old_friend(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A smith who has known the player for a year."""
    npc = save.npc("hild")
    story = (
        (1, "first_meeting", 7, "I met the player for the first time."),
        (9, "gift_received", 7, "The player gave me a gift: a whetstone from Varr."),
        (40, "saved_life", 10, "The player pulled me out of the burning forge."),
        (41, "conversation", 5, 'The player said: "Rest now." I answered: "The iron will not wait."'),
        (120, "promise_made", 8, "The player made me a promise: to find my brother Osk."),
        (300, "promise_kept", 8, "The player found my brother Osk alive."),
    )
    for day, event_type, importance, text in story:
        npc.memories.store(text, importance, {"event_type": event_type, "timestamp": day * DAY})
    for day in range(310, 360, 5):
        npc.memories.store(
            f"The player bought {day % 7 + 2} nails and asked after my brother.", 3, {"timestamp": day * DAY}
        )
    set_clock(365 * DAY + 9 * HOUR)
    npc.conversation.store_turn("Morning, Hild!", "You are up early.", {"memories": []})
    options = {
        "personality": personality(
            npc_id="hild", display_name="Hild", role="the smith of Ravenford",
            secrets=[{"id": "blade", "secret": "She forged the blade that killed the old king.",
                      "unlock_trust": 70}],
            agreeableness=0.8, values=["a debt paid", "good iron"],
        ),
        "relationship": {"trust": 88, "affection": 70, "fear": 0, "respect": 75, "familiarity": 85},
        "world_state": {"time": "morning"},
    }  # fmt: skip
    return npc.prompts.build_prompt("line", "How is Osk? And do you still have that whetstone?", options)


def enemy(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A captain whom the player has betrayed."""
    set_clock(20 * DAY)
    npc = save.npc("varga")
    mind = npc.mind
    for day, action, content in (
        (12, "betrayed", ""), (13, "threatened", "I will burn your ship."), (18, "stole", ""),
    ):  # fmt: skip
        set_clock(day * DAY)
        event = {"action": action, "source_id": "player", "source_name": "Rook"}
        mind.perceive(event | ({"content": content} if content else {}))
    npc.memories.store(
        "The player sold my route to the navy.", 9, {"event_type": "betrayal", "timestamp": 12 * DAY}
    )
    set_clock(20 * DAY + 14 * HOUR)
    options = {
        "personality": personality(npc_id="varga", display_name="Captain Varga", role="a smuggler"),
        "relationship": {"trust": -60, "affection": -55, "fear": 45, "respect": 10, "familiarity": 50},
        "listeners": ["player"],
        "mind": mind_of(npc),
    }  # fmt: skip
    return npc.prompts.build_prompt("line", "Captain! Pass me the rum.", options)


def three_listeners(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A mother superior before a friend, an enemy and a stranger, with a novice in the room."""
    npc = save.npc("abbess")
    events: tuple[tuple[int, Mapping[str, Any]], ...] = (
        (2, {"action": "gifted", "source_id": "aldo", "source_name": "Brother Aldo",
             "content": "candles"}),
        (4, {"action": "insulted", "source_id": "baron_x", "source_name": "the Baron"}),
        (5, {"action": "insulted", "source_id": "baron_x", "source_name": "the Baron"}),
        (6, {"action": "spoke", "source_id": "aldo", "source_name": "Brother Aldo", "secret": True,
             "content": "The relic is a pig's bone."}),
    )  # fmt: skip
    for day, event in events:
        set_clock(day * DAY)
        npc.mind.perceive(event)
    set_clock(7 * DAY + 6 * HOUR)
    options = {
        "personality": personality(npc_id="abbess", display_name="Abbess Ita", forbidden_phrases=["okay"]),
        "listeners": ["aldo", "baron_x", "player"],
        "mind": mind_of(npc, "novice_7"),
        "recent_turns": [
            {"speaker": "the Baron", "text": "Show us the relic."},
            {"speaker": "npc", "text": "It is at prayer."},
        ],
    }
    return npc.prompts.build_prompt("reaction", "The chapel door falls off its hinges.", options)


def dossier(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A harbour master with tasks, lore and news, in a game with factions."""
    set_clock(50 * DAY + 12 * HOUR)
    npc = save.npc("npc_017")
    world = save.world
    world.characters.register_character(
        "npc_017", {"name": "Dara", "occupation": "harbour master", "faction": "harbour_guild",
                    "location": "Saltmouth", "traits": ["strict", "honest"]}
    )  # fmt: skip
    world.characters.register_character("npc_022", {"name": "Teodor", "faction": "harbour_guild"})
    world.events.record_event(
        {"summary": "A grain ship sank in the mouth of the harbour.", "day": 48, "location": "Saltmouth"}
    )
    world.tasks.add_task(
        {"id": "t1", "assignee": "npc_017", "issuer": "npc_022",
         "summary": "Clear the wreck before the tide.",
         "due_day": 52, "status": "active"}
    )  # fmt: skip
    world.lore.import_lore(FileText("# Tides\n\nThe great tide comes every fifty days."), {"key": "tides"})
    npc.memories.store("The player carried a drowned sailor ashore.", 7, {"timestamp": 48 * DAY})
    npc.memories.store("A grain ship sank in the mouth of the harbour.", 6, {"timestamp": 48 * DAY})
    options = {
        "personality": personality(
            npc_id="npc_017", display_name="Dara", role="harbour master of Saltmouth",
            values=["order", "an honest ledger"], fears=["a great tide"],
        ),
        "dossier": True,
        "world_state": {"time": "noon", "weather": "fog"},
        "location": "Saltmouth",
    }  # fmt: skip
    return npc.prompts.build_prompt("line", "What about the wreck? Is there a tide coming?", options)


def after_40_hours(save: Save, set_clock: SetClock) -> dict[str, Any]:
    """A farmer of a life simulation whom the player has visited nearly every day of two years."""
    npc = save.npc("pip")
    crops = ("parsnips", "leeks", "melons", "corn")
    for day in range(1, 224):
        at = {"timestamp": day * DAY + 8 * HOUR}
        if day % 2:
            npc.memories.store(f"The player gave me {crops[day % 4]}.", 4, {"event_type": "gift", **at})
        if day % 3 == 0:
            npc.memories.store("The player watered my garden with me.", 3, at)
        if day % 7 == 0:
            npc.memories.store('The player told me: "Good morning, Pip!"', 2, at)
    npc.memories.store("The player told me their name: Sam.", 10,
                       {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name",
                        "timestamp": 1 * DAY})  # fmt: skip
    npc.memories.store("The player forgot my birthday.", 6, {"timestamp": 100 * DAY})
    npc.memories.store("The player danced with me at the harvest fair.", 8, {"timestamp": 180 * DAY})
    set_clock(224 * DAY + 8 * HOUR)
    options = {
        "personality": personality(npc_id="pip", display_name="Pip", role="a farmer", interests=["melons"]),
        "relationship": {"trust": 65, "affection": 60, "fear": 0, "respect": 50, "familiarity": 90},
        "world_state": {"season": "autumn", "weather": "clear", "festival_tomorrow": False},
    }
    return npc.prompts.build_prompt("line", "Will you come to the fair with me again?", options)


GAMES = {
    game.__name__: game
    for game in (first_meeting, old_friend, enemy, three_listeners, dossier, after_40_hours)
}

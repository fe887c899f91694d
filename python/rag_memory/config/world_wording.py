"""The sentences about the world; config/sentences.py has them in its table."""

from __future__ import annotations

from collections.abc import Mapping

WORLD_GROUPS: Mapping[str, Mapping[str, str]] = {
    "What is told of the world (MemoryWorld)": {
        "rumor_heard": "I heard that this happened: {event}",
        "rumor_heard_from": "I heard from {teller} that this happened: {event}",
        "relationship_better": "{npc} has begun to think much better of {other}.",
        "relationship_worse": "{npc} has begun to think much worse of {other}.",
    },
    "Facts of a conversation (RAGMemory.store_turn)": {
        "fact_promise": 'The player promised me: "{message}"',
        "fact_own_promise": 'I promised the player: "{message}"',
        "fact_gift": 'The player gave me a gift: "{message}"',
        "fact_own_gift": 'I gave the player a gift: "{message}"',
        "fact_rest": 'The player still owes me {amount}: "{message}"',
        "fact_own_rest": 'I still owe the player {amount}: "{message}"',
    },
}

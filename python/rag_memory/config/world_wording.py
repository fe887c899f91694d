"""The sentences about the world; config/sentences.py has them in its table."""

from __future__ import annotations

from collections.abc import Mapping

WORLD_GROUPS: Mapping[str, Mapping[str, str]] = {
    "What is told of the world (MemoryWorld)": {
        "rumor_heard": "I heard that this happened: {event}",
        "relationship_better": "{npc} has begun to think much better of {other}.",
        "relationship_worse": "{npc} has begun to think much worse of {other}.",
    },
    "Facts of a conversation (RAGMemory.store_turn)": {
        "fact_promise_to": "The player promised to {act}.",
        "fact_promise_not_to": "The player promised not to {act}.",
        "fact_promise_that": "The player promised that {clause}.",
        "fact_promise_kept": "The player kept a promise to me.",
        "fact_promise_broken": "The player broke a promise to me.",
        "fact_own_promise_to": "I promised the player to {act}.",
        "fact_own_promise_not_to": "I promised the player not to {act}.",
        "fact_own_promise_that": "I promised the player that {clause}.",
        "fact_own_gift": "I gave the player a gift: {gift}.",
        "fact_debt": "The player owes me {debt}.",
        "fact_debt_paid": "The player paid back what they owed me.",
        "fact_own_debt": "I owe the player {debt}.",
        "fact_own_debt_paid": "I paid back what I owed the player.",
        "fact_plan": "The player plans to {act}.",
        "fact_own_plan": "I plan to {act}, and told the player.",
        "fact_lives": "The player lives {place}.",
        "fact_comes_from": "The player comes from {place}.",
        "fact_stays": "The player is staying {place}.",
        "fact_works": "The player works {place}.",
        "fact_find": "The player can be found {place}.",
        "fact_place": "The player told me where something is: {statement}.",
        "fact_own_place": "I told the player where something is: {statement}.",
    },
}

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
        "fact_question": 'The player asked me, and I could not say: "{message}"',
        "fact_own_question": 'I asked the player, and got no answer: "{message}"',
    },
    "What is open between people (MemoryWorld.get_open_matters); {by} is the one who has to act": {
        "matter_promise": '{by} promised {to}: "{message}"',
        "matter_debt": '{by} owes {to} something: "{message}"',
        "matter_debt_of": '{by} owes {to} {amount}: "{message}"',
        "matter_threat": '{by} threatened {to}: "{message}"',
        "matter_appointment": '{by} arranged with {to}: "{message}"',
        "matter_question": '{to} asked {by}: "{message}"',
        "matter_task": "{by} is to do this for {to}: {message}",
        "matter_own_task": "{by} is to do this: {message}",
        "matter_remembered": '{npc} remembers: "{message}"',
        "still_open": "Still open: {matter}",
        "due_on": "It is due on {date}.",
        "overdue_promise": "It was due {when} and has not been done.",
        "overdue_debt": "It was due {when} and has not been paid.",
        "overdue_threat": "That was to happen {when}.",
        "overdue_appointment": "The time for it was {when}.",
        "overdue_question": "An answer was due {when}.",
        "overdue_task": "It was due {when} and has not been done.",
    },
}

"""Three NPCs with a past, and 30 lines of players with what a good answer is; written before the code that
answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rag_memory import Npc

DAY = 86400.0


class Line(NamedTuple):
    """A line of the player and the answers that are good."""

    said: str
    kinds: str
    """The kinds of answer that fit."""
    memories: tuple[str, ...] = ()
    """Texts of which an answer from memory has to hold `least`."""
    forbidden: tuple[str, ...] = ()
    least: int = 1


class Character(NamedTuple):
    """An NPC, what its memory holds, and what a player says to it in one visit."""

    npc_id: str
    live: Callable[[Npc, float], None]
    lines: tuple[Line, ...]


def friend(npc: Npc, now: float) -> None:
    """An innkeeper who owes the player her life."""
    memories, perceive = npc.memories, npc.mind.perceive
    memories.store(
        "The player saved my life when the cellar flooded.",
        10,
        {"event_type": "life_saved", "timestamp": now - 40 * DAY},
    )
    memories.store(
        "The player told me their name: Captain Rowan Ashdown.",
        9,
        {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"},
    )
    perceive(
        {
            "action": "gifted",
            "description": "The player gave me a wool scarf for the winter.",
            "source_id": "player",
            "source_name": "Rowan",
        }
    )
    perceive(
        {"action": "gifted", "content": "For you, Hanna.", "source_id": "player", "source_name": "Rowan"}
    )
    memories.store_player_action("promise_made", "promised to mend the stable door")
    memories.store_player_action("promise_kept", "mended the stable door, as promised")
    memories.store_player_action("promise_made", "promised to bring me firewood before the first snow")
    npc.conversation.store_turn("I owe you 12 silver for the room.", "Pay when you can.")
    npc.conversation.store_turn("I hid the map under the third stair.", "It is safe there.")
    memories.store("My brother Tomas left for the coast after our quarrel.", 6)
    memories.store("I gave the player the room above the stable and never asked for a coin.", 6)
    memories.store_npc_awareness("Edda", "Edda the healer has gone to the marsh for herbs.")
    memories.store_witnessed_event("The mill burned down in the night.")
    memories.store_quest_memory("lost_ring", "completed")
    memories.store(
        "The player and I buried the tax collector's purse in the orchard.",
        9,
        {"secret": True, "known_to": ["edda"]},
    )
    npc.relationship.store_relationship("player", {"trust": 70, "affection": 65, "familiarity": 60})


def stranger(npc: Npc, now: float) -> None:
    """A ferryman who has never met the player."""
    memories = npc.memories
    memories.store("The river took my boat in the spring flood, and the guild lent me this one.", 6)
    memories.store("A woman in a green cloak crossed at dawn and paid with a gold coin.", 5)
    memories.store("My daughter Lise keeps the toll house on the north bank.", 6)
    memories.store("Wolves come down to the ford in winter.", 4, {"event_type": "rumor"})
    memories.store_conversation("Brom", "The bridge at Helm is closed until the new moon.")
    npc.mind.reflections.learn_fact("The ferry does not cross after dark.")


def hurt(npc: Npc, now: float) -> None:
    """A smith whom the player has robbed and cheated."""
    memories, perceive = npc.memories, npc.mind.perceive
    memories.store_milestone("first_meeting", "I met the player at the autumn market.")
    npc.conversation.store_turn("My name is Vael.", "Sable. I make swords.")
    memories.store("I forged a sword with a blue hilt for the player.", 6)
    memories.store_player_action("promise_made", "promised to pay for the sword by harvest")
    memories.store_player_action("promise_broken", "never paid for the sword")
    perceive(
        {
            "action": "robbed",
            "description": "The player stole my silver hammer.",
            "source_id": "player",
            "source_name": "Vael",
        }
    )
    perceive(
        {
            "action": "insulted",
            "content": "You hammer like a drunk mule.",
            "source_id": "player",
            "source_name": "Vael",
        }
    )
    memories.store(
        "The player hit my apprentice Nils in front of the whole market.", 9, {"event_type": "attack"}
    )
    memories.store("Nils dreams of leaving for the capital.", 4)
    npc.relationship.store_relationship("player", {"trust": -50, "affection": -40})


CHARACTERS = (
    Character(
        "hanna",
        friend,
        (
            Line("Good evening, Hanna!", "greeting", forbidden=("not met", "stranger")),
            Line("Do you remember what I promised you?", "memory", ("firewood",), ("mended",)),
            Line("Who am I?", "memory", ("Rowan",)),
            Line(
                "What do you remember about me?",
                "memories",
                ("cellar flooded", "scarf", "firewood", "12 silver", "lost ring", "room above", "mended"),
                ("purse", "orchard"),
                least=2,
            ),
            Line("How much do I owe you?", "memory", ("12 silver",)),
            Line("Where did I hide the map?", "memory", ("third stair",)),
            Line("What happened to the mill?", "memory", ("burned down",)),
            Line("Where is Edda?", "memory", ("marsh",)),
            Line("What did we bury in the orchard?", "unknown", forbidden=("purse", "tax")),
            Line("Thank you for everything, my friend. Farewell!", "farewell thanks"),
        ),
    ),
    Character(
        "oskar",
        stranger,
        (
            Line("Hello there.", "greeting", forbidden=("again",)),
            Line("Who are you?", "identity unknown"),
            Line("Do you know me?", "unknown stranger", forbidden=("remember this",)),
            Line("What did I give you?", "unknown", forbidden=("gold coin", "green cloak")),
            Line("Did a woman in a green cloak come through here?", "memory", ("green cloak",)),
            Line("Where is your daughter?", "memory", ("toll house",)),
            Line("Who is the emperor of Sarn?", "unknown"),
            Line("Row me across now, or I will burn your boat!", "threat"),
            Line("My name is Sir Aldous Penn.", "name heard"),
            Line("Is the bridge at Helm open?", "memory", ("closed until the new moon",)),
        ),
    ),
    Character(
        "sable",
        hurt,
        (
            Line("Good morning, Sable.", "greeting", forbidden=("good to see",)),
            Line("I'm sorry for what I did to you.", "apology"),
            Line("You are a stupid old hag.", "insult"),
            Line("What did I steal from you?", "memory", ("silver hammer",)),
            Line("Did I ever pay you for the sword?", "memory", ("never paid",), ("promised to pay",)),
            Line("What's my name?", "memory", ("Vael",)),
            Line("When did we first meet?", "memory", ("autumn market",)),
            Line("How is Nils?", "memory", ("capital", "hit my apprentice")),
            Line("Make me a new axe.", "order", forbidden=("silver hammer",)),
            Line("I killed a bear in the forest yesterday.", "heard", forbidden=("hammer", "Nils")),
        ),
    ),
)

"""The importance of events."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ImportanceSignals:
    """Importance by event type, and what raises it."""

    event_type_importance: dict[str, int] = config_field(
        {
            "conversation": 6,
            "witnessed_event": 7,
            "player_action": 8,
            "quest": 8,
            "quest_started": 8,
            "quest_completed": 8,
            "quest_failed": 8,
            "npc_awareness": 8,
            "milestone": 10,
            "betrayal": 9,
            "saved_life": 9,
            "life_saved": 9,
            "witnessed_kill": 9,
            "romance_confession": 9,
            "secret_revealed": 8,
            "first_meeting": 8,
            "first_gift": 8,
            "first_quest": 8,
            "promise_broken": 8,
            "promise_made": 7,
            "gift_received": 7,
            "gift_given": 7,
            "emotional_support": 7,
            "romantic_gesture": 7,
            "threat_made": 7,
            "secret_shared": 7,
        },
        group="Importance Signals",
        range=(1, 10, 1),
        doc="Importance of an event by its type, before the boosts below are added. Other types have 5.",
    )
    relationship_delta_threshold: int = config_field(
        15,
        group="Importance Signals",
        range=(0, 1000, 1),
        doc="Sum of the changes of trust, affection and fear from which importance_boost_relationship "
        "applies.",
    )
    importance_boost_relationship: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event changed the relationship by relationship_delta_threshold "
        "or more.",
    )
    importance_boost_secret: int = config_field(
        3,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event revealed a secret.",
    )
    importance_boost_obligation: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event created an obligation.",
    )
    importance_boost_quest: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event started, completed or failed a quest.",
    )
    importance_boost_injury: int = config_field(
        3,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event injured an NPC.",
    )
    importance_boost_death: int = config_field(
        4,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance when an event killed an NPC.",
    )

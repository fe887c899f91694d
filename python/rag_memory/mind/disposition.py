"""The disposition of an NPC towards one character: 0 (hates) to 100 (loves), 50 for a stranger."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.config.relationship_scales import DISPOSITION
from rag_memory.memory.game_time import SECONDS_PER_DAY
from rag_memory.memory.interaction import FELT_AT, Interaction

FRIENDLY, NEUTRAL, HOSTILE = "friendly", "neutral", "hostile"
STRANGER = DISPOSITION.usual


class Disposition(NamedTuple):
    """A feeling as it was after the last thing that changed it, at the game time `at`."""

    character_id: str
    name: str
    strength: float
    reason: str
    last_interaction_at: float
    at: float
    known_since: float

    def strength_at(self, config: NPCMindConfig, now: float) -> float:
        """The strength now, when feelings fade."""
        half_life = config.disposition_half_life_days * SECONDS_PER_DAY
        if not half_life or now <= self.at:
            return self.strength
        return STRANGER + (self.strength - STRANGER) * math.exp2((self.at - now) / half_life)

    def described(self, config: NPCMindConfig, now: float) -> dict[str, Any]:
        """As a game gets it."""
        strength = self.strength_at(config, now)
        return {
            "character_id": self.character_id,
            "name": self.name,
            "feeling": feeling_of(config, strength),
            "strength": strength,
            "reason": self.reason,
            "last_interaction_at": self.last_interaction_at,
            "is_known": True,
        }


def disposition_of(entry: Interaction) -> Disposition:
    """Return the disposition after an entry of the log."""
    return Disposition(
        entry.source_id,
        entry.source_name,
        entry.strength,
        entry.reason,
        entry.timestamp,
        entry.details.get(FELT_AT, entry.stored_at),
        entry.known_since,
    )


def stranger(character_id: str) -> dict[str, Any]:
    """The disposition towards somebody the NPC knows nothing of."""
    return {
        "character_id": character_id,
        "name": character_id,
        "feeling": NEUTRAL,
        "strength": STRANGER,
        "reason": "",
        "last_interaction_at": 0.0,
        "is_known": False,
    }


def feeling_of(config: NPCMindConfig, strength: float) -> str:
    """The word for a strength."""
    if strength >= config.friendly_from:
        return FRIENDLY
    return HOSTILE if strength <= config.hostile_to else NEUTRAL


def changed(strength: float, delta: float) -> float:
    """A strength after a change, within its range."""
    return DISPOSITION.limited(strength + delta)

"""The scales of how an NPC stands to somebody: the dimensions of a relationship, and what it feels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Scale(NamedTuple):
    """The range of a number, and its value while nothing has set it."""

    least: float
    most: float
    usual: float

    def limited(self, value: float) -> float:
        """Return the value, or the end of the range that it is beyond."""
        return max(self.least, min(self.most, value))


DIMENSIONS: Mapping[str, Scale] = {
    "trust": Scale(-100, 100, 50),
    "respect": Scale(-100, 100, 30),
    "affection": Scale(-100, 100, 0),
    "fear": Scale(-100, 100, 0),
    "familiarity": Scale(0, 100, 10),
}
"""The dimensions of a relationship, which lasts until the game or a talk changes it."""

DISPOSITION = Scale(0.0, 100.0, 50.0)
"""The strength of a disposition, which every event between the two changes: 0 hates, 100 loves."""

SUSPICION = Scale(0, 100, 10)
"""The suspicion in a profile, which a stranger's trust is less by."""
RELATION_TO_PLAYER = Scale(-100, 100, 0)
"""The number by which a game says how an NPC stands to the player, for its profile."""

"""One entry of an NPC's log of interactions: what happened, and what she feels since then.

Every entry holds the feelings that it left behind. So the newest entry tells the emotion, the newest one of a
character the disposition towards him, and forgetting the latest entries brings the earlier feelings back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

EVENT = "event"
"""The kind of an interaction between the NPC and somebody, or near the NPC."""
ADJUSTMENT = "adjustment"
"""The game changed a disposition or an emotion itself."""
REFLECTION = "reflection"
"""The NPC reflected; importance gathers anew from here."""
THROUGH = "through_key"
"""The detail of a reflection's entry: the key of the last memory that there was."""
REPEATED_THROUGH = "repeated_through"
"""The detail of a reflection's entry: the number of the last archived version that there was."""
FELT_AT = "felt_at"
"""The detail of an imported entry: when its feelings began; others begin when they are stored."""
PRUNED = "pruned"
"""An old entry of which only the disposition is kept."""


class Emotion(NamedTuple):
    """A mood with its intensity (0 to 100) when it began, why, and from when till when it lasts (game
    time)."""

    mood: str
    intensity: float
    reason: str
    since: float
    until: float


NO_EMOTION = Emotion("neutral", 0.0, "", 0.0, 0.0)


class Interaction(NamedTuple):
    """An entry of the log. `strength` (0 to 100), `reason` and `known_since` are of the disposition to the
    source after it; they mean nothing when `source_id` is "".
    """

    key: int
    kind: str
    timestamp: float
    stored_at: float
    source_id: str
    source_name: str
    action: str
    content: str
    details: dict[str, Any]
    """Further data of the event, and `memory_id`, `kind`, `why`."""
    sentiment: float
    strength: float
    reason: str
    known_since: float
    emotion: Emotion

    def without_words(self) -> Interaction:
        """Return what is left of the entry when its memory is forgotten: the feelings."""
        return self._replace(kind=PRUNED, action=EVENT, content="", details={}, reason="")

    def without_reasons(self, reasons: Collection[str]) -> Interaction:
        """Return the entry without these reasons for its feelings."""
        emotion = self.emotion
        return self._replace(
            reason="" if self.reason in reasons else self.reason,
            emotion=emotion._replace(reason="") if emotion.reason in reasons else emotion,
        )

    @property
    def happened_at(self) -> float:
        """The game time of the event, or since when its source was known if that is earlier."""
        return min(self.timestamp, self.known_since)

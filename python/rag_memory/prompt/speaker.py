"""An NPC as one that speaks without a language model: how it stands to the player, and how it feels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rag_memory.mind.disposition import FRIENDLY, HOSTILE, STRANGER

_FRIENDLY_FROM, _HOSTILE_TO = 40.0, -10.0
"""The mean of trust and affection, where the mind says nothing."""
_AFRAID_FROM = 50.0
_RESENTFUL_TO = 45.0
"""The strength of a disposition."""
_BY_FEELING = ("_to_friend", "_to_foe")


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """How an NPC stands to the player, and what it is called."""

    relationship: Mapping[str, Any] = field(default_factory=dict)
    """That of the relationship header."""
    disposition: Mapping[str, Any] = field(default_factory=dict)
    """Towards the player, or empty without a mind."""
    mood: str = ""
    mood_reason: str = ""
    name: str = ""
    role: str = ""
    grudge: str = ""
    """The last harm that the player did to the NPC."""
    kindness: str = ""
    """The last good that the player did to the NPC."""
    last_answer: str = ""

    @property
    def has_met_player(self) -> bool:
        """True if the two have met."""
        return bool(self.relationship.get("met"))

    @property
    def feeling(self) -> str:
        """The ending of the keys of sentences for a friend, a foe, or neither."""
        felt = self.disposition.get("feeling") if self.disposition.get("is_known") else None
        if felt in (FRIENDLY, HOSTILE):
            return _BY_FEELING[felt == HOSTILE]
        liking = (self.relationship.get("trust", 0.0) + self.relationship.get("affection", 0.0)) / 2.0
        if liking >= _FRIENDLY_FROM:
            return _BY_FEELING[0]
        return _BY_FEELING[1] if liking <= _HOSTILE_TO else ""

    @property
    def has_mood(self) -> bool:
        """True if the NPC feels anything."""
        return self.mood not in ("", "neutral")

    @property
    def is_friend(self) -> bool:
        """True if the NPC likes the player."""
        return self.feeling == _BY_FEELING[0]

    @property
    def is_resentful(self) -> bool:
        """True if what the player did to the NPC still counts."""
        is_cool = self.disposition.get("strength", STRANGER) <= _RESENTFUL_TO
        return not self.is_friend and (is_cool or self.feeling != "")

    @property
    def is_hurt(self) -> bool:
        """True if the NPC feels what the player did to it."""
        return self.has_mood and self.mood_reason != "" and self.mood_reason == self.grudge

    @property
    def is_afraid(self) -> bool:
        """True if the NPC is afraid of the player."""
        return self.mood == "afraid" or self.relationship.get("fear", 0.0) >= _AFRAID_FROM

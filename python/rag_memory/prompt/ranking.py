"""Bonuses for memories, events, tasks and lore, added to their relevance."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rag_memory.config.dossier_config import NPCDossierConfig

_HIGH_IMPORTANCE = 8
_POINTS_OF_WEIGHT = 100.0
_RECENT_DAYS = 7.0
BONUSES = {
    "same_npc": 50.0,
    "related_npc": 35.0,
    "same_faction": 30.0,
    "same_location": 25.0,
    "entity": 25.0,
    "active_task": 20.0,
    "importance": 20.0,
    "recent": 15.0,
    "stale": -20.0,
    "hearsay": -30.0,
}
"""Points of the design "retrieval dossier"."""


@dataclass
class Features:
    """The features by which one candidate is ranked. `about`: ids and names that it concerns."""

    relevance: float
    about: Iterable[str] = ()
    text: str = ""
    is_own: bool = False
    location: str = ""
    factions: Iterable[str] = ()
    importance: int = 0
    day: float | None = None
    is_stale: bool = False
    is_hearsay: bool = False
    is_lore: bool = False
    """True where a group that the text names is one that it is about."""


class Ranking:
    """The score of candidates for one question in one scene: relevance, and the bonuses scaled into it."""

    def __init__(
        self,
        config: NPCDossierConfig,
        today: float,
        location: str,
        factions: Iterable[str],
        related: Iterable[str],
        mentioned: Iterable[str],
        of_tasks: Iterable[str],
        question: str = "",
    ) -> None:
        """`related`: who is present; `mentioned`: whom and what the player's message names; `of_tasks`: whom
        and what active tasks of the NPC are about; `question`: the player's message.
        """
        self._config = config
        self._today = today
        self._location = _folded([location])
        self._factions = _folded(factions)
        self._related = _folded(related)
        self._mentioned = _folded(mentioned)
        self._of_tasks = _folded(of_tasks)
        self._question = " ".join(question.casefold().split())

    def score(self, features: Features) -> float:
        """Return the score of a candidate."""
        about = _folded(features.about)
        said = features.text.casefold()
        total = BONUSES["same_npc"] if features.is_own else 0.0
        for bonus, wanted in (
            (BONUSES["related_npc"], self._related),
            (BONUSES["active_task"], self._of_tasks),
        ):
            total += bonus if _concerns(about, said, wanted) else 0.0
        is_mentioned = _concerns(about, said, self._mentioned) or any(
            _has_word(self._question, name) for name in about
        )
        total += BONUSES["entity"] if is_mentioned else 0.0
        places = about | _folded([features.location])
        total += BONUSES["same_location"] if places & self._location else 0.0
        is_of_own = bool((about | _folded(features.factions)) & self._factions)
        is_of_own |= features.is_lore and _concerns(about, said, self._factions)
        total += BONUSES["same_faction"] if is_of_own else 0.0
        total += BONUSES["importance"] if features.importance >= _HIGH_IMPORTANCE else 0.0
        total += BONUSES["recent"] if self._is_recent(features) else 0.0
        total += BONUSES["stale"] if features.is_stale else 0.0
        total += BONUSES["hearsay"] if features.is_hearsay else 0.0
        return features.relevance + self._config.bonus_weight * total / _POINTS_OF_WEIGHT

    def is_news(self, features: Features) -> bool:
        """Return whether it comes up whatever was said, because it is important and recent: a death, say."""
        return (
            features.importance >= _HIGH_IMPORTANCE and self._is_recent(features) and not features.is_hearsay
        )

    def _is_recent(self, features: Features) -> bool:
        return features.day is not None and 0.0 <= self._today - features.day <= _RECENT_DAYS


def _concerns(about: Collection[str], said: str, wanted: Collection[str]) -> bool:
    return any(name in about or (name in said and _has_word(said, name)) for name in wanted)


def _has_word(said: str, words: str) -> bool:
    start = said.find(words)
    while start >= 0:
        around = said[max(0, start - 1) : start] + said[start + len(words) : start + len(words) + 1]
        if not any(map(str.isalnum, around)):
            return True
        start = said.find(words, start + 1)
    return False


def _folded(names: Iterable[str]) -> set[str]:
    return {" ".join(name.casefold().replace("_", " ").split()) for name in names} - {""}

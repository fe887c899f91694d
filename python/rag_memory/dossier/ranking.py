"""Bonuses for memories, events, tasks and lore, added to their relevance."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rag_memory.config.dossier_config import NPCDossierConfig

_HIGH_IMPORTANCE = 8
_POINTS_OF_WEIGHT = 100.0
_RECENT_DAYS = 7.0
_SAME_NPC = 50.0
_RELATED_NPC = 35.0
_SAME_FACTION = 30.0
_SAME_LOCATION = 25.0
_ENTITY = 25.0
_ACTIVE_TASK = 20.0
_IMPORTANCE = 20.0
_RECENT = 15.0
_STALE = -20.0
_HEARSAY = -30.0
"""The bonuses of the design "retrieval dossier", in points."""


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
    ) -> None:
        """`related`: who is present; `mentioned`: whom and what the player's message names; `of_tasks`: whom
        and what active tasks of the NPC are about.
        """
        self._config = config
        self._today = today
        self._location = _folded([location])
        self._factions = _folded(factions)
        self._related = _folded(related)
        self._mentioned = _folded(mentioned)
        self._of_tasks = _folded(of_tasks)

    def score(self, features: Features) -> float:
        """Return the score of a candidate."""
        about = _folded(features.about)
        said = features.text.casefold()
        total = _SAME_NPC if features.is_own else 0.0
        for bonus, wanted in (
            (_RELATED_NPC, self._related),
            (_ENTITY, self._mentioned),
            (_ACTIVE_TASK, self._of_tasks),
        ):
            total += bonus if _concerns(about, said, wanted) else 0.0
        places = about | _folded([features.location])
        total += _SAME_LOCATION if places & self._location else 0.0
        total += _SAME_FACTION if (about | _folded(features.factions)) & self._factions else 0.0
        total += _IMPORTANCE if features.importance >= _HIGH_IMPORTANCE else 0.0
        total += _RECENT if self._is_recent(features) else 0.0
        total += _STALE if features.is_stale else 0.0
        total += _HEARSAY if features.is_hearsay else 0.0
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

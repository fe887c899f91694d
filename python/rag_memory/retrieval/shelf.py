"""What an NPC knows of the world and of the lore, ranked beside its memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.relevance import Relevance
from rag_memory.vectors import Mask


class ShelfRanker(Protocol):
    """Ranks the records of a shelf; `retrieval.candidates.CandidateRanker` is it."""

    @property
    def relevance(self) -> Relevance:
        """The relevance by which the records are compared."""

    def by_relevance(self, limit: int, allowed: Mask) -> list[Candidate]:
        """Return the most relevant of the allowed records."""


class Shelf(NamedTuple):
    """The records of the world or of the lore, and those among them that an NPC knows."""

    ranker: ShelfRanker
    visible: Mask


def shared(shelves: Iterable[Shelf], count: int) -> list[Candidate]:
    """Return the most relevant records of the shelves, at most `count` of each."""
    candidates = [
        candidate
        for shelf in shelves
        for candidate in shelf.ranker.by_relevance(count, shelf.visible)
        if candidate.match.is_relevant and candidate.match.relevance > 0.0
    ]
    for candidate in candidates:
        candidate.is_shared = True
    return candidates

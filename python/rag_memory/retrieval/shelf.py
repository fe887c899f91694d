"""What an NPC knows of the world and of the lore, ranked beside its memories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from rag_memory.retrieval.candidate import Candidate
from rag_memory.retrieval.relevance import Relevance
from rag_memory.text.terms import terms
from rag_memory.vectors import Mask


class ShelfRanker(Protocol):
    """Ranks the records of a shelf; `retrieval.candidates.CandidateRanker` is it."""

    @property
    def relevance(self) -> Relevance:
        """The relevance by which the records are compared."""

    def by_relevance(self, limit: int, allowed: Mask) -> list[Candidate]:
        """Return the most relevant of the allowed records."""


class Shelf(NamedTuple):
    """Records that are no memories: of the world, of the lore or of summaries; and which the NPC knows."""

    ranker: ShelfRanker
    visible: Mask
    is_excerpt: bool = False
    """True if its records may say in fewer words what memories say."""


def shared(shelves: Iterable[Shelf], count: int, memories: Sequence[Candidate]) -> list[Candidate]:
    """Return the most relevant records of the shelves, at most `count` of each; of excerpts only those that
    say what none of the memories says.
    """
    shelves = list(shelves)
    has_excerpts = any(shelf.is_excerpt for shelf in shelves)
    said = [set(terms(memory.document_full)) for memory in memories] if has_excerpts else []
    candidates = [
        candidate
        for shelf in shelves
        for candidate in shelf.ranker.by_relevance(count, shelf.visible)
        if candidate.match.is_relevant
        and candidate.match.relevance > 0.0
        and not (shelf.is_excerpt and _is_said_by(said, candidate))
    ]
    for candidate in candidates:
        candidate.is_shared = True
    return candidates


def _is_said_by(said: Sequence[set[str]], candidate: Candidate) -> bool:
    own = set(terms(candidate.document_full))
    return any(own <= of_memory for of_memory in said)

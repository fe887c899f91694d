"""How relevant memories are to a question: by sentence similarity (DENSE), or not at all when nothing was
asked. HYBRID is in hybrid_relevance.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.index.vector_index import VectorIndex
from rag_memory.vectors import FloatVector, Mask


class Match(NamedTuple):
    """How well one memory answers the question."""

    key: int
    similarity: float
    """Cosine of question and memory, 0..1."""
    relevance: float
    """What the score's relevance is made of, 0..1."""
    parts: dict[str, float]
    """What relevance was made of, for the breakdown."""


class Relevance(Protocol):
    """The relevance of one NPC's memories to one question."""

    def search(self, k: int, allowed: Mask) -> list[Match]:
        """The k most relevant of the allowed memories, best first, of equal ones the newest; fewer only when
        fewer are allowed.
        """

    def measure(self, keys: Sequence[int]) -> list[Match]:
        """The relevance of these memories, in their order."""


class NothingAsked:
    """Relevance when the question is empty: no memory is relevant, and the newest ones stand in."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def search(self, k: int, allowed: Mask) -> list[Match]:
        return self.measure(self._columns.newest(np.flatnonzero(allowed), k)) if k else []

    def measure(self, keys: Sequence[int]) -> list[Match]:
        return [Match(key, 0.0, 0.0, {"dense": 0.0}) for key in keys]


class DenseRelevance:
    """Relevance by the cosine of the question's and the memory's embedding.

    Which of equally similar memories are among the k is decided by when they were stored: the index knows no
    timestamps.
    """

    def __init__(self, columns: Columns, index: VectorIndex, question: FloatVector) -> None:
        self._columns = columns
        self._index = index
        self._question = question

    def search(self, k: int, allowed: Mask) -> list[Match]:
        keys, cosines = self._index.search(self._question, k, None if allowed.all() else allowed)
        timestamps = self._columns.timestamps[self._columns.positions(keys)]
        order = np.lexsort((-keys, -timestamps, -cosines))
        return [
            _dense_match(key, cosine)
            for key, cosine in zip(keys[order].tolist(), cosines[order].tolist(), strict=True)
        ]

    def measure(self, keys: Sequence[int]) -> list[Match]:
        if not keys:
            return []
        positions = self._columns.positions(np.array(keys, dtype=np.int64))
        cosines = self._index.similarities_at(self._question, positions)
        return [_dense_match(key, cosine) for key, cosine in zip(keys, cosines.tolist(), strict=True)]


def _dense_match(key: int, cosine: float) -> Match:
    similarity = min(1.0, max(0.0, cosine))
    return Match(key, similarity, similarity, {"dense": similarity})

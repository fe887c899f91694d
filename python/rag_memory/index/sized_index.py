"""The index that suits the number of vectors: exact up to a limit, an HNSW graph above it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.vector_index import IndexOptions, SearchResult, VectorIndex
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask, Positions

_BACK_TO_EXACT_SHARE = 0.75
"""Of the limit: an NPC that forgets and learns around it must not build a graph each time."""


class SizedIndex:
    """See VectorIndex. The vectors stay where they are when the way of searching them changes."""

    def __init__(self, dimension: int, options: IndexOptions) -> None:
        self._dimension = dimension
        self._options = options
        self._exact = ExactIndex(dimension)
        self.current: VectorIndex = self._exact
        """The index that answers."""

    @property
    def keys(self) -> Keys:
        return self._exact.keys

    @property
    def bytes(self) -> int:
        return self.current.bytes

    @property
    def pending(self) -> int:
        return self.current.pending

    def adopt(self, options: IndexOptions) -> bool:
        if self.current is not self._exact or len(self.keys) > options.exact_search_limit:
            return False
        self._options = options
        return True

    def reserve(self, count: int) -> None:
        self._exact.reserve(count)

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        self.current.add(keys, vectors)
        self._choose()

    def remove(self, keys: Sequence[int] | Keys) -> None:
        self.current.remove(keys)
        self._choose()

    def clear(self) -> None:
        self._exact.clear()
        self.current = self._exact

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        return self.current.search(query, k, allowed)

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        return self._exact.similarities_at(query, positions)

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        return self._exact.matrix_of(keys)

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        return self._exact.rough_similarities(query)

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        current = self.current
        for step in current.build_index_steps():
            yield step
            if self.current is not current:
                return

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return self.current.save(path, fingerprint, stamp)

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return self.current.load(path, fingerprint, stamp)

    def _choose(self) -> None:
        count, limit = len(self._exact.keys), self._options.exact_search_limit
        if self.current is self._exact and count > limit:
            # hnswlib costs memory and import time that most NPCs never need.
            from rag_memory.index.hnsw_index import HnswIndex

            self.current = HnswIndex(self._dimension, self._options, self._exact)
        elif count <= limit * _BACK_TO_EXACT_SHARE:
            self.current = self._exact

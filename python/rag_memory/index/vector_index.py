"""Finding the nearest vectors: the interface, and the index that chooses how."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rag_memory.index.exact_index import ExactIndex, SearchResult
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask, Positions

if TYPE_CHECKING:
    from rag_memory.index.hnsw_index import HnswIndex

__all__ = ["IndexOptions", "MemoryIndex", "SearchResult", "VectorIndex"]

_BACK_TO_EXACT_SHARE = 0.75
"""Of the limit: an NPC that forgets and learns around it must not build a graph each time."""


class VectorIndex(Protocol):
    """Vectors of length 1 by key. Same changes, same questions: same answers, bit for bit."""

    @property
    def dimension(self) -> int:
        """Numbers per vector."""

    @property
    def keys(self) -> Keys:
        """The keys, ascending; masks are aligned with it. A read-only view: ask again after a change."""

    @property
    def is_exact(self) -> bool:
        """True while every search compares with every allowed vector."""

    def __len__(self) -> int: ...

    def __contains__(self, key: object) -> bool: ...

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        """Add vectors, or replace those of known keys."""

    def remove(self, keys: Sequence[int] | Keys) -> None:
        """Forget these keys; unknown ones are ignored."""

    def clear(self) -> None:
        """Forget everything."""

    def vectors_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        """Copies of the vectors of known keys, in their order."""

    def similarities_of(self, query: FloatVector, keys: Sequence[int] | Keys) -> FloatVector:
        """The similarity of each key with the query, the same bits as `search` gives."""

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        """The same for vectors at these positions of `keys`."""

    def rough_similarities(
        self, query: FloatVector, positions: Positions | None = None
    ) -> tuple[FloatVector, float]:
        """About the same, or of all vectors, several times as quick; and how far off one is at most."""

    def search(
        self, query: FloatVector, k: int, allowed: Mask | Sequence[int] | Keys | None = None
    ) -> SearchResult:
        """The `k` most similar vectors among the allowed ones, fewer only when fewer are allowed; of equal
        ones the highest keys first: the memories stored last.
        """

    def near(self, query: FloatVector, count: int, allowed: Mask | None = None) -> Positions:
        """The positions of `keys`, ascending, of about the `count` most similar allowed vectors and perhaps
        of some more; quicker than search().
        """


@dataclass(frozen=True)
class IndexOptions:
    """The Search group of MemoryConfig, which checks the ranges."""

    exact_search_limit: int = 40_000
    m: int = 24
    ef_construction: int = 200
    ef_search: int = 450


class MemoryIndex:
    """The index of one NPC: exact up to `exact_search_limit` vectors, an HNSW graph above it."""

    def __init__(self, dimension: int, options: IndexOptions | None = None) -> None:
        self.dimension = dimension
        self.options = IndexOptions() if options is None else options
        self._exact = ExactIndex(dimension)
        self._graph: HnswIndex | None = None

    def reserve(self, count: int) -> None:
        """Make room for so many vectors, before any is there."""
        self._exact.reserve(count)

    def take_in(self, keys: Keys, vectors: FloatMatrix) -> None:
        """Add some of the store's vectors; after the last of them comes complete()."""
        self._exact.add(keys, vectors)

    def complete(self, path: Path | None, fingerprint: str, stamp: str) -> bool:
        """Take over the saved graph when it was saved for exactly the vectors that were taken in; whether it
        was.

        A graph that is missing, stale or damaged costs only time: search is exact until
        `build_index_steps` has built a new one.
        """
        self._choose()
        return self._graph is not None and path is not None and self._graph.load(path, fingerprint, stamp)

    def __len__(self) -> int:
        return len(self._exact)

    def __contains__(self, key: object) -> bool:
        return key in self._exact

    @property
    def keys(self) -> Keys:
        """See VectorIndex.keys."""
        return self._exact.keys

    @property
    def is_exact(self) -> bool:
        """See VectorIndex.is_exact."""
        return self._graph is None

    @property
    def pending(self) -> int:
        """How many vectors wait for their place in the graph; 0 while the index is exact."""
        return 0 if self._graph is None else self._graph.pending

    @property
    def bytes(self) -> int:
        """The memory the vectors and the graph take."""
        return self._exact.bytes + (0 if self._graph is None else self._graph.graph_bytes)

    def configure(self, options: IndexOptions) -> None:
        """Take other options; what they change about the graph is built anew by `build_index_steps`."""
        old, self.options = self.options, options
        if (old.m, old.ef_construction) != (options.m, options.ef_construction):
            self._graph = None
        if self._graph is not None:
            self._graph.ef_search = options.ef_search
        if len(self) <= options.exact_search_limit:
            self._graph = None
        self._choose()

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        """See VectorIndex.add."""
        (self._exact if self._graph is None else self._graph).add(keys, vectors)
        self._choose()

    def remove(self, keys: Sequence[int] | Keys) -> None:
        """See VectorIndex.remove."""
        (self._exact if self._graph is None else self._graph).remove(keys)
        self._choose()

    def clear(self) -> None:
        """See VectorIndex.clear."""
        self._exact.clear()
        self._graph = None

    def vectors_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        """See VectorIndex.vectors_of."""
        return self._exact.vectors_of(keys)

    def similarities_of(self, query: FloatVector, keys: Sequence[int] | Keys) -> FloatVector:
        """See VectorIndex.similarities_of."""
        return self._exact.similarities_of(query, keys)

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        """See VectorIndex.similarities_at."""
        return self._exact.similarities_at(query, positions)

    def rough_similarities(
        self, query: FloatVector, positions: Positions | None = None
    ) -> tuple[FloatVector, float]:
        """See VectorIndex.rough_similarities."""
        return self._exact.rough_similarities(query, positions)

    def search(
        self, query: FloatVector, k: int, allowed: Mask | Sequence[int] | Keys | None = None
    ) -> SearchResult:
        """See VectorIndex.search."""
        return (self._exact if self._graph is None else self._graph).search(query, k, allowed)

    def near(self, query: FloatVector, count: int, allowed: Mask | None = None) -> Positions:
        """See VectorIndex.near."""
        return (self._exact if self._graph is None else self._graph).near(query, count, allowed)

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        """Build what is missing of the graph, a few milliseconds per step: (done, total).

        Worth running whenever there is time; until then the missing part is searched exactly.
        """
        graph = self._graph
        if graph is None:
            return
        for step in graph.build_index_steps():
            yield step
            if self._graph is not graph:
                return

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """Write the graph for the next `open`; see HnswIndex.save. False when there is no graph.

        Raises:
            OSError: the disk is full or read-only.
        """
        return self._graph is not None and self._graph.save(path, fingerprint, stamp)

    def _choose(self) -> None:
        limit = self.options.exact_search_limit
        if self._graph is None and len(self) > limit:
            # hnswlib costs memory and import time that most NPCs never need.
            from rag_memory.index.hnsw_index import HnswIndex

            options = self.options
            self._graph = HnswIndex(
                self.dimension, options.m, options.ef_construction, options.ef_search, vectors=self._exact
            )
        elif self._graph is not None and len(self) <= limit * _BACK_TO_EXACT_SHARE:
            self._graph = None

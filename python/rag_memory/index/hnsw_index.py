"""Search through an HNSW graph (hnswlib), for more vectors than an exact scan can take.

The graph only proposes candidates. Similarities come from the exact vectors, which stay in memory beside it,
so that the numbers, the order and the filters are those of ExactIndex, and so that a vector can wait for its
place in the graph and be found all the same.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path

import hnswlib
import numpy as np

from rag_memory.index import graph_file
from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.graph_file import GraphState
from rag_memory.index.vector_index import IndexOptions, SearchResult
from rag_memory.vectors import (
    FloatMatrix,
    FloatVector,
    Keys,
    Mask,
    Positions,
    distinct,
    positions_in,
    validate_keys,
    validate_query,
)

_SEED = 100
_FIRST_CAPACITY = 1024
_SLICE_SECONDS = 0.001
"""A call that arrives meanwhile waits for the slice to end."""
_INSERTS_PER_ADD = 2
"""An insertion takes about half a millisecond: storing one memory must not pay for a whole backlog."""
_BYTES_PER_ID = 100
"""Of a Python number in a set or dictionary."""
_BYTES_PER_NUMBER = 4
_BYTES_PER_ELEMENT = 72
"""The size of what hnswlib stores for each vector besides numbers and links: label, lock, level, upper links.
"""
_EXACT_ROWS_PER_CANDIDATE = 30
"""A scan compares about this many vectors in the time the graph takes for one candidate (measured)."""
_OVERSAMPLING = 1.3
_BREADTH_PER_RESULT = 2
_RANKED_BESIDES = 8
"""So many more of the graph's nearest are compared exactly: it rounds a little otherwise."""


class HnswIndex:
    """See VectorIndex; finds more than 99 of 100 of the nearest.

    Options: m links per vector; ef_construction and ef_search, the breadth of the search when inserting and
    when asking (Malkov and Yashunin 2018, "Efficient and robust approximate nearest neighbor search using
    hierarchical navigable small world graphs").

    Args:
        dimension: numbers per vector.
        vectors: an exact index whose vectors are taken over instead of starting empty.
    """

    exact: ExactIndex
    """The vectors, searched exactly."""
    _graph: hnswlib.Index | None
    _labels: set[int]
    _deleted: set[int]
    _pending: dict[int, None]
    _pending_ids: Keys | None

    def __init__(
        self, dimension: int, options: IndexOptions | None = None, vectors: ExactIndex | None = None
    ) -> None:
        self._dimension = dimension
        self._options = IndexOptions() if options is None else options
        self.exact = ExactIndex(dimension) if vectors is None else vectors
        self._start_graph()

    @property
    def keys(self) -> Keys:
        return self.exact.keys

    @property
    def pending(self) -> int:
        return len(self._pending)

    @property
    def bytes(self) -> int:
        places = self.exact.bytes + _BYTES_PER_ID * (len(self._labels) + len(self._pending))
        # hnswlib itself would walk through all of them to count.
        element_bytes = _BYTES_PER_NUMBER * (self._dimension + 2 * self._options.m + 1) + _BYTES_PER_ELEMENT
        return places + (0 if self._graph is None else int(self._graph.element_count) * element_bytes)

    def adopt(self, options: IndexOptions) -> bool:
        return options == self._options

    def reserve(self, count: int) -> None:
        self.exact.reserve(count)

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        """See VectorIndex.add; a few enter the graph now if it was begun, others wait."""
        self.exact.add(keys, vectors)
        self._wait(int(key) for key in keys)
        if self._graph is not None:
            for _ in range(min(2 * len(keys), _INSERTS_PER_ADD, len(self._pending))):
                self._insert_next()

    def remove(self, keys: Sequence[int] | Keys) -> None:
        ids = [int(key) for key in validate_keys(keys)]
        self.exact.remove(ids)
        for key in ids:
            if key in self._pending:
                del self._pending[key]
                self._pending_ids = None
            if self._graph is not None and key in self._labels and key not in self._deleted:
                self._graph.mark_deleted(key)
                self._deleted.add(key)
        if len(self._deleted) * 2 > len(self._labels):
            # Deleted vectors are still walked through: half of a search would be for nothing.
            self._start_graph()

    def clear(self) -> None:
        self.exact.clear()
        self._start_graph()

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        query = validate_query(query, self._dimension)
        positions = self._candidates(query, k, allowed)
        if positions is None:
            return self.exact.search(query, k, allowed)
        return self.exact.best_at(query, k, positions)

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        return self.exact.similarities_at(query, positions)

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        return self.exact.matrix_of(keys)

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        return self.exact.rough_similarities(query)

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        done = 0
        while self._pending:
            deadline = time.perf_counter() + _SLICE_SECONDS
            while self._pending and time.perf_counter() < deadline:
                self._insert_next()
                done += 1
            yield done, done + len(self._pending)

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """See VectorIndex.save; the graph lies beside its description."""
        if self._graph is None or len(self._pending) == len(self.keys):
            return False
        state = self._state(
            fingerprint, stamp, sorted(self._deleted), sorted(self._labels & self._pending.keys())
        )
        graph_file.write(path, self._graph, state)
        return True

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        loaded = graph_file.read(path, self._state(fingerprint, stamp), self.keys)
        if loaded is None:
            return False
        self._graph, state = loaded
        self._graph.set_num_threads(1)
        self._labels = set(self._graph.get_ids_list())
        self._deleted = set(state.deleted)
        self._pending = {}
        self._wait((set(self.keys.tolist()) - self._labels) | set(state.stale))
        return True

    def _state(
        self, fingerprint: str, stamp: str, deleted: Sequence[int] = (), stale: Sequence[int] = ()
    ) -> GraphState:
        return GraphState(
            dimension=self._dimension,
            m=self._options.m,
            ef_construction=self._options.ef_construction,
            fingerprint=fingerprint,
            stamp=stamp,
            count=len(self.keys),
            deleted=deleted,
            stale=stale,
        )

    def _start_graph(self) -> None:
        """Let everything wait. The graph itself begins with the first insertion, because one that was saved
        may be loaded instead.
        """
        self._graph = None
        self._labels = set()
        self._deleted = set()
        self._pending = {}
        self._wait(self.keys.tolist())

    def _wait(self, keys: Iterable[int]) -> None:
        # A dict because it keeps the order: the same changes must build the same graph.
        self._pending.update(dict.fromkeys(keys))
        self._pending_ids = None

    def _insert_next(self) -> None:
        key = next(iter(self._pending))
        if self._graph is None:
            self._graph = hnswlib.Index(space="ip", dim=self._dimension)
            self._graph.init_index(
                max_elements=_FIRST_CAPACITY,
                M=self._options.m,
                ef_construction=self._options.ef_construction,
                random_seed=_SEED,
            )
            self._graph.set_num_threads(1)
        if key not in self._labels and len(self._labels) == self._graph.get_max_elements():
            self._graph.resize_index(2 * len(self._labels))
        # Inserting a known label moves it, and brings it back when it was marked as deleted.
        self._graph.add_items(self.exact.matrix_of([key]), [key], num_threads=1)
        self._labels.add(key)
        self._deleted.discard(key)
        del self._pending[key]
        self._pending_ids = None

    def _candidates(self, query: FloatVector, k: int, allowed: Mask | None) -> Positions | None:
        """The positions, ascending, of a few more than the `k` most similar of the allowed vectors, and of
        everything allowed that waits; None when a scan of all finds them as quickly or the graph cannot
        reach them.
        """
        total, searchable = len(self.keys), len(self._labels) - len(self._deleted)
        count = total if allowed is None else int(np.count_nonzero(allowed))
        wanted = min(k, count)
        if self._graph is None or wanted <= 0 or searchable == 0 or len(self._pending) > searchable:
            return None
        fetch = wanted if allowed is None else int(wanted * total / count * _OVERSAMPLING) + 1
        # A filter that makes it look further has to look more broadly, too.
        while (breadth := max(self._options.ef_search, _BREADTH_PER_RESULT * fetch)) < (
            count / _EXACT_ROWS_PER_CANDIDATE
        ):
            nearest = self._nearest(self._graph, query, min(breadth, searchable))
            if nearest is None:
                break
            positions = self._allowed_positions(nearest, wanted + _RANKED_BESIDES, allowed)
            if len(positions) >= wanted:
                return positions
            fetch *= 2
        return None

    def _nearest(self, graph: hnswlib.Index, query: FloatVector, count: int) -> Keys | None:
        """The graph's nearest, nearest first; None when the graph cannot reach that many."""
        graph.set_ef(count)
        try:
            labels, _ = graph.knn_query(query, k=count, num_threads=1)
        except RuntimeError:
            return None
        nearest: Keys = labels[0].astype(np.int64)
        return nearest

    def _allowed_positions(self, nearest: Keys, most: int, allowed: Mask | None) -> Positions:
        """The positions of the first allowed of what was found, and of everything allowed that waits."""
        if self._pending_ids is None:
            self._pending_ids = np.fromiter(self._pending, dtype=np.int64)
        positions, waiting = positions_in(self.keys, nearest), positions_in(self.keys, self._pending_ids)
        if allowed is not None:
            positions, waiting = positions[allowed[positions]], waiting[allowed[waiting]]
        return distinct(np.concatenate((positions[:most], waiting)))

"""Search through an HNSW graph (hnswlib), for more vectors than an exact scan can take.

The graph only proposes candidates, and is built of shortened vectors (projection.py): a search reads a third
of the memory. Similarities come from the exact vectors, which stay in memory beside it, so that the numbers,
the order and the filters are those of ExactIndex, and so that a vector can wait for its place in the graph
and be found all the same.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import hnswlib
import numpy as np

from rag_memory.index import graph_file
from rag_memory.index.exact_index import ExactIndex, SearchResult
from rag_memory.index.graph_file import GraphState
from rag_memory.index.projection import SAMPLE, Projection
from rag_memory.vectors import (
    FloatMatrix,
    FloatVector,
    Keys,
    Mask,
    Positions,
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
_SAMPLED_AT_ONCE = 128
_BYTES_PER_ID = 100
"""Of a Python number in a set or dictionary."""
_BYTES_PER_NUMBER = 4
_BYTES_PER_ELEMENT = 72
"""What hnswlib keeps of each vector besides its numbers and links: label, lock, level, links further up."""
_RETRY_AT = 4 * SAMPLE
"""A graph that was begun with too few vectors to shorten them is built anew when there are so many."""
_EXACT_ROWS_PER_CANDIDATE = 30
"""A scan compares about this many vectors in the time the graph takes for one candidate (measured)."""
_OVERSAMPLING = 1.3
_BREADTH_PER_RESULT = 2
_RANKED_PER_RESULT = 6
"""So many of the graph's nearest, by shortened vectors, are compared exactly for each wanted one. Measured on
20,000 and 200,000 vectors: of 23 nearest, 3 for each lose none, 2 one in 10,000.
"""
_PROPOSED_PER_RESULT = 1.5
"""So many of the graph's nearest for each that near() is asked for, which asks for more than it needs."""


class HnswIndex:
    """Approximate nearest neighbours; complete whatever the filter: if k are allowed, k come back.

    Args:
        dimension: numbers per vector; the vectors must have length 1.
        m: links per vector. ef_construction, ef_search: breadth of the search when inserting and
            when asking (Malkov and Yashunin 2018, "Efficient and robust approximate nearest
            neighbor search using hierarchical navigable small world graphs").
        vectors: an exact index whose vectors are taken over instead of starting empty.
    """

    _graph: hnswlib.Index | None
    _projection: Projection | None
    _begun_with: int
    _labels: set[int]
    _deleted: set[int]
    _pending: dict[int, None]
    _pending_ids: Keys | None

    def __init__(
        self,
        dimension: int,
        m: int = 24,
        ef_construction: int = 200,
        ef_search: int = 450,
        vectors: ExactIndex | None = None,
    ) -> None:
        self.dimension = dimension
        self.m = m
        self.ef_construction = ef_construction
        self.ef_search = ef_search
        self.exact = ExactIndex(dimension) if vectors is None else vectors
        self._start_graph()

    def __len__(self) -> int:
        return len(self.exact)

    def __contains__(self, key: object) -> bool:
        return key in self.exact

    @property
    def keys(self) -> Keys:
        """See ExactIndex.keys."""
        return self.exact.keys

    @property
    def pending(self) -> int:
        """How many vectors wait for their place in the graph (they are searched exactly)."""
        return len(self._pending)

    @property
    def graph_bytes(self) -> int:
        """About the memory the graph takes besides the exact vectors."""
        places = _BYTES_PER_ID * (len(self._labels) + len(self._pending))
        if self._graph is None:
            return places
        # hnswlib itself would walk through all of them to count.
        each = _BYTES_PER_NUMBER * (self._graph.dim + 2 * self.m + 1) + _BYTES_PER_ELEMENT
        total: int = places + self._graph.element_count * each
        return total

    def clear(self) -> None:
        """Forget everything."""
        self.exact.clear()
        self._start_graph()

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        """Add or replace vectors; a few enter the graph now if it was begun, others wait for
        `build_index_steps`.

        Raises:
            InvalidArgumentError: see ExactIndex.add.
        """
        self.exact.add(keys, vectors)
        if self._graph is not None and self._begun_with < SAMPLE and len(self) >= _RETRY_AT:
            self._start_graph()
        self._wait(int(key) for key in keys)
        if self._graph is not None:
            for _ in range(min(2 * len(keys), _INSERTS_PER_ADD, len(self._pending))):
                self._insert_next(self._graph)

    def remove(self, keys: Sequence[int] | Keys) -> None:
        """Forget these keys; unknown ones are ignored."""
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

    def vectors_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        """See ExactIndex.vectors_of."""
        return self.exact.vectors_of(keys)

    def similarities_of(self, query: FloatVector, keys: Sequence[int] | Keys) -> FloatVector:
        """See ExactIndex.similarities_of."""
        return self.exact.similarities_of(query, keys)

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        """Put everything that waits into the graph, a millisecond or two per step: (done, total).

        The index may be changed and searched between two steps.
        """
        done = 0
        while self._pending:
            if self._graph is None:
                for _ in self._begin_steps():
                    yield done, done + len(self._pending)
            deadline = time.perf_counter() + _SLICE_SECONDS
            while self._graph is not None and self._pending and time.perf_counter() < deadline:
                self._insert_next(self._graph)
                done += 1
            yield done, done + len(self._pending)

    def search(
        self, query: FloatVector, k: int, allowed: Mask | Sequence[int] | Keys | None = None
    ) -> SearchResult:
        """See ExactIndex.search; may miss a vector (recall above 0.99), never returns too few."""
        query = validate_query(query, self.dimension)
        mask = None if allowed is None else self.exact.allowed_mask(allowed)
        positions = self._proposed(query, k, _RANKED_PER_RESULT, mask)
        if positions is None:
            return self.exact.search(query, k, mask)
        return self.exact.best_at(query, k, positions)

    def near(self, query: FloatVector, count: int, allowed: Mask | None = None) -> Positions:
        """The positions of `keys`, ascending, of what the graph proposes for the `count` most similar of
        the allowed vectors, half as many more: nothing is compared exactly.
        """
        query = validate_query(query, self.dimension)
        positions = None if self._pending else self._proposed(query, count, _PROPOSED_PER_RESULT, allowed)
        if positions is None:
            found = self.search(query, count, allowed).keys
            return np.sort(positions_in(self.keys, found))
        return positions

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """Write the graph beside its description, so that the next start need not build it; False when it was
        not begun.

        Args:
            path: the graph's file; the description lies beside it.
            fingerprint: of the embedder the vectors come from.
            stamp: changes with every change of the vectors this index stands for.

        Raises:
            OSError: the disk is full or read-only; what was there before is still whole or refused.
        """
        if self._graph is None:
            return False
        state = GraphState(
            dimension=self.dimension,
            m=self.m,
            ef_construction=self.ef_construction,
            fingerprint=fingerprint,
            stamp=stamp,
            count=len(self),
            begun_with=self._begun_with,
            deleted=sorted(self._deleted),
            stale=sorted(self._labels & self._pending.keys()),
        )
        graph_file.write(path, self._graph, self._projection, state)
        return True

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """Take over a graph that was saved for exactly these vectors, before anything is settled.

        Returns:
            False, with the reason logged, when there is none, it belongs to other vectors, or it is
            damaged; the index then works on without it and `build_index_steps` builds a new one.
        """
        expected = GraphState(
            dimension=self.dimension,
            m=self.m,
            ef_construction=self.ef_construction,
            fingerprint=fingerprint,
            stamp=stamp,
            count=len(self),
        )
        loaded = graph_file.read(path, expected, self.keys)
        if loaded is None:
            return False
        self._graph, self._projection, state = loaded
        self._graph.set_num_threads(1)
        self._begun_with = state.begun_with
        self._labels = set(self._graph.get_ids_list())
        self._deleted = set(state.deleted)
        self._pending = {}
        self._wait((set(self.keys.tolist()) - self._labels) | set(state.stale))
        return True

    def _start_graph(self) -> None:
        self._graph = None
        self._projection = None
        self._begun_with = 0
        self._labels = set()
        self._deleted = set()
        self._pending = {}
        self._wait(self.keys.tolist())

    def _begin_steps(self) -> Generator[None, None, None]:
        """Begin the graph, in slices; only when it is needed, because one that was saved may be loaded
        instead.
        """
        count = len(self)
        projection = None
        if count >= SAMPLE:
            projection = yield from Projection.fitting_steps(self.dimension, self._sampled())
        if self._graph is not None:
            return  # somebody else has settled it meanwhile
        self._projection = projection
        self._begun_with = count
        self._graph = hnswlib.Index(
            space="ip", dim=self.dimension if projection is None else projection.dimension
        )
        self._graph.init_index(
            max_elements=_FIRST_CAPACITY,
            M=self.m,
            ef_construction=self.ef_construction,
            random_seed=_SEED,
        )
        self._graph.set_num_threads(1)

    def _sampled(self) -> Iterator[FloatMatrix]:
        """Vectors from everywhere among all, some at a time; there may be others the next time, or none."""
        for shares in np.array_split(np.arange(SAMPLE) / SAMPLE, -(-SAMPLE // _SAMPLED_AT_ONCE)):
            places = (shares * len(self)).astype(np.intp)
            yield self.exact.vectors_of(self.keys[places[places < len(self)]])

    def _shortened(self, vector: FloatVector) -> FloatVector:
        return vector if self._projection is None else self._projection.of(vector)

    def _wait(self, keys: Iterable[int]) -> None:
        # A dict because it keeps the order: the same changes must build the same graph.
        self._pending.update(dict.fromkeys(keys))
        self._pending_ids = None

    def _insert_next(self, graph: hnswlib.Index) -> None:
        key = next(iter(self._pending))
        if key not in self._labels and len(self._labels) == graph.get_max_elements():
            graph.resize_index(2 * len(self._labels))
        vector = self._shortened(self.exact.vectors_of([key])[0])
        # Inserting a known label moves it, and brings it back when it was marked as deleted.
        graph.add_items(vector[None], [key], num_threads=1)
        self._labels.add(key)
        self._deleted.discard(key)
        del self._pending[key]
        self._pending_ids = None

    def _breadth(self, fetch: int) -> int:
        # A filter that makes it look further has to look more broadly, too.
        return max(self.ef_search, _BREADTH_PER_RESULT * fetch)

    def _proposed(self, query: FloatVector, k: int, proposed: float, mask: Mask | None) -> Positions | None:
        """The positions, ascending, of at least the `k` most similar of the allowed vectors, up to `proposed`
        times as many, and of everything allowed that waits; None when a scan of all finds them as quickly or
        the graph cannot reach them.
        """
        count = len(self) if mask is None else int(np.count_nonzero(mask))
        wanted = min(k, count)
        graph, searchable = self._graph, len(self._labels) - len(self._deleted)
        if graph is None or wanted <= 0 or searchable == 0 or len(self._pending) > searchable:
            return None
        fetch = wanted if mask is None else int(wanted * len(self) / count * _OVERSAMPLING) + 1
        while (breadth := self._breadth(fetch)) * _EXACT_ROWS_PER_CANDIDATE < count:
            found = self._candidates(graph, query, min(breadth, searchable))
            if found is None:
                break
            positions = self._worth_ranking(found, int(proposed * wanted), mask)
            if len(positions) >= wanted:
                return positions
            fetch *= 2
        return None

    def _candidates(self, graph: hnswlib.Index, query: FloatVector, count: int) -> Keys | None:
        """The graph's nearest, nearest first; None when the graph cannot reach that many."""
        graph.set_ef(count)
        try:
            labels, _ = graph.knn_query(self._shortened(query), k=count, num_threads=1)
        except RuntimeError:
            return None
        found: Keys = labels[0].astype(np.int64)
        return found

    def _worth_ranking(self, found: Keys, most: int, mask: Mask | None) -> Positions:
        """The positions of the first allowed of what was found, and of everything allowed that waits."""
        if mask is None:
            positions = positions_in(self.keys, found[:most])
        else:
            positions = positions_in(self.keys, found)
            positions = positions[mask[positions]][:most]
        if self._pending:
            if self._pending_ids is None:
                self._pending_ids = np.fromiter(self._pending, dtype=np.int64)
            waiting = positions_in(self.keys, self._pending_ids)
            positions = np.concatenate((positions, waiting if mask is None else waiting[mask[waiting]]))
            return np.unique(positions)
        return np.sort(positions)

"""Search that compares the query with every vector: roughly first, with half a byte and a byte per number,
and exactly what that leaves (coarse_vectors.py); the result is that of comparing all exactly.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import numpy as np

from rag_memory.errors import InvalidArgumentError
from rag_memory.index import coarse_vectors
from rag_memory.index.coarse_vectors import CoarseVectors
from rag_memory.index.vector_index import IndexOptions, SearchResult
from rag_memory.vectors import (
    FloatMatrix,
    FloatVector,
    Keys,
    Mask,
    Positions,
    distinct,
    validate_keys,
    validate_matrix,
    validate_query,
)

_FIRST_CAPACITY = 16
_GATHER_SHARE = 0.25
"""Below this share of allowed rows, copying them out is quicker than multiplying all (measured)."""
_COMPACT_AT_DEAD = 64
_COPIED_AT_ONCE = 256
"""Rows: 400 KB of them, which the processor's cache holds."""
_ROUNDING = 5e-5
"""Twice what a float32 dot product of unit vectors of some hundred dimensions can be off by."""


class ExactIndex:
    """Vectors in one growing matrix, rows in the order of their keys.

    Vectors must have length 1. A removed row stays until a quarter of all rows is dead, so that
    removing costs no copy of the matrix.
    """

    pending = 0

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._matrix: FloatMatrix = np.empty((0, self.dimension), dtype=np.float32)
        self._ids: Keys = np.empty(0, dtype=np.int64)
        self._alive: Mask = np.empty(0, dtype=np.bool_)
        self._coarse = CoarseVectors(self.dimension) if coarse_vectors.is_available() else None
        self._used = 0
        self._dead = 0
        self._live_ids: Keys | None = None
        self._live_rows: Keys | None = None

    @property
    def keys(self) -> Keys:
        if self._live_ids is None:
            ids = self._ids[: self._used]
            self._live_ids = ids[self._alive[: self._used]] if self._dead else ids[:]
            self._live_ids.flags.writeable = False
        return self._live_ids

    @property
    def bytes(self) -> int:
        places = self._ids.nbytes + self._alive.nbytes
        return self._matrix.nbytes + places + (0 if self._coarse is None else self._coarse.bytes)

    def adopt(self, options: IndexOptions) -> bool:
        return True

    def reserve(self, count: int) -> None:
        if count > len(self._ids):
            self._reallocate(count)

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        ids = validate_keys(keys)
        rows = validate_matrix(vectors, len(ids), self.dimension)
        if len(ids) == 0:
            return
        if np.any(ids[1:] <= ids[:-1]):
            order = np.argsort(ids, kind="stable")
            ids, rows = ids[order], rows[order]
            if np.any(ids[1:] == ids[:-1]):
                raise InvalidArgumentError(
                    "A key comes twice in one call", "each memory has one vector", "Add every memory once"
                )
        self._live_ids = self._live_rows = None
        places, are_held = self._slots_of(ids)
        if are_held.any():
            self._matrix[places[are_held]] = rows[are_held]
            if self._coarse is not None:
                self._coarse.replace(places[are_held], rows[are_held])
            self._dead -= int(np.count_nonzero(~self._alive[places[are_held]]))
            self._alive[places[are_held]] = True
            ids, rows = ids[~are_held], rows[~are_held]
        if len(ids):
            self._append(ids, rows)

    def remove(self, keys: Sequence[int] | Keys) -> None:
        places, are_held = self._find(validate_keys(keys))
        places = distinct(places[are_held])
        if len(places) == 0:
            return
        self._live_ids = self._live_rows = None
        self._alive[places] = False
        self._dead += len(places)
        if self._dead >= _COMPACT_AT_DEAD and self._dead * 4 >= self._used:
            self._compact()

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        """Copies of the vectors of known keys, in their order.

        Raises:
            InvalidArgumentError: a key is unknown.
        """
        places, are_held = self._find(validate_keys(keys))
        if not are_held.all():
            raise InvalidArgumentError(
                "The index does not hold a key that was asked for",
                f"{int(np.count_nonzero(~are_held))} of {len(are_held)} are unknown",
                "Ask only for memories that were added and not removed",
            )
        return self._matrix[places]

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        return self._similarities_of(self._rows_at(positions), validate_query(query, self.dimension))

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        query = validate_query(query, self.dimension)
        rows: Positions | None = self._living_rows() if self._dead else None
        if self._coarse is None:
            return exact_similarities(
                self._matrix[: self._used] if rows is None else self._matrix[rows], query
            ), 0.0
        scores, error = self._coarse.scores(query, self._used, rows)
        return scores, error + _ROUNDING

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        query = validate_query(query, self.dimension)
        return self._nearest(query, k, self._allowed_rows(allowed))

    def best_at(self, query: FloatVector, k: int, positions: Positions) -> SearchResult:
        """The `k` most similar of the vectors at these positions of `keys`."""
        query = validate_query(query, self.dimension)
        return self._nearest(query, k, self._rows_at(positions))

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        yield from ()

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def _allowed_rows(self, allowed: Mask | None) -> Mask | Keys | None:
        """Places in the matrix, ascending, or a mask of them; None: all of them."""
        if allowed is None:
            return self._living_rows() if self._dead else None
        mask = np.ascontiguousarray(allowed)
        if mask.dtype != np.bool_ or mask.shape != self.keys.shape:
            raise InvalidArgumentError(
                "The mask does not fit the index",
                f"it has the shape {mask.shape} of {mask.dtype}, the index {len(self.keys)} vectors",
                "Make the mask from the index's keys of this moment",
            )
        return self._living_rows()[mask] if self._dead else mask

    def _nearest(self, query: FloatVector, k: int, allowed: Mask | Keys | None) -> SearchResult:
        """The `k` most similar of the allowed rows, which are what `_allowed_rows` gives.

        Rough codes, or a matrix product, which rounds a row differently at different places and under
        different filters, only choose here; the similarity that counts is computed row by row, so that equal
        vectors tie and a filter changes no number.
        """
        if k <= 0 or not self._used:
            return SearchResult(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
        if self._coarse is not None:
            rows = self._coarse.nearest(query, self._used, k, allowed, _ROUNDING)
        else:
            rows = self._best_rows(query, k, allowed)
        ids, similarities = self._ids[rows], self._similarities_of(rows, query)
        order = np.lexsort((-ids, -similarities))[:k]
        return SearchResult(ids[order], similarities[order])

    def _best_rows(self, query: FloatVector, k: int, allowed: Mask | Keys | None) -> Keys:
        """At least the `k` best places, and everything that rounding might make as good."""
        rows: Keys
        if allowed is None:
            rows = np.arange(self._used)
        elif allowed.dtype == np.bool_:
            rows = np.flatnonzero(allowed)
        else:
            rows = allowed.astype(np.int64, copy=False)
        if k >= len(rows):
            return rows
        if len(rows) < _GATHER_SHARE * self._used:
            scores = self._matrix.take(rows, axis=0) @ query
        else:
            scores = (self._matrix[: self._used] @ query).take(rows)
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k] - _ROUNDING
        return rows[np.flatnonzero(scores >= threshold)]

    def _similarities_of(self, rows: Positions, query: FloatVector) -> FloatVector:
        """The similarities of these rows, which are copied some at a time: hundreds of megabytes at once
        take ten times as long.
        """
        similarities: FloatVector = np.empty(len(rows), dtype=np.float32)
        for start in range(0, len(rows), _COPIED_AT_ONCE):
            end = start + _COPIED_AT_ONCE
            similarities[start:end] = exact_similarities(self._matrix[rows[start:end]], query)
        return similarities

    def _rows_at(self, positions: Positions) -> Positions:
        """The places in the matrix of positions of `keys`."""
        return self._living_rows()[positions] if self._dead else positions

    def _living_rows(self) -> Positions:
        if self._live_rows is None:
            self._live_rows = np.flatnonzero(self._alive[: self._used])
        return self._live_rows

    def _slots_of(self, ids: Keys) -> tuple[Keys, Mask]:
        """Return the row of each id, dead or alive, and which ids there are."""
        places = np.searchsorted(self._ids[: self._used], ids)
        are_held = places < self._used
        are_held[are_held] = self._ids[places[are_held]] == ids[are_held]
        return places, are_held

    def _find(self, ids: Keys) -> tuple[Keys, Mask]:
        """Return the same for living rows only."""
        places, are_held = self._slots_of(ids)
        are_held[are_held] = self._alive[places[are_held]]
        return places, are_held

    def _append(self, ids: Keys, rows: FloatMatrix) -> None:
        end = self._used + len(ids)
        in_order = self._used == 0 or ids[0] > self._ids[self._used - 1]
        if end > len(self._ids):
            self._reallocate(max(end, 2 * self._used, _FIRST_CAPACITY) if self._used else end)
        self._matrix[self._used : end] = rows
        if self._coarse is not None:
            self._coarse.put(self._used, rows)
        self._ids[self._used : end] = ids
        self._alive[self._used : end] = True
        self._used = end
        if not in_order:
            order = np.argsort(self._ids[:end], kind="stable")
            for array in (self._matrix, self._ids, self._alive):
                array[:end] = array[order]
            if self._coarse is not None:
                self._coarse.reorder(order)

    def _reallocate(self, capacity: int) -> None:
        for name in ("_matrix", "_ids", "_alive"):
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: self._used] = old[: self._used]
            setattr(self, name, new)
        if self._coarse is not None:
            self._coarse.reallocate(capacity, self._used)

    def _compact(self) -> None:
        alive = np.flatnonzero(self._alive[: self._used])
        self._matrix, self._ids = self._matrix[alive], self._ids[alive]
        if self._coarse is not None:
            self._coarse.reorder(alive)
            self._coarse.reallocate(len(alive), len(alive))
        self._alive = np.ones(len(alive), dtype=np.bool_)
        self._used, self._dead = len(alive), 0


def exact_similarities(rows: FloatMatrix, query: FloatVector) -> FloatVector:
    """The cosine of each row with the query; a row's number depends on nothing but that row."""
    cosines: FloatVector = np.vecdot(rows, query)
    # Half the time of np.clip.
    return np.minimum(np.maximum(cosines, -1.0, out=cosines), 1.0, out=cosines)

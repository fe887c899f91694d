"""Vectors that stay in the database: this process keeps their keys, and asks for what a question needs.

The database compares all of them roughly, each product of two vectors rounded in its own way. Those that can
be among the best are fetched, and compared by the code that compares them in a process that has them: the
scores are the same bits.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from rag_memory.errors import InvalidArgumentError
from rag_memory.index.exact_index import exact_similarities
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

_FETCHED_AT_ONCE = 500
"""Vectors: 0.8 MB."""
_ROUNDING = 2.0**-23
"""For each number of a vector: twice what a float32 product of unit vectors can be off by, once there and
once here.
"""


class StoredVectors(Protocol):
    """The vectors of one NPC, where they are kept."""

    def similarities(self, question: FloatVector) -> tuple[Keys, FloatVector]:
        """The key of every vector, and its product with the question, computed there."""

    def vectors_of(self, keys: Sequence[int]) -> dict[int, FloatVector]:
        """Return the vectors with these keys, by key; missing ones are left out."""


class ServerIndex:
    """See VectorIndex. What is added here was stored before; one that is not there counts as zeros."""

    pending = 0

    def __init__(self, dimension: int, stored: StoredVectors) -> None:
        self._dimension = dimension
        self._stored = stored
        self._ids: Keys = np.empty(0, dtype=np.int64)
        self._used = 0

    @property
    def keys(self) -> Keys:
        view = self._ids[: self._used]
        view.flags.writeable = False
        return view

    @property
    def bytes(self) -> int:
        return self._ids.nbytes

    def adopt(self, options: IndexOptions) -> bool:
        return True

    def reserve(self, count: int) -> None:
        if count > len(self._ids):
            self._ids = np.concatenate((self.keys, np.empty(count - self._used, dtype=np.int64)))

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        ids = validate_keys(keys)
        validate_matrix(vectors, len(ids), self._dimension)
        new = distinct(ids)
        if len(new) < len(ids):
            raise InvalidArgumentError(
                "A key comes twice in one call", "each memory has one vector", "Add every memory once"
            )
        if self._used and len(new) and new[0] <= self._ids[self._used - 1]:
            self._set(np.union1d(self.keys, new))
        elif len(new):
            end = self._used + len(new)
            if end > len(self._ids):
                self.reserve(max(end, 2 * self._used))
            self._ids[self._used : end] = new
            self._used = end

    def remove(self, keys: Sequence[int] | Keys) -> None:
        self._set(np.setdiff1d(self.keys, validate_keys(keys)))

    def clear(self) -> None:
        self._set(np.empty(0, dtype=np.int64))

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        if allowed is not None and allowed.shape != self.keys.shape:
            raise InvalidArgumentError(
                "The mask does not fit the index",
                f"it has the shape {allowed.shape}, the index {self._used} vectors",
                "Make the mask from the index's keys of this moment",
            )
        rough, error = self.rough_similarities(query)
        positions = np.arange(self._used) if allowed is None else np.flatnonzero(allowed)
        if 0 < k < len(positions):
            of_allowed = rough[positions]
            edge = np.partition(of_allowed, -k)[-k] - 2.0 * error
            positions = positions[of_allowed >= edge]
        similarities = self.similarities_at(query, positions)
        order = np.lexsort((-positions, -similarities))[: max(k, 0)]
        return SearchResult(self.keys[positions[order]], similarities[order])

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        query = validate_query(query, self._dimension)
        once, places = np.unique(positions, return_inverse=True)
        similarities: FloatVector = np.zeros(len(once), dtype=np.float32)
        for start in range(0, len(once), _FETCHED_AT_ONCE):
            keys = self.keys[once[start : start + _FETCHED_AT_ONCE]].tolist()
            vectors = self._stored.vectors_of(keys)
            there = [place for place, key in enumerate(keys) if key in vectors]
            if there:
                rows = np.stack([vectors[keys[place]] for place in there])
                similarities[start + np.array(there)] = exact_similarities(rows, query)
        return similarities[places]

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        vectors = self._stored.vectors_of([int(key) for key in keys])
        none = np.zeros(self._dimension, dtype=np.float32)
        return np.stack([vectors.get(int(key), none) for key in keys])

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        query = validate_query(query, self._dimension)
        rough: FloatVector = np.zeros(self._used, dtype=np.float32)
        if self._used:
            keys, similarities = self._stored.similarities(query)
            places = np.minimum(np.searchsorted(self.keys, keys), self._used - 1)
            # Another process may have stored or deleted some since.
            are_here = self._ids[places] == keys
            rough[places[are_here]] = similarities[are_here]
        return rough, _ROUNDING * self._dimension

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        yield from ()

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        return False

    def _set(self, keys: Keys) -> None:
        self._ids = keys
        self._used = len(keys)

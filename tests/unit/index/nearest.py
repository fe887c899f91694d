"""The nearest vectors of an index, found as DENSE relevance finds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rag_memory.index.vector_index import VectorIndex
from rag_memory.retrieval.relevance import possible_positions
from rag_memory.vectors import FloatVector, Keys, Mask


class Nearest(NamedTuple):
    """Best first; of equal ones the higher key."""

    keys: Keys
    similarities: FloatVector


def nearest(index: VectorIndex, query: FloatVector, k: int, allowed: Mask | None = None) -> Nearest:
    rough, error = index.rough_similarities(query)
    if k <= 0:
        return Nearest(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    mask = np.ones(len(index.keys), dtype=np.bool_) if allowed is None else allowed
    positions = possible_positions(rough, k, mask, 2.0 * error)
    similarities = index.similarities_at(query, positions)
    order = np.lexsort((-positions, -similarities))[:k]
    return Nearest(index.keys[positions[order]], similarities[order])

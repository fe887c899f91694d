"""The vector indexes by name."""

from __future__ import annotations

from collections.abc import Callable

from rag_memory.index.exact_index import ExactIndex
from rag_memory.index.sized_index import SizedIndex
from rag_memory.index.vector_index import IndexOptions, VectorIndex

DEFAULT = "by size"


def make_index(dimension: int, options: IndexOptions, name: str = DEFAULT) -> VectorIndex:
    """An empty index for vectors of this many numbers.

    Args:
        name: one of INDEXES.
    """
    return INDEXES[name](dimension, options)


def _hnsw(dimension: int, options: IndexOptions) -> VectorIndex:
    from rag_memory.index.hnsw_index import HnswIndex

    return HnswIndex(dimension, options)


INDEXES: dict[str, Callable[[int, IndexOptions], VectorIndex]] = {
    DEFAULT: SizedIndex,
    "exact": lambda dimension, _options: ExactIndex(dimension),
    "hnsw": _hnsw,
}
"""Index -> what makes one, given the numbers per vector and the options."""

"""The protocol of vector indexes.

An index compares vectors in this process (exact_index.py) or asks the database that keeps them
(server_index.py). The rest of the package knows only this protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Positions


class VectorIndex(Protocol):
    """The vectors of one NPC's memories by key; every vector has length 1.

    Every vector is found as soon as it is added.
    """

    @property
    def keys(self) -> Keys:
        """The keys, ascending; masks and positions refer to them. Read-only; ask again after a change."""

    @property
    def bytes(self) -> int:
        """About the memory it takes in this process."""

    def reserve(self, count: int) -> None:
        """Make room for so many vectors, before they are added a part at a time."""

    def add(self, keys: Sequence[int] | Keys, vectors: FloatMatrix) -> None:
        """Add vectors, float32 [len(keys), dimension], or replace those of known keys.

        Raises:
            InvalidArgumentError: a repeated or negative key, a wrong shape, NaN or infinity.
        """

    def remove(self, keys: Sequence[int] | Keys) -> None:
        """Forget these keys; unknown ones are ignored."""

    def clear(self) -> None:
        """Forget everything."""

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        """The cosine of the query, which has length 1, with the vectors at these positions of `keys`. The
        number of a vector does not depend on the others.

        Raises:
            InvalidArgumentError: the query has another shape.
        """

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        """About the similarity with every vector, in the order of `keys`; and how far off one is at most."""

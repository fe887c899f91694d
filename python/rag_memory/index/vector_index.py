"""The protocol of vector indexes, which is all that the rest of the package knows of them.

An index is one module that keeps this protocol, and one entry in registry.py, unless it needs the store
(server_index.py). Nobody asks which one it is talking to: it may compare every vector, search a graph, or ask
another machine.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask, Positions


class SearchResult(NamedTuple):
    """Memories best first: similarity descending, equal ones by key descending (stored last comes first)."""

    keys: Keys
    similarities: FloatVector
    """Cosine, -1..1."""


@dataclass(frozen=True)
class IndexOptions:
    """The Search group of MemoryConfig, which checks the ranges."""

    exact_search_limit: int = 40_000
    m: int = 24
    ef_construction: int = 200
    ef_search: int = 450


class VectorIndex(Protocol):
    """The vectors of one NPC's memories by key; every vector has length 1.

    If k allowed memories exist, k come back, whatever the filter. An approximate index may miss one of the
    nearest; it never returns too few, and never one that is not allowed or was removed. The same changes and
    questions give the same answers.
    """

    @property
    def keys(self) -> Keys:
        """The keys, ascending; masks and positions refer to them. Read-only; ask again after a change."""

    @property
    def bytes(self) -> int:
        """About the memory it takes in this process."""

    @property
    def pending(self) -> int:
        """The number of vectors that wait for `build_index_steps`. Searches find them, only slower."""

    def adopt(self, options: IndexOptions) -> bool:
        """Search as these options say from now on; False, without any effect, when another index, made with
        them, has to take its place.
        """

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

    def search(self, query: FloatVector, k: int, allowed: Mask | None = None) -> SearchResult:
        """The `k` most similar vectors among the allowed ones, fewer only when fewer are allowed.

        Args:
            query: [dimension], length 1.
            allowed: a mask over `keys`; None allows all.

        Raises:
            InvalidArgumentError: the query or the mask has another shape.
        """

    def similarities_at(self, query: FloatVector, positions: Positions) -> FloatVector:
        """The similarity of the query with the vectors at these positions of `keys`, the same bits as
        `search` gives.
        """

    def matrix_of(self, keys: Sequence[int] | Keys) -> FloatMatrix:
        """Copies of the vectors of these keys, in their order."""

    def rough_similarities(self, query: FloatVector) -> tuple[FloatVector, float]:
        """About the similarity with every vector, in the order of `keys`; and how far off one is at most.

        An index that cannot compare with every vector knows those of the nearest few hundred. For the others
        it answers with half of the lowest of these, and they are off by as much.
        """

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        """Put what is pending into its place, a few milliseconds per step: (done, total).

        The index may be changed and searched between two steps.
        """

    def save(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """Write what took long to build; False when there is nothing to write.

        Args:
            path: a file whose folder is made when it is missing.
            fingerprint: of the embedder the vectors come from.
            stamp: changes with every change of the vectors this index stands for.

        Raises:
            OSError: the disk is full or read-only; what was there before is still whole or refused.
        """

    def load(self, path: Path, fingerprint: str, stamp: str) -> bool:
        """Take over what was saved for exactly the vectors that were added; whether it was.

        What is missing, stale or damaged costs only time: it is built again.
        """

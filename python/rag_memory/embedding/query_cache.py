"""The vectors of the last few queries: an NPC is often asked the same thing twice in a row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from rag_memory.vectors import FloatVector

_CAPACITY = 256


class QueryCache:
    """Remembers up to 256 vectors, forgetting the one that was not asked for the longest."""

    def __init__(self, compute: Callable[[str], FloatVector]) -> None:
        self._compute = compute
        self._vectors: OrderedDict[str, FloatVector] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def vector(self, text: str) -> FloatVector:
        """The vector of `text`, computed or remembered; read-only, because it is shared."""
        known = self._vectors.get(text)
        if known is not None:
            self._vectors.move_to_end(text)
            return known
        vector = self._compute(text)
        vector.flags.writeable = False
        self._vectors[text] = vector
        if len(self._vectors) > _CAPACITY:
            self._vectors.popitem(last=False)
        return vector

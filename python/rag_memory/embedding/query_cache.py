"""The vectors of the last few questions: an NPC is often asked the same thing twice in a row."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator

from rag_memory.embedding.embedder import Embedder
from rag_memory.vectors import FloatVector

_CAPACITY = 256


class QueryCache:
    """Embeds questions and remembers up to 256 of them; the one that was not asked for the longest goes
    first.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, FloatVector] = OrderedDict()
        self._standing_in: str | None = None

    def __len__(self) -> int:
        return len(self._vectors)

    def vector(self, text: str) -> FloatVector:
        """The vector of `text`, [dimension]; read-only, because it is shared.

        Raises:
            EmbedderError: the model failed; nothing is remembered then.
        """
        text = text if self._standing_in is None else self._standing_in
        cached = self._vectors.get(text)
        if cached is not None:
            self._vectors.move_to_end(text)
            return cached
        vector: FloatVector = self._embedder.embed([text])[0]
        vector.flags.writeable = False
        self._vectors[text] = vector
        if len(self._vectors) > _CAPACITY:
            self._vectors.popitem(last=False)
        return vector

    @contextlib.contextmanager
    def standing_in(self, text: str) -> Iterator[None]:
        """Use the vector of this text for every query inside the block. Several searches for one query then
        cost one embedding, whatever words each leaves out.
        """
        self._standing_in = text
        try:
            yield
        finally:
            self._standing_in = None

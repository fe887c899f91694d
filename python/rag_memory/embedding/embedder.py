"""The protocol of embedding backends, which is all that the rest of the package knows of them.

A backend is one module that keeps this protocol, and one entry in registry.py. Nobody asks which backend it
is talking to, so one on another machine fits, too: it may be slow, answer many texts at once, and fail.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol

from rag_memory.errors import InvalidArgumentError
from rag_memory.validation import shown, type_name
from rag_memory.vectors import FloatMatrix, FloatVector, Keys


class Embedder(Protocol):
    """Maps a text to a vector of length 1. Related texts have vectors with a high cosine.

    A save keeps the vectors of its memories, so the same text has to give the same vector every time: alone,
    among others, and in the next session. unit_rows() brings vectors to length 1.
    """

    @property
    def name(self) -> str:
        """The model's name for people."""

    @property
    def fingerprint(self) -> str:
        """Identifies model and dimension. Vectors with different fingerprints must not be compared."""

    @property
    def dimension(self) -> int:
        """Numbers per vector."""

    @property
    def max_chars(self) -> int:
        """Most characters of a text that are read. Later ones change no vector."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """The vectors of a few texts, float32 [len(texts), dimension], in their order. A row of zeros: the
        model does not take this text.

        Raises:
            InvalidArgumentError: one of them is not a text.
            EmbedderError: the model failed; EmbedderAwayError: it cannot be reached for now.
        """

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """The vectors of any number of texts, a part at a time: (positions in `texts`, their vectors).

        Each step should take a few milliseconds, because nobody else is answered meanwhile. A step may yield
        an empty part when nothing was ready in time. Every position comes exactly once, in any order. The
        caller may close the iterator early; it then ends what it began.

        Raises:
            InvalidArgumentError, EmbedderError: as embed(), with any step.
        """


def validate_embeddable(text: str) -> None:
    """Raise an InvalidArgumentError for what is not a text."""
    if not isinstance(text, str):
        raise InvalidArgumentError(
            "Only text can be embedded", f"it is {shown(text)} ({type_name(text)})", "Pass the memory's text"
        )


def readable(text: str, max_chars: int) -> str:
    """The part of `text` that can matter, with the surrogates no encoder takes made whole or replaced.

    Raises:
        InvalidArgumentError: it is not a text.
    """
    validate_embeddable(text)
    text = text[:max_chars]
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


_CAPACITY = 256


class VectorCache:
    """Embeds texts and remembers up to 256 of them; the one that was not asked for the longest goes first."""

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

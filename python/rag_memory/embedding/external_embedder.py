"""An embedder whose model runs elsewhere: on a server, or in a function of the game.

Its answers are checked here. After a failure no call asks it again, so that a dead server delays one call
and not every one. look_steps() retries it, after growing pauses.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from rag_memory.embedding.embedder import readable, validate_embeddable
from rag_memory.errors import EmbedderAwayError
from rag_memory.validation import shown
from rag_memory.vectors import FloatMatrix, Keys, unit_rows

_LOG = logging.getLogger("rag_memory")

_TEXTS_AT_ONCE = 16
_POLL_SECONDS = 0.001
_SLICE_SECONDS = 0.005
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 30.0
_MOST_DIMENSIONS = 16384
_LEAST_LENGTH = 1e-6
_WARM = "warm"
_BLANK = "-"
"""Stands for a text without a letter: servers refuse those."""


class VectorAnswer(NamedTuple):
    """The result of a request for vectors."""

    vectors: Sequence[Any] = ()
    """One-dimensional arrays of numbers; anything else is refused."""
    model: str = ""
    """The model's name as the server reports it; empty if it does not."""
    problem: str = ""
    """The reason for missing vectors; empty when there are vectors."""
    is_refusal: bool = False
    """True if the request was understood and refused, perhaps because of one of the texts."""
    is_quiet: bool = False
    """True if the problem needs no message."""


class Pending(Protocol):
    """A question that was asked."""

    def poll(self) -> VectorAnswer | None:
        """The answer; None as long as there is none. It never waits for it."""

    def cancel(self) -> None:
        """Nobody waits for it any more."""


class VectorSource(Protocol):
    """The owner of the model: it sends texts and receives vectors."""

    @property
    def provider(self) -> str:
        """The kind of server or function."""

    @property
    def model_name(self) -> str:
        """The model that is asked for; empty for the one that is there."""

    @property
    def max_chars(self) -> int:
        """Most characters of a text that may be sent."""

    def ask(self, texts: Sequence[str]) -> Pending:
        """Ask for the vectors of a few texts."""


class ExternalEmbedder:
    """See Embedder. Its dimension is 0 and its fingerprint empty until meet() or look_steps() has found out.

    Args:
        clock: seconds that never go back.
    """

    def __init__(self, source: VectorSource, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._pause = 0.0
        self._not_before = 0.0
        self.name = source.model_name or source.provider
        self.fingerprint = ""
        self.dimension = 0
        self.max_chars = source.max_chars
        self.fault = ""
        """The reason for which requests are paused; empty while the model answers."""
        self.is_another_model = False
        """True once the model has answered with another dimension than before."""

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """See Embedder.embed."""
        matrix: FloatMatrix = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for positions, vectors in self.batches(texts):
            matrix[positions] = vectors
        return matrix

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """See Embedder.batches."""
        for text in texts:
            validate_embeddable(text)
        places: dict[str, list[int]] = {}
        for position, text in enumerate(texts):
            places.setdefault(_sendable(text, self.max_chars), []).append(position)
        distinct = list(places)
        for start in range(0, len(distinct), _TEXTS_AT_ONCE):
            part = distinct[start : start + _TEXTS_AT_ONCE]
            if self.fault:
                raise self._away(self.fault)
            vectors = None
            for vectors in self._vectors_steps(part):
                if vectors is None:
                    yield np.empty(0, np.int64), np.empty((0, self.dimension), np.float32)
            assert vectors is not None
            rows = [(place, row) for text, row in zip(part, vectors, strict=True) for place in places[text]]
            yield np.array([place for place, _row in rows]), np.array([row for _place, row in rows])

    def meet(self) -> None:
        """Find out its dimension, now.

        Raises:
            EmbedderAwayError: it does not answer.
        """
        for _ in self._meet_steps():
            pass

    def look_steps(self) -> Iterator[None]:
        """Ask again while it is away, each time after a longer pause; yields while there is nothing to do,
        and ends once it has answered.
        """
        while self.fault:
            if self._clock() < self._not_before:
                yield
                continue
            try:
                yield from self._meet_steps(is_patient=True)
            except EmbedderAwayError:
                yield

    def _meet_steps(self, is_patient: bool = False) -> Iterator[None]:
        answer: VectorAnswer | None = None
        for answer in self._answers([_WARM], is_patient):
            if answer is None:
                yield
        assert answer is not None
        if answer.problem:
            self._fail(answer.problem, answer.is_quiet)
        vector = self._checked(answer, 1, 0)[0]
        if self.dimension and len(vector) != self.dimension:
            self.is_another_model = True
            self._fail(self._dimension_problem(len(vector)))
        self.name = self._source.model_name or answer.model or self._source.provider
        self.dimension = len(vector)
        self.fingerprint = f"{self._source.provider}:{self.name}:{self.dimension}"
        if self.fault:
            _LOG.info("The embedding model %s answers again.", self.name)
        self.fault, self._pause = "", 0.0

    def _vectors_steps(self, texts: Sequence[str]) -> Iterator[FloatMatrix | None]:
        """None while it is waited for, then the vectors; a row of zeros for a text that is not taken."""
        answer: VectorAnswer | None = None
        for answer in self._answers(texts):
            if answer is None:
                yield None
        assert answer is not None
        if not answer.problem:
            yield unit_rows(self._checked(answer, len(texts), self.dimension))
        elif not answer.is_refusal:
            self._fail(answer.problem, answer.is_quiet)
        elif len(texts) > 1:
            rows: list[FloatMatrix] = []
            for text in texts:
                vectors = None
                for vectors in self._vectors_steps([text]):
                    if vectors is None:
                        yield None
                assert vectors is not None
                rows.append(vectors)
            yield np.concatenate(rows)
        else:
            yield from self._without_steps(texts[0], answer.problem)

    def _without_steps(self, text: str, problem: str) -> Iterator[FloatMatrix | None]:
        """A row of zeros, if the model takes any text at all."""
        answer: VectorAnswer | None = None
        for answer in self._answers([_WARM]):
            if answer is None:
                yield None
        assert answer is not None
        if answer.problem:
            self._fail(answer.problem, answer.is_quiet)
        _LOG.warning(
            "The embedding model %s does not take the text %s: %s It is found by its words alone.",
            self.name,
            shown(text[:80]),
            problem,
        )
        yield np.zeros((1, self.dimension), dtype=np.float32)

    def _answers(self, texts: Sequence[str], is_patient: bool = False) -> Iterator[VectorAnswer | None]:
        """None every few milliseconds while it is waited for, then the answer. Who is patient is asked for
        when there is time, and does not wait here.
        """
        pending = self._source.ask(texts)
        answer: VectorAnswer | None = None
        try:
            while (answer := pending.poll()) is None:
                deadline = time.monotonic() + (0.0 if is_patient else _SLICE_SECONDS)
                while answer is None and time.monotonic() < deadline:
                    time.sleep(_POLL_SECONDS)
                    answer = pending.poll()
                if answer is not None:
                    break
                yield None
        finally:
            if answer is None:
                pending.cancel()
        yield answer

    def _checked(self, answer: VectorAnswer, count: int, dimension: int) -> FloatMatrix:
        """The vectors as they came; a dimension of 0 is any."""
        if len(answer.vectors) != count:
            self._fail(f"it answered with {len(answer.vectors)} vectors to {count} texts")
        rows = [np.asarray(vector) for vector in answer.vectors]
        if any(row.ndim != 1 or row.dtype.kind not in "fiu" for row in rows):
            self._fail("it answered with something else than vectors of numbers")
        lengths = {len(row) for row in rows}
        if len(lengths) != 1 or not 1 <= next(iter(lengths)) <= _MOST_DIMENSIONS:
            self._fail(
                f"it answered with vectors of {' and '.join(map(str, sorted(lengths)))} numbers; they have "
                f"to be equally long, with 1 to {_MOST_DIMENSIONS}"
            )
        length = next(iter(lengths))
        if dimension and length != dimension:
            self.is_another_model = True
            self._fail(self._dimension_problem(length))
        matrix = np.array(rows, dtype=np.float64)
        if not bool(np.isfinite(matrix).all()) or bool((np.abs(matrix) > np.finfo(np.float32).max).any()):
            self._fail("it answered with a vector that holds infinity or NaN")
        if bool((np.sqrt((matrix * matrix).sum(axis=1)) < _LEAST_LENGTH).any()):
            self._fail("it answered with a vector of zeros, which means nothing")
        return unit_rows(matrix)

    def _dimension_problem(self, length: int) -> str:
        return (
            f"it answered with {length} numbers per text, and with {self.dimension} before, so it is another "
            "model now. The save that is opened next takes it"
        )

    def _fail(self, why: str, is_quiet: bool = False) -> NoReturn:
        """Not to be asked for a while."""
        why = why.strip().rstrip(".")
        self._pause = min(max(2.0 * self._pause, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        self._not_before = self._clock() + self._pause
        error = self._away(why)
        if not self.fault and not is_quiet:
            _LOG.warning("%s", error)
        self.fault = why
        raise error

    def _away(self, why: str) -> EmbedderAwayError:
        return EmbedderAwayError(
            f"The embedding model {self.name} does not answer as it should",
            why,
            "Memories are kept, and found by their words until it does; it is asked again by itself",
        )


def _sendable(text: str, max_chars: int) -> str:
    """Return a text in a form that can be sent: the engine's strings hold no NUL."""
    sent = readable(text, max_chars).replace("\0", " ")
    return sent if sent.strip() else _BLANK

"""Any number of vectors that lie as those of texts do, the same ones for the same seed.

Embedding a million texts takes hours. These are mixtures: each vector lies between two vectors of real
sentences, with noise; near neighbours and clusters are kept, which is what search times depend on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag_memory.embedding.embedder import Embedder
from rag_memory.vectors import FloatMatrix, unit_rows

from . import game_text

_SENTENCES = 600
_LEAST_SHARE = 0.55
_NOISE = 0.012
"""Noise per number: a fifth of the vector's length in 384 dimensions."""


def of_sentences(embedder: Embedder, seed: int) -> FloatMatrix:
    """The vectors of some real sentences."""
    return embedder.embed([memory["text"] for memory in game_text.memories(_SENTENCES, seed, 0.0)])


def mixtures(sentences: FloatMatrix, count: int, seed: int) -> FloatMatrix:
    """`count` vectors between those of sentences."""
    source = np.random.default_rng(seed)
    first, second = (sentences[source.integers(len(sentences), size=count)] for _ in range(2))
    share = source.uniform(_LEAST_SHARE, 1.0, (count, 1)).astype(np.float32)
    noise: NDArray[np.float32] = source.standard_normal(first.shape, dtype=np.float32) * np.float32(_NOISE)
    return unit_rows(first * share + second * (1 - share) + noise)


class KnownVectors:
    """An embedder that knows the vectors already: text number N, written "N ...", has vector N; a question,
    "?N", has question vector N.
    """

    name = "known vectors"
    max_chars = 10_000

    def __init__(self, vectors: FloatMatrix, questions: FloatMatrix) -> None:
        self._vectors = vectors
        self._questions = questions
        self.dimension = int(vectors.shape[1])
        self.fingerprint = f"known-{self.dimension}"

    def embed(self, texts: list[str]) -> FloatMatrix:
        """See Embedder.embed."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        number = text.split(" ", 1)[0]
        vector = self._questions[int(number[1:])] if number[0] == "?" else self._vectors[int(number)]
        return np.asarray(vector)

    def batches(self, texts: list[str]):  # type: ignore[no-untyped-def]
        """See Embedder.batches."""
        for start in range(0, len(texts), 64):
            part = texts[start : start + 64]
            yield np.arange(start, start + len(part)), self.embed(part)

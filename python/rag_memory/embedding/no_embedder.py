"""The stand-in for an embedding model in saves that search by words alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rag_memory.embedding.embedder import validate_embeddable
from rag_memory.vectors import FloatMatrix, Keys

_AT_ONCE = 256


class NoEmbedder:
    """Gives every text the same vector, of one number: where it is the embedder, nobody compares vectors."""

    name = "none"
    fingerprint = "none-1"
    dimension = 1
    max_chars = 4096

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        for text in texts:
            validate_embeddable(text)
        return np.ones((len(texts), self.dimension), dtype=np.float32)

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        for start in range(0, len(texts), _AT_ONCE):
            part = texts[start : start + _AT_ONCE]
            yield np.arange(start, start + len(part), dtype=np.int64), self.embed(part)

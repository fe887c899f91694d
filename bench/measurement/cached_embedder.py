"""An embedder that computes every text once, because the same memories are stored in many saves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rag_memory.embedding.embedder import Embedder
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_TOGETHER = 32


class CachedEmbedder:
    """Caches the vectors of another embedder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.vectors: dict[str, FloatVector] = {}
        """By text."""
        self.fingerprint, self.name = embedder.fingerprint, embedder.name
        self.dimension, self.max_chars = embedder.dimension, embedder.max_chars

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """The vectors of these texts, in their order."""
        missing = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        for start in range(0, len(missing), _TOGETHER):
            part = missing[start : start + _TOGETHER]
            self.vectors.update(zip(part, self._embedder.embed(part), strict=True))
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([self.vectors[text] for text in texts])

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        """All of them at once."""
        yield np.arange(len(texts), dtype=np.int64), self.embed(texts)

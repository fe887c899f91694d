"""A save filled without embedding: texts of game_text.py with vectors made from those of real sentences.

It says that the built model made them, so that a game opens it as its own. Only for times: what is found has
nothing to do with what is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rag_memory
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.vectors import FloatMatrix, Keys
from rag_memory_build.console import Progress
from rag_memory_build.paths import MODELS
from rag_memory_server.postgres_storage import MemoryPostgresStorage

from . import game_text, vectors

_BATCH = 500


class _Pretender:
    """The model for everything but texts to store, which get the next vectors in turn."""

    def __init__(self, model: Embedder, made: FloatMatrix) -> None:
        self._model = model
        self._made = made
        self._next = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        first, self._next = self._next, self._next + len(texts)
        yield np.arange(len(texts)), self._made[first : self._next]


def fill(
    path: Path,
    npcs: Sequence[str],
    count: int,
    seed: int,
    now: float,
    progress: Progress,
    storage: MemoryPostgresStorage | None = None,
) -> None:
    """Make a save at `path`, or of this name on a server, with the same number of memories per NPC."""
    model = default_embedder(MODELS)
    progress.update("vectors of sentences")
    made = vectors.mixtures(vectors.of_sentences(model, seed), count * len(npcs), seed)
    if storage is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    embedder: Any = _Pretender(model, made)
    with rag_memory.open_save(str(path), embedder, clock=lambda: now, storage=storage) as save:
        for number, npc_id in enumerate(npcs):
            written = game_text.memories(count, seed + number, now)
            for start in range(0, count, _BATCH):
                save.npc(npc_id).memories.store_batch(written[start : start + _BATCH])
                progress.update(f"{number * count + start + _BATCH:,} of {count * len(npcs):,} memories")

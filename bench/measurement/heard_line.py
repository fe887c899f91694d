"""What a line costs that several NPCs hear, beside one that one NPC hears, and what is embedded for it."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import rag_memory
from rag_memory.embedding.embedder import Embedder
from rag_memory.embedding.registry import default_embedder
from rag_memory.vectors import FloatMatrix, Keys
from rag_memory_build.paths import MODELS

from . import game_text

_ROUNDS = 60
_WARM_UP = 5


class HeardLine(NamedTuple):
    """Medians of `store_turn()`, in ms of the processor, and the texts that were embedded for one line."""

    hearers: int
    alone_ms: float
    heard_ms: float
    alone_texts: float
    heard_texts: float

    @property
    def ratio(self) -> float:
        """How many times as much a line costs that all hear."""
        return self.heard_ms / self.alone_ms


class _Counting:
    """The model, and how many texts it was given."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self.texts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.texts += len(texts)
        return self._model.embed(texts)

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Keys, FloatMatrix]]:
        self.texts += len(texts)
        return iter(self._model.batches(texts))


def measured(path: Path, npcs: Sequence[str], seed: int, now: float) -> HeardLine:
    """Say lines to the first of these NPCs in a save that has all of them: alone, and before the others."""
    counting = _Counting(default_embedder(MODELS))
    embedder: Any = counting
    lines = itertools.cycle(game_text.memories(500, seed, now))
    times: dict[bool, list[float]] = {False: [], True: []}
    texts: dict[bool, list[int]] = {False: [], True: []}
    with rag_memory.open_save(str(path), embedder, clock=lambda: now) as save:
        conversation = save.npc(npcs[0]).conversation
        for number in range(2 * (_ROUNDS + _WARM_UP)):
            is_heard = number % 2 == 1
            line = f"{next(lines)['text']} I promise to bring {number} sacks."
            before, started = counting.texts, time.process_time()
            conversation.store_turn(line, "I see.", {"bystanders": list(npcs[1:] if is_heard else ())})
            times[is_heard].append((time.process_time() - started) * 1000.0)
            texts[is_heard].append(counting.texts - before)
    alone, heard = (statistics.median(times[is_heard][_WARM_UP:]) for is_heard in (False, True))
    of_alone, of_heard = (statistics.mean(texts[is_heard][_WARM_UP:]) for is_heard in (False, True))
    return HeardLine(len(npcs), alone, heard, of_alone, of_heard)

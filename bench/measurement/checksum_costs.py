"""The time that the checksums of a save's pages take."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.storage.sqlite import write_ahead_log
from rag_memory.storage.sqlite.page_sums import PageSums

_DIMENSION = 384
_WORDS = 25
_OPENED = 9


def measure(folder: Path, memories: int, seed: int) -> tuple[float, float, float]:
    """Store so many memories, one by one.

    Returns:
        the share of processor time that checksums took, and the medians of the milliseconds in which the save
        opens, with and without checksums.
    """
    dice = random.Random(seed)
    words = [" ".join(f"word{dice.randrange(900)}" for _ in range(_WORDS)) for _ in range(memories)]
    file = folder / "costs.sqlite3"
    with _timed() as spent, rag_memory.open_save(file, HashingEmbedder(_DIMENSION)) as save:
        npc = save.npc("mira")
        npc.memories.store("The first opens everything.")
        spent.clear()
        started = time.process_time()
        for number, text in enumerate(words):
            npc.memories.store(f"{number} {text}")
        share = sum(spent) / (time.process_time() - started)
    with_sums = _opening_ms(file)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM meta WHERE key = 'sums'")
    return share, with_sums, _opening_ms(file)


def _opening_ms(file: Path) -> float:
    samples = []
    for _ in range(_OPENED):
        started = time.process_time()
        save = rag_memory.open_save(file, HashingEmbedder(_DIMENSION), is_played=False)
        samples.append(1000 * (time.process_time() - started))
        save.close()
    return statistics.median(samples)


@contextlib.contextmanager
def _timed() -> Iterator[list[float]]:
    """Collect the seconds that every call about checksums takes."""
    spent: list[float] = []

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            started = time.process_time()
            result = function(*arguments)
            spent.append(time.process_time() - started)
            return result

        return run

    places: list[tuple[Any, str]] = [
        *((PageSums, name) for name in ("make_room", "note", "write")),
        (write_ahead_log, "pages_in_log"),
    ]
    originals = [getattr(place, name) for place, name in places]
    for (place, name), original in zip(places, originals, strict=True):
        setattr(place, name, timed(original))
    try:
        yield spent
    finally:
        for (place, name), original in zip(places, originals, strict=True):
            setattr(place, name, original)

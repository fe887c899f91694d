"""Damages the file of a save, and opens it until it is whole again."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.errors import RagMemoryError, SaveDamagedError, StoreError

NOW = 1_702_500_000.0
DAY = 86400.0


def opened_at(path: Path, now: float = NOW + 40 * DAY) -> Save:
    return open_save(path, embedder=HashingEmbedder(64), clock=lambda: now)


def healed(path: Path, calls: Callable[[Save], Iterator[Callable[[], object]]]) -> Save:
    """The save after at most one failed call and one more open, on which all of these calls work."""
    failed = 0
    while True:
        try:
            save = opened_at(path)
        except SaveDamagedError:
            failed += 1
            assert failed == 1, "it does not heal"
            continue
        try:
            for call in calls(save):
                call()
            return save
        except StoreError:
            failed += 1
            assert failed == 1, "it does not heal"
            with contextlib.suppress(RagMemoryError):
                save.close()


def with_changed_bits(content: bytes, folder: Path, seed: int, count: int) -> Iterator[tuple[int, Path]]:
    """Write copies of a save in which a random bit is changed; yield the bit and the path."""
    chosen = random.Random(seed)
    for number in range(count):
        bit = chosen.randrange(len(content) * 8)
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        path = folder / f"{number}" / "village.sqlite3"
        path.parent.mkdir()
        path.write_bytes(damaged)
        yield bit, path


def with_statements(content: bytes, folder: Path, *statements: str) -> Path:
    """Write a copy of a save and run statements on it without the core; return the path."""
    path = folder / "village.sqlite3"
    path.write_bytes(content)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path

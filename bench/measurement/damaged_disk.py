"""Changed bits and wiped sectors of a save: does a memory change, and nobody says so?"""

from __future__ import annotations

import logging
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from measurement import busy_game
from measurement.busy_game import NPCS, BusyGame
from rag_memory.errors import RagMemoryError

_Read = TypeVar("_Read")
_LOG = logging.getLogger("rag_memory")
_SECTOR = 512
_UNHARMED, _REPORTED, _UNNOTICED = "unharmed", "reported", "unnoticed"


class Result(NamedTuple):
    """What became of damaged saves."""

    by_outcome: dict[str, int]
    unnoticed: list[str]
    """Where a memory had changed and nothing said so."""


def fill(folder: Path, seed: int, calls: int) -> Path:
    """Make a save, closed, and return its file."""
    game = BusyGame(folder, seed)
    for _ in range(calls):
        game.next_call()
        game.carry_out()
    game.close()
    return folder / busy_game.SAVE


def damage_copies(
    file: Path, folder: Path, count: int, seed: int, progress: Callable[[int], object] = lambda done: None
) -> Result:
    """Change a random bit, or wipe a random sector, of so many copies of a save, and open each."""
    dice = random.Random(seed)
    content = file.read_bytes()
    expected = _opened_copy(file, folder, content, _memories)
    outcomes: Counter[str] = Counter()
    unnoticed: list[str] = []
    for number in range(count):
        where, damaged = _with_bit(content, dice) if number % 2 else _with_sector(content, dice)
        outcome = _opened_copy(file, folder, damaged, lambda copy: _outcome(copy, expected))
        outcomes[f"{'bit' if number % 2 else 'sector'}, {outcome}"] += 1
        if outcome == _UNNOTICED:
            unnoticed.append(where)
        progress(number + 1)
    return Result(dict(outcomes), unnoticed)


def _opened_copy(file: Path, folder: Path, content: bytes, read: Callable[[Path], _Read]) -> _Read:
    """Read a copy of a save with this content."""
    copy = folder / "copy" / file.name
    copy.parent.mkdir()
    copy.write_bytes(content)
    try:
        return read(copy)
    finally:
        shutil.rmtree(copy.parent)


def _with_bit(content: bytes, dice: random.Random) -> tuple[str, bytes]:
    bit = dice.randrange(8 * len(content))
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << bit % 8
    return f"bit {bit}", bytes(damaged)


def _with_sector(content: bytes, dice: random.Random) -> tuple[str, bytes]:
    start = _SECTOR * dice.randrange(len(content) // _SECTOR)
    return f"sector at {start}", content[:start] + bytes(_SECTOR) + content[start + _SECTOR :]


def _outcome(file: Path, expected: dict[str, Any]) -> str:
    messages: list[str] = []
    try:
        memories = _memories(file, messages)
    except RagMemoryError:
        return _REPORTED
    if messages:
        return _REPORTED
    return _UNHARMED if memories == expected else _UNNOTICED


def _memories(file: Path, messages: list[str] | None = None) -> dict[str, Any]:
    """Every memory with all that is known of it; messages of the core are added to the list."""
    warnings = [] if messages is None else messages
    watch = logging.Handler(logging.WARNING)
    watch.emit = lambda record: warnings.append(record.getMessage())  # type: ignore[method-assign]
    _LOG.addHandler(watch)
    try:
        with busy_game.opened(file) as save:
            return {
                memory["id"]: memory
                for npc_id in NPCS
                for memory in save.npc(npc_id).recall.get_recent(1_000_000)
            }
    finally:
        _LOG.removeHandler(watch)

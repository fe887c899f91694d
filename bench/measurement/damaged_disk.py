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

Contents = dict[str, bytes]
"""The files of a save, by the endings of their names."""
_ENDINGS = ("", "-wal")
_Read = TypeVar("_Read")
_LOG = logging.getLogger("rag_memory")
_SECTOR = 512
_UNHARMED, _REPORTED, _UNNOTICED = "unharmed", "reported", "unnoticed"


class Result(NamedTuple):
    """What became of damaged saves."""

    by_outcome: dict[str, int]
    unnoticed: list[str]
    """Where a memory had changed and nothing said so."""


def fill(folder: Path, seed: int, calls: int) -> Contents:
    """Make a save, and return its files as a kill leaves them."""
    game = BusyGame(folder, seed)
    for _ in range(calls):
        game.next_call()
        game.carry_out()
    file = folder / busy_game.SAVE
    contents = {ending: Path(f"{file}{ending}").read_bytes() for ending in _ENDINGS}
    game.close()
    return contents


def closed(contents: Contents, folder: Path) -> Contents:
    """Return the files of a save as they are after it was opened and closed."""
    return _opened_copy(folder, contents, lambda file: {"": (_memories(file), file.read_bytes())[1]})


def damage_copies(
    contents: Contents,
    folder: Path,
    count: int,
    seed: int,
    progress: Callable[[int], object] = lambda done: None,
) -> Result:
    """Change a random bit, or wipe a random sector, of so many copies of a save, and open each."""
    dice = random.Random(seed)
    expected = _opened_copy(folder, contents, _memories)
    outcomes: Counter[str] = Counter()
    unnoticed: list[str] = []
    for number in range(count):
        where, damaged = _damaged(contents, bool(number % 2), dice)
        outcome = _opened_copy(folder, damaged, lambda copy: _outcome(copy, expected))
        outcomes[f"{where.partition(' ')[0]}, {outcome}"] += 1
        if outcome == _UNNOTICED:
            unnoticed.append(f"seed {seed}: {where}")
        progress(number + 1)
    return Result(dict(outcomes), unnoticed)


def _opened_copy(folder: Path, contents: Contents, read: Callable[[Path], _Read]) -> _Read:
    """Read a save with these files."""
    copy = folder / "copy" / "village.sqlite3"
    copy.parent.mkdir()
    for ending, content in contents.items():
        Path(f"{copy}{ending}").write_bytes(content)
    try:
        return read(copy)
    finally:
        shutil.rmtree(copy.parent)


def _damaged(contents: Contents, is_bit: bool, dice: random.Random) -> tuple[str, Contents]:
    (ending,) = dice.choices(list(contents), [len(content) for content in contents.values()])
    content = bytearray(contents[ending])
    if is_bit:
        bit = dice.randrange(8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
        where = f"bit {bit}"
    else:
        start = _SECTOR * dice.randrange(len(content) // _SECTOR)
        content[start : start + _SECTOR] = bytes(_SECTOR)
        where = f"sector at {start}"
    return f"{where} of the {'log' if ending else 'file'}", {**contents, ending: bytes(content)}


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

"""A mark: a point in the order of a save's writes that rollback_to() can go back to.

A game keeps its token, a String, in its own save file. It holds a code that no other mark has, so a mark that
a restored snapshot or another save does not have is never taken for a newer one with the same number. The
name of the save in it is for messages only: a copied save has another name and the same marks.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

from rag_memory.lazy_pattern import lazy_pattern

CERTAIN_MARKS = 100
"""So many of the last marks of a save can be reached: what an older one needs is not kept for ever."""
MOST_MARKS = 120
"""With more, all but the CERTAIN_MARKS end. All at once, because what they need is then gone through."""

_FILE_ENDING = ".sqlite3"
_TOKEN = lazy_pattern(r"mark:([0-9a-f]{16}):(.*)", re.DOTALL)


class Mark(NamedTuple):
    """A mark as the save stores it. `number` is its place in the order of writes: those before have smaller
    order numbers, later ones greater ones.
    """

    number: int
    code: str
    timestamp: float


class Token(NamedTuple):
    """What a game stores of a mark."""

    code: str
    save_name: str

    def __str__(self) -> str:
        return f"mark:{self.code}:{self.save_name}"


def new_code() -> str:
    """A code that no other mark has."""
    return secrets.token_hex(8)


def parse_token(text: str) -> Token | None:
    """The token in a text; None when it is no mark."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else Token(match.group(1), match.group(2))


def save_name(path: str) -> str:
    """What a game calls the save that was opened with this path."""
    return PurePath(path).name.removesuffix(_FILE_ENDING)


class Rollback(NamedTuple):
    """What a rollback has changed.

    `forgotten` is how many memories of an NPC, by number, without those that are again what they were; `npcs`
    are the numbers of the NPCs concerned.
    """

    forgotten: Mapping[int, int]
    npcs: frozenset[int]

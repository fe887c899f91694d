"""What a rollback has done."""

from __future__ import annotations

from typing import NamedTuple


class Rollback(NamedTuple):
    """What a rollback has changed: how many memories are forgotten, without those that are again what they
    were; and the numbers of the NPCs concerned.
    """

    forgotten: int
    npcs: frozenset[int]

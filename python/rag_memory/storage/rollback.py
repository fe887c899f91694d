"""What a rollback has done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Rollback(NamedTuple):
    """What a rollback has changed.

    `forgotten` is how many memories of an NPC, by number, without those that are again what they were; `npcs`
    are the numbers of the NPCs concerned.
    """

    forgotten: Mapping[int, int]
    npcs: frozenset[int]

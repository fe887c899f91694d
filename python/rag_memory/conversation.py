"""Which memories belong to one conversation: what was stored one after another within a short time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .postings import Positions
from .vector import Mask

SECONDS_PER_MINUTE = 60.0


class Conversations:
    """The conversations of one NPC's memories, in the order in which they were stored.

    Two memories are neighbours when no more than `gap_minutes` of the game's time lie between them and they
    were stored next to each other, or with a few others between. A conversation goes on until such a gap.
    """

    def __init__(self, columns: Columns, gap_minutes: float) -> None:
        self._times = columns.timestamps
        self._gap = gap_minutes * SECONDS_PER_MINUTE
        self._numbers: NDArray[np.intp] | None = None
        self._nearness: dict[int, Mask] = {}

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The number of each memory's conversation, ascending from 0."""
        if self._numbers is None:
            gaps = np.abs(np.diff(self._times, prepend=self._times[:1]))
            self._numbers = np.cumsum(gaps > self._gap)
        return self._numbers

    def neighbours(self, positions: Positions, shift: int) -> tuple[Positions, Mask]:
        """The places `shift` memories away, and which of them exist and are of the same conversation."""
        return positions + shift, self._near(shift)[positions]

    def _near(self, shift: int) -> Mask:
        """Which memories have a neighbour `shift` memories away; the same for every question."""
        near = self._nearness.get(shift)
        if near is None:
            times, distance = self._times, abs(shift)
            near = np.zeros(len(times), dtype=np.bool_)
            pairs = np.abs(times[distance:] - times[:-distance]) <= self._gap
            if shift > 0:
                near[: len(pairs)] = pairs
            else:
                near[distance:] = pairs
            self._nearness[shift] = near
        return near

"""Which memories belong to one conversation: what was stored one after another within a short time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .columns import Columns
from .vector import Mask, Positions

SECONDS_PER_MINUTE = 60.0
_LEAST_KEPT = 1_000_000
_KEPT_PER_MEMORY = 16
"""Places of terms in windows, at most, but never fewer than _LEAST_KEPT: 12 bytes each."""

Channel = NDArray[np.float32]
"""A number for each memory, in the order of the columns."""


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
        self._windows: dict[tuple[str, int, float], tuple[Positions, Channel]] = {}
        self._kept = 0
        self._known_weights: dict[tuple[int, float], tuple[NDArray[np.float32], Channel]] = {}

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The number of each memory's conversation, ascending from 0."""
        if self._numbers is None:
            gaps = np.abs(np.diff(self._times, prepend=self._times[:1]))
            self._numbers = np.cumsum(gaps > self._gap)
        return self._numbers

    def around(self, positions: Positions, window: int) -> tuple[Positions, Mask]:
        """The places up to `window` memories away from each position, a row for each of shifts(window); and
        which of them exist and are of the same conversation. One that is not stands for the position itself.
        """
        near = self._near(window).take(positions, axis=1)
        return np.where(near, positions + shifts(window)[:, None], positions), near

    def windows_with(
        self, term: str, positions: Positions, window: int, weight: float
    ) -> tuple[Positions, Channel]:
        """Where a memory or its neighbours have a term, which is that of the memories at `positions`; and how
        often, where a neighbour counts as shares() says.
        """
        key = (term, window, weight)
        known = self._windows.get(key)
        if known is None:
            if self._kept > max(_LEAST_KEPT, _KEPT_PER_MEMORY * len(self._times)):
                self._windows.clear()
                self._kept = 0
            known = self._windows[key] = self._counted(positions, window, weight)
            self._kept += len(known[0]) + 1
        return known

    def _counted(self, positions: Positions, window: int, weight: float) -> tuple[Positions, Channel]:
        counts = np.zeros(len(self._times), dtype=np.float32)
        counts[positions] = 1.0
        around, near = self.around(positions, window)
        for places, is_near, share in zip(around, near, shares(window, weight), strict=True):
            counts[places[is_near]] += share
        # Of numbers instead of flags it takes numpy twenty times as long.
        found = np.flatnonzero(counts > 0.0)
        return found, counts[found]

    def means(self, values: Channel, window: int, weight: float) -> Channel:
        """The mean of each memory's value and its neighbours', one of which counts as shares() says."""
        weights, whole = self._weights(window, weight)
        total = values.copy()
        for distance in range(1, window + 1):
            before, after = weights[2 * distance - 2], weights[2 * distance - 1]
            total[distance:] += before[distance:] * values[:-distance]
            total[:-distance] += after[:-distance] * values[distance:]
        total *= whole
        return total

    def _weights(self, window: int, weight: float) -> tuple[NDArray[np.float32], Channel]:
        """What each memory's neighbours count, and the inverse of the sum with its own 1."""
        known = self._known_weights.get((window, weight))
        if known is None:
            weights = shares(window, weight)[:, None] * self._near(window)
            known = self._known_weights[window, weight] = weights, np.float32(1.0) / (1 + weights.sum(axis=0))
        return known

    def _near(self, window: int) -> Mask:
        """Which memories have a neighbour at each of shifts(window); the same for every question."""
        near = self._nearness.get(window)
        if near is None:
            times = self._times
            near = np.zeros((2 * window, len(times)), dtype=np.bool_)
            for distance in range(1, min(window + 1, len(times))):
                pairs = np.abs(times[distance:] - times[:-distance]) <= self._gap
                near[2 * distance - 2, distance:] = pairs
                near[2 * distance - 1, :-distance] = pairs
            self._nearness[window] = near
        return near


def shifts(window: int) -> NDArray[np.intp]:
    """How far away the neighbours are: -1, 1, -2, 2 and so on."""
    return np.array([shift for far in range(1, window + 1) for shift in (-far, far)], dtype=np.intp)


def shares(window: int, weight: float) -> NDArray[np.float32]:
    """What a neighbour counts at each of shifts(window): `weight` to the power of its distance."""
    return np.array([weight ** abs(shift) for shift in shifts(window).tolist()], dtype=np.float32)

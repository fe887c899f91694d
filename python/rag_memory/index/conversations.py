"""Conversations: runs of memories that were stored within a short time of each other."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.vectors import Mask, NDArray, Positions

SECONDS_PER_MINUTE = 60.0
_LEAST_CACHED = 1_000_000
_CACHED_PER_MEMORY = 16
"""Places of terms in windows, at most, but never fewer than _LEAST_KEPT."""

_SPARSE = 100
"""A term that more than one in so many memories have is counted for all of them: measured with 3,000 to
200,000 memories, 10 times as quick for one in two, hardly quicker for one in a hundred.
"""
_FEW_MEMORIES = 20
_FEW_MEMORIES_PER_TENTH = 8
"""Up to so many memories neighbours do not count, then a tenth more with every few, and whole from 100 on."""
_BYTES_PER_WINDOW_PLACE = 12
_BYTES_PER_TERM = 600
"""Of a kept term, besides what it has for each memory: its key, its arrays, and its place in a dictionary."""

Channel = NDArray[np.float32]
"""A number for each memory, in the order of the columns."""

_Having = NDArray[np.unsignedinteger[Any]]
"""For each memory, whether it has a term, and how many of its two neighbours at each distance have it, as
the digits of one number: quicker than sums.
"""


class Conversations:
    """The conversations of one NPC's memories, in the order in which they were stored.

    Two memories are neighbours when no more than `gap_minutes` of the game's time lie between them and they
    were stored next to each other, or with a few others between. A conversation goes on until such a gap.
    """

    def __init__(self, columns: Columns, gap_minutes: float) -> None:
        self._columns = columns
        self._times = columns.timestamps
        self._gap = gap_minutes * SECONDS_PER_MINUTE
        self._numbers: NDArray[np.intp] | None = None
        self._nearness: dict[int, Mask] = {}
        self._windows: dict[tuple[str, int, float], _Windows] = {}
        self._cached_places = 0
        self._cached_weights: dict[tuple[int, float], tuple[NDArray[np.float32], Channel]] = {}

    @property
    def bytes(self) -> int:
        """About how much memory the remembered questions take."""
        arrays = [
            *self._nearness.values(),
            *(array for pair in self._cached_weights.values() for array in pair),
        ]
        return (
            (0 if self._numbers is None else self._numbers.nbytes)
            + sum(array.nbytes for array in arrays)
            + self._cached_places * _BYTES_PER_WINDOW_PLACE
            + len(self._windows) * _BYTES_PER_TERM
        )

    def add_last(self) -> None:
        """Take in the memory that came last; after any other change the conversations are others."""
        self._times = self._columns.timestamps

    @property
    def numbers(self) -> NDArray[np.intp]:
        """The number of each memory's conversation, ascending from 0."""
        numbers = self._numbers
        if numbers is None or not len(numbers):
            gaps = np.abs(np.diff(self._times, prepend=self._times[:1]))
            numbers = self._numbers = np.cumsum(gaps > self._gap)
        elif len(numbers) < len(self._times):
            gaps = np.abs(np.diff(self._times[len(numbers) - 1 :]))
            numbers = self._numbers = np.concatenate((numbers, numbers[-1] + np.cumsum(gaps > self._gap)))
        return numbers

    def weight_among_all(self, weight: float) -> float:
        """Return the weight of a neighbour in an NPC with this many memories, for a weight among very many.

        Of a few memories, such as those that an NPC begins with, nearly all lie near what was asked for: a
        neighbour would come before the answer. The weight changes in steps, because what is kept of one
        weight is of no use to another.
        """
        tenths = (len(self._times) - _FEW_MEMORIES) // _FEW_MEMORIES_PER_TENTH
        return weight * min(max(tenths, 0), 10) / 10

    def around(self, positions: Positions, window: int) -> tuple[Positions, Mask]:
        """The places up to `window` memories away from each position, a row for each of shifts(window); and
        which of them exist and are of the same conversation. One that is not stands for the position itself.
        """
        places = positions + shifts(window)[:, None]
        nearness = self._nearness.get(window)
        if nearness is not None and nearness.shape[1] == len(self._times):
            near = nearness.take(positions, axis=1)
        else:
            times = self._times
            near = (places >= 0) & (places < len(times))
            near &= np.abs(times.take(places, mode="clip") - times[positions]) <= self._gap
        return np.where(near, places, positions), near

    def windows_with(
        self, term: str, positions: Positions, window: int, weight: float
    ) -> tuple[Positions, Channel]:
        """Return the positions of memories that have a term, or whose neighbours have it, and how often. The
        term is that of the memories at `positions`; neighbours count as shares() says.
        """
        key = (term, window, weight)
        windows = self._windows.get(key, _NO_WINDOWS)
        if windows.total != len(self._times):
            if self._cached_places > max(_LEAST_CACHED, _CACHED_PER_MEMORY * len(self._times)):
                self._windows.clear()
                self._cached_places = 0
            # For thousands of memories their neighbours are looked up quicker than compared.
            self._near(window)
            start, having = self._having_since(windows.total, positions, window if weight else 0)
            # Of numbers instead of flags it takes numpy twenty times as long.
            containing = np.flatnonzero(having != 0)
            before = int(np.searchsorted(windows.places, start))
            windows = self._windows[key] = _Windows(
                len(self._times),
                np.concatenate((windows.places[:before], containing + start)),
                np.concatenate((windows.held[:before], _counts(window, weight).take(having[containing]))),
            )
            self._cached_places += len(containing) + 1
        return windows.places, windows.held

    def _having_since(self, total: int, positions: Positions, window: int) -> tuple[int, _Having]:
        """From where on windows_with() may have changed since there were `total` memories; and, from there,
        which memories and neighbours have the term, as places in _counts().
        """
        start = max(0, total - window)
        if start == 0 and len(positions) * _SPARSE >= len(self._times):
            return start, self._having_everywhere(positions, window)
        having = np.zeros(len(self._times) - start, dtype=_having_type(window))
        last = positions[np.searchsorted(positions, start - window) :]
        having[last[last >= start] - start] = 1
        around, near = self.around(last, window)
        for row, (places, is_near) in enumerate(zip(around, near, strict=True)):
            having[places[is_near & (places >= start)] - start] += having.dtype.type(
                _distance_weight(row // 2 + 1)
            )
        return start, having

    def _having_everywhere(self, positions: Positions, window: int) -> _Having:
        """Return the same for every memory."""
        has: _Having = np.zeros(len(self._times), dtype=_having_type(window))
        has[positions] = 1
        having = has.copy()
        near = self._near(window).view(np.uint8)
        for distance in range(1, min(window + 1, len(has))):
            weighted = has * has.dtype.type(_distance_weight(distance))
            having[:-distance] += weighted[distance:] * near[2 * distance - 1, :-distance]
            having[distance:] += weighted[:-distance] * near[2 * distance - 2, distance:]
        return having

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
        """Return the weights of each memory's neighbours, and the inverse of their sum with its own 1."""
        cached = self._cached_weights.get((window, weight))
        if cached is None or len(cached[1]) < len(self._times):
            near = self._near(window)
            start = 0 if cached is None else max(0, len(cached[1]) - window)
            weights = shares(window, weight)[:, None] * near[:, start:]
            whole = np.float32(1.0) / (1 + weights.sum(axis=0))
            if cached is not None:
                weights = np.concatenate((cached[0][:, :start], weights), axis=1)
                whole = np.concatenate((cached[1][:start], whole))
            cached = self._cached_weights[window, weight] = weights, whole
        return cached

    def _near(self, window: int) -> Mask:
        """Return which memories have a neighbour at each of shifts(window); the same for every query."""
        times = self._times
        nearness = self._nearness.get(window, np.zeros((2 * window, 0), dtype=np.bool_))
        if nearness.shape[1] < len(times):
            start = max(0, nearness.shape[1] - window)
            near = np.zeros((2 * window, len(times)), dtype=np.bool_)
            near[:, :start] = nearness[:, :start]
            for distance in range(1, min(window + 1, len(times))):
                first = max(start - distance, 0)
                pairs = np.abs(times[first + distance :] - times[first:-distance]) <= self._gap
                near[2 * distance - 2, first + distance :] = pairs
                near[2 * distance - 1, first:-distance] = pairs
            nearness = self._nearness[window] = near
        return nearness


def _distance_weight(distance: int) -> int:
    """Return the number that a neighbour at this distance adds to a _Having. The memory itself adds 1, and
    there are two neighbours.
    """
    return int(2 * 3 ** (distance - 1))


def _having_type(window: int) -> np.dtype[Any]:
    return np.min_scalar_type(_distance_weight(window + 1) - 1)


@functools.lru_cache
def _counts(window: int, weight: float) -> Channel:
    """Return how often a term is in a memory and its neighbours, for each _Having; the nearest is added
    first.
    """
    counts = np.array([0.0, 1.0], dtype=np.float32)
    for share in shares(window, weight)[::2]:
        one = counts + share
        counts = np.concatenate((counts, one, one + share))
    return counts


class _Windows(NamedTuple):
    """Positions and counts of a term in memories and their neighbours."""

    total: int
    """The number of memories at that time."""
    places: Positions
    held: Channel


_NO_WINDOWS = _Windows(0, np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))


def shifts(window: int) -> NDArray[np.intp]:
    """Return the distances of the neighbours: -1, 1, -2, 2 and so on."""
    return np.array([shift for far in range(1, window + 1) for shift in (-far, far)], dtype=np.intp)


def shares(window: int, weight: float) -> NDArray[np.float32]:
    """Return the weight of a neighbour at each of shifts(window): `weight` to the power of its distance."""
    return np.array([weight ** abs(shift) for shift in shifts(window).tolist()], dtype=np.float32)

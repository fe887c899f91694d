"""The columns of one NPC's memories that searches filter and rank by, in the order of the keys."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.memory.kind import KINDS
from rag_memory.memory.record import Record
from rag_memory.memory.secrecy import may_be_secret
from rag_memory.vectors import Keys, Mask, NDArray, Positions, positions_in

_FIRST_CAPACITY = 64
_KIND_CODES = {kind: code for code, kind in enumerate(KINDS)}
"""A damaged file may have others, which are none."""


class SearchedRow(NamedTuple):
    """The row of one memory."""

    key: int
    importance: int
    timestamp: float
    tier: int
    event_type: str
    last_accessed: float = 0.0
    kind: str = ""
    may_be_secret: bool = False


def searched_row(record: Record) -> SearchedRow:
    """Return the row of a record."""
    return SearchedRow(
        record.key,
        record.importance,
        record.timestamp,
        record.memory_tier,
        record.event_type,
        record.last_accessed,
        record.kind,
        may_be_secret(record),
    )


class Columns:
    """A few numbers for each memory of one NPC, ascending by key."""

    def __init__(self, rows: Iterable[SearchedRow] = ()) -> None:
        self._event_codes: dict[str, int] = {}
        self._event_types: list[str] = []
        self._count = 0
        self._keys: Keys = np.empty(0, dtype=np.int64)
        self._importances: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._timestamps: NDArray[np.float64] = np.empty(0, dtype=np.float64)
        self._tiers: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._last_accessed: NDArray[np.float64] = np.empty(0, dtype=np.float64)
        self._events: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._kinds: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)
        self._may_be_secret: NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._newest_of: _NewestOf | None = None
        self.append(list(rows))

    def __len__(self) -> int:
        return self._count

    @property
    def keys(self) -> Keys:
        """The keys, ascending."""
        return self._keys[: self._count]

    @property
    def importances(self) -> NDArray[np.uint8]:
        """The importances, 1 to 10."""
        return self._importances[: self._count]

    @property
    def timestamps(self) -> NDArray[np.float64]:
        """The timestamps in seconds."""
        return self._timestamps[: self._count]

    @property
    def tiers(self) -> NDArray[np.uint8]:
        """The tiers, 0 to 2."""
        return self._tiers[: self._count]

    @property
    def last_accessed(self) -> NDArray[np.float64]:
        """The last time each memory was returned, in seconds."""
        return self._last_accessed[: self._count]

    @property
    def kinds(self) -> NDArray[np.uint8]:
        """The kinds as codes; `KINDS[code]` is the kind."""
        return self._kinds[: self._count]

    @property
    def may_be_secret(self) -> Mask:
        """A mask of the memories that may be secrets; their metadata tells whether they are."""
        return self._may_be_secret[: self._count]

    @property
    def events(self) -> NDArray[np.int32]:
        """The event types as codes; `event_types[code]` is the type."""
        return self._events[: self._count]

    @property
    def event_types(self) -> list[str]:
        """Every event type that occurs or occurred."""
        return self._event_types

    @property
    def bytes(self) -> int:
        """The memory the numbers take."""
        return sum(values.nbytes for values in self._arrays())

    def reserve(self, count: int) -> None:
        """Make room for so many memories."""
        if count > len(self._keys):
            self._grow(count)

    @property
    def row_bytes(self) -> int:
        """The memory the numbers of one memory take."""
        return sum(values.itemsize for values in self._arrays())

    def append(self, rows: Sequence[SearchedRow]) -> None:
        """Add memories behind all others, ascending by key: one by one they take ten times as long."""
        if not rows:
            return
        start, end = self._count, self._count + len(rows)
        if end > len(self._keys):
            self._grow(end)
        *numbers, event_types, last_accessed, kinds, may_be_secret = zip(*rows, strict=True)
        for values, given in zip(self._arrays(), (*numbers, last_accessed), strict=False):
            values[start:end] = given
        self._events[start:end] = [self._code(event_type) for event_type in event_types]
        self._kinds[start:end] = [_KIND_CODES.get(kind, 0) for kind in kinds]
        self._may_be_secret[start:end] = may_be_secret
        self._count = end
        self._newest_of = None

    def add(self, row: SearchedRow) -> None:
        """Add a memory, or give a known one new values."""
        key, importance, timestamp, tier, event_type, last_accessed, kind, may_be_secret = row
        position = self.position(key)
        if position == self._count or self._keys[position] != key:
            if self._count == len(self._keys):
                self._grow(self._count + 1)
            # Only a memory that is put back has a key below others.
            for values in self._arrays():
                values[position + 1 : self._count + 1] = values[position : self._count]
            self._count += 1
            came_last = position == self._count - 1
        else:
            came_last = False
        self._keys[position] = key
        self._importances[position] = importance
        self._timestamps[position] = timestamp
        self._tiers[position] = tier
        self._last_accessed[position] = last_accessed
        self._events[position] = self._code(event_type)
        self._kinds[position] = _KIND_CODES.get(kind, 0)
        self._may_be_secret[position] = may_be_secret
        if not came_last:
            self._newest_of = None
        elif self._newest_of is not None and event_type in self._newest_of.event_types:
            bisect.insort(self._newest_of.memories, (timestamp, key), key=_newest_first)
            del self._newest_of.memories[self._newest_of.limit :]

    def note_accesses(self, accesses: Mapping[int, float]) -> None:
        """Note when memories entered an answer, by key, of those that are here."""
        if not self._count:
            return
        keys = np.fromiter(accesses, np.int64, len(accesses))
        times = np.fromiter(accesses.values(), np.float64, len(accesses))
        positions = np.minimum(self.keys.searchsorted(keys), self._count - 1)
        are_held = self._keys[positions] == keys
        self._last_accessed[positions[are_held]] = times[are_held]

    def forget_accesses(self, moment: float) -> None:
        """No memory was accessed later than `moment`."""
        np.minimum(self.last_accessed, moment, out=self.last_accessed)

    def remove(self, key: int) -> None:
        """Leave out a memory."""
        position = self.position(key)
        for values in self._arrays():
            values[position : self._count - 1] = values[position + 1 : self._count]
        self._count -= 1
        self._newest_of = None

    def clear(self) -> None:
        """Leave out every memory."""
        self._count = 0
        self._newest_of = None

    def position(self, key: int) -> int:
        """Return the position of a memory in the columns."""
        return int(np.searchsorted(self.keys, key))

    def positions(self, keys: Keys) -> Positions:
        """Return the positions of these memories, in their order. All of them have to be in the columns."""
        return positions_in(self.keys, keys)

    def holds(self, keys: Keys, positions: Positions) -> bool:
        """Return True if these memories are at these positions."""
        if not len(keys):
            return True
        are_inside = positions.min() >= 0 and positions.max() < self._count
        return bool(are_inside and (self._keys[positions] == keys).all())

    def is_event(self, event_types: Collection[str]) -> Mask:
        """Return a mask of the memories that have one of these event types."""
        wanted = np.array([name in event_types for name in self._event_types], dtype=np.bool_)
        if not wanted.any():
            return np.zeros(self._count, dtype=np.bool_)
        return wanted[self.events]

    def contains(self, keys: Keys) -> Mask:
        """Return a mask of the memories among these ascending keys."""
        mask = np.zeros(self._count, dtype=np.bool_)
        mask[np.searchsorted(self.keys, keys)] = True
        return mask

    def newest(self, positions: NDArray[Any], count: int) -> list[int]:
        """The keys of the newest of the memories at these positions, newest first; of one time, the later
        stored.
        """
        if len(positions) > 4 * count:
            # A partial sort of thousands first; ties at its edge stay in.
            edge = np.partition(self.timestamps[positions], len(positions) - count)[len(positions) - count]
            positions = positions[self.timestamps[positions] >= edge]
        order = np.lexsort((-positions, -self.timestamps[positions]))[:count]
        return [int(key) for key in self.keys[positions[order]]]

    def newest_of(self, event_types: Sequence[str], count: int) -> list[tuple[float, int]]:
        """timestamp and key of the newest memories of these event types, in the order of newest(). Those of
        the last question are kept.
        """
        newest = self._newest_of
        if newest is None or newest.event_types != event_types or newest.limit != count:
            keys = self.newest(np.flatnonzero(self.is_event(event_types)), count) if count else []
            timestamps = self.timestamps[np.searchsorted(self.keys, keys)].tolist()
            newest = _NewestOf(list(event_types), count, list(zip(timestamps, keys, strict=True)))
            self._newest_of = newest
        return newest.memories

    def _code(self, event_type: str) -> int:
        code = self._event_codes.get(event_type)
        if code is None:
            code = self._event_codes[event_type] = len(self._event_types)
            self._event_types.append(event_type)
        return code

    def _grow(self, least: int) -> None:
        capacity = max(_FIRST_CAPACITY, least, 2 * len(self._keys))
        self._keys = np.resize(self._keys, capacity)
        self._importances = np.resize(self._importances, capacity)
        self._timestamps = np.resize(self._timestamps, capacity)
        self._tiers = np.resize(self._tiers, capacity)
        self._last_accessed = np.resize(self._last_accessed, capacity)
        self._events = np.resize(self._events, capacity)
        self._kinds = np.resize(self._kinds, capacity)
        self._may_be_secret = np.resize(self._may_be_secret, capacity)

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return (
            self._keys,
            self._importances,
            self._timestamps,
            self._tiers,
            self._last_accessed,
            self._events,
            self._kinds,
            self._may_be_secret,
        )


class _NewestOf(NamedTuple):
    event_types: list[str]
    limit: int
    memories: list[tuple[float, int]]


def _newest_first(memory: tuple[float, int]) -> tuple[float, int]:
    timestamp, key = memory
    return -timestamp, -key

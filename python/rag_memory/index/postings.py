"""The keyword index of one NPC: the memories that have a term."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TypeAlias

import numpy as np

from rag_memory.index.columns import Columns
from rag_memory.vectors import Keys, Positions

TermLookup = Callable[[str, str], Keys]
"""The keys of the NPC's memories that have a term of a kind, ascending."""

TermReader = Callable[[Sequence[int]], list[list[str]]]
"""The kinds and terms (Record.index_terms()) of the memories with these keys, which ascend."""

_LEAST_PACKED = 100
_LEAST_GATHERED = 2000
"""Memories. The words of fewer are packed: as lists, which are quicker to change, they take half as much room
as the vectors, packed a fortieth.
"""
_READ_AT_ONCE = 100
"""Memories: 1 to 2 ms."""
_LEAST_CACHED = 1_000_000
_CACHED_PER_MEMORY = 16
"""Keys and positions of looked-up terms, at most, but never fewer than _LEAST_KEPT."""
_BYTES_PER_PLACE = 8
_BYTES_PER_LIST = 250

_Lists: TypeAlias = "dict[str, array[int]]"
"""Keys, ascending, by kind and term."""

_NO_KEYS = np.empty(0, dtype=np.int64)
_NOTHING = array("q")


class Postings:
    """Terms are looked up one by one and kept, until build_index_steps() has gathered all of them: looking
    one up takes 10 us and more, the more other NPCs there are, and milliseconds when thousands of memories
    have it.
    """

    def __init__(
        self,
        columns: Columns,
        look_up: TermLookup,
        read: TermReader,
        on_stray: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_stray` is called when a term is said to be in a memory that the columns do not hold."""
        self._columns = columns
        self._on_stray = on_stray
        self._look_up = look_up
        self._read = read
        self._keys: _Lists = {}
        self._positions: dict[str, Positions] = {}
        self._cached_keys = self._cached_positions = 0
        self._packed: _Packed | None = None
        """Of all terms that are not among `_keys`."""
        self._is_gathered = False
        self._gathering: _Lists | None = None
        self._gathered_to = -1
        self._gathered_keys = 0

    @property
    def bytes(self) -> int:
        """About the memory that gathered and looked-up terms take."""
        lists = len(self._keys) + len(self._positions) + len(self._gathering or ())
        packed = 0 if self._packed is None else self._packed.bytes
        return (
            (self._gathered_keys + self.cached_places) * _BYTES_PER_PLACE + lists * _BYTES_PER_LIST + packed
        )

    @property
    def cached_places(self) -> int:
        """The number of cached keys and positions of looked-up terms, plus one for each list."""
        return self._cached_keys + self._cached_positions

    def positions(self, kind: str, term: str) -> Positions:
        """Return the positions of the memories with this term, ascending."""
        entry = kind + term
        positions = self._positions.get(entry)
        if positions is None:
            if self.cached_places > max(_LEAST_CACHED, _CACHED_PER_MEMORY * len(self._columns)):
                self._forget()
            keys = self._keys.get(entry) if self._is_gathered else self._keys_of(entry)
            key_array = np.array(keys or (), dtype=np.int64)
            positions = self._columns.positions(key_array)
            if not self._columns.holds(key_array, positions):
                self._on_stray()
                positions = self._columns.positions(key_array[np.isin(key_array, self._columns.keys)])
            self._positions[entry] = positions
            self._cached_positions += len(positions) + 1
        return positions

    def add(self, key: int, terms: Iterable[str]) -> None:
        """Take in a memory that the columns hold already."""
        last = len(self._columns) - 1
        is_last = self._columns.keys[last] == key
        if not is_last:
            self._forget_positions()
        for entry in terms:
            self._put(entry, key)
            positions = self._positions.get(entry)
            if positions is not None:
                self._positions[entry] = np.append(positions, last)
                self._cached_positions += 1

    def change(self, key: int, before: Iterable[str], now: Iterable[str]) -> None:
        """Take in that a memory has other terms than before."""
        had, has = set(before), set(now)
        for entry in had - has:
            self._discard(entry, key)
            self._forget_positions_of(entry)
        for entry in has - had:
            self._put(entry, key)
            self._forget_positions_of(entry)

    def remove(self, key: int, terms: Iterable[str]) -> None:
        """Leave out a memory that the columns do not hold any more."""
        self._forget_positions()
        for entry in terms:
            self._discard(entry, key)

    def clear(self) -> None:
        """Leave out every memory."""
        self._keys.clear()
        self._forget_positions()
        self._cached_keys = self._gathered_keys = 0
        self._is_gathered = False
        self._packed = self._gathering = None

    def build_index_steps(self) -> Generator[tuple[int, int], None, None]:
        """Gather the terms of all memories, some per step: (done, total)."""
        count = len(self._columns)
        if self._is_gathered or count < (_LEAST_PACKED if self._packed is None else _LEAST_GATHERED):
            return
        if self._gathering is None:
            self._gathering = {}
            self._gathered_to = -1
        gathering = self._gathering
        while True:
            keys = self._columns.keys
            start = int(np.searchsorted(keys, self._gathered_to, side="right"))
            part = keys[start : start + _READ_AT_ONCE].tolist()
            if not part:
                break
            for key, terms in zip(part, self._read(part), strict=True):
                for entry in terms:
                    gathered = gathering.get(entry)
                    if gathered is None:
                        gathering[entry] = array("q", (key,))
                    else:
                        gathered.append(key)
                self._gathered_keys += len(terms)
            self._gathered_to = part[-1]
            yield start + len(part), len(keys)
            if self._gathering is not gathering:
                return
        self._is_gathered = len(self._columns) >= _LEAST_GATHERED
        if self._is_gathered:
            self._keys, self._packed = gathering, None
        else:
            self._keys, self._packed = {}, _Packed(gathering)
            self._gathered_keys = 0
        self._gathering = None
        self._cached_keys = 0

    def _keys_of(self, entry: str) -> array[int]:
        """The keys of a term, kept from now on; until everything is gathered."""
        keys = self._keys.get(entry)
        if keys is None:
            looked_up = (
                self._look_up(entry[0], entry[1:]) if self._packed is None else self._packed.keys(entry)
            )
            keys = self._keys[entry] = array("q", looked_up.tobytes())
            self._cached_keys += len(keys) + 1
        return keys

    def _put(self, entry: str, key: int) -> None:
        if self._is_gathered:
            self._gathered_keys += _insert(self._keys.setdefault(entry, array("q")), key)
            return
        # What is not kept will be looked up; what is packed stays as it is.
        if self._packed is not None or entry in self._keys:
            keys = self._keys_of(entry)
            self._cached_keys += _insert(keys, key)
        # What comes after those that were read will be read.
        if self._gathering is not None and key <= self._gathered_to:
            self._gathered_keys += _insert(self._gathering.setdefault(entry, array("q")), key)

    def _discard(self, entry: str, key: int) -> None:
        if self._is_gathered:
            self._gathered_keys -= _delete(self._keys.get(entry, _NOTHING), key)
            return
        if self._packed is not None or entry in self._keys:
            keys = self._keys_of(entry)
            self._cached_keys -= _delete(keys, key)
        if self._gathering is not None:
            self._gathered_keys -= _delete(self._gathering.get(entry, _NOTHING), key)

    def _forget(self) -> None:
        self._forget_positions()
        if not self._is_gathered:
            self._keys.clear()
            self._packed = None
            self._cached_keys = 0

    def _forget_positions(self) -> None:
        self._positions.clear()
        self._cached_positions = 0

    def _forget_positions_of(self, entry: str) -> None:
        positions = self._positions.pop(entry, None)
        if positions is not None:
            self._cached_positions -= len(positions) + 1


class _Packed:
    """The keys of every term in three arrays, by the hash of the term: two terms of one hash, which one of
    10^12 NPCs has, are taken for one.
    """

    def __init__(self, lists: _Lists) -> None:
        hashes = np.fromiter(map(hash, lists), dtype=np.int64, count=len(lists))
        order = np.argsort(hashes)
        keys = [np.frombuffer(entry_keys, dtype=np.int64) for entry_keys in lists.values()]
        every = np.concatenate([_NO_KEYS, *(keys[place] for place in order)])
        self._first = int(every.min()) if len(every) else 0
        every -= self._first
        self._every = every.astype(np.min_scalar_type(int(every.max()) if len(every) else 0))
        self._hashes = hashes[order]
        self._ends = np.cumsum([len(keys[place]) for place in order], dtype=np.int32)

    @property
    def bytes(self) -> int:
        """The memory they take."""
        return self._every.nbytes + self._hashes.nbytes + self._ends.nbytes

    def keys(self, entry: str) -> Keys:
        """Return the keys of a kind and term."""
        wanted = hash(entry)
        place = int(np.searchsorted(self._hashes, wanted))
        if place == len(self._hashes) or self._hashes[place] != wanted:
            return _NO_KEYS
        start = self._ends[place - 1] if place else 0
        return self._every[start : self._ends[place]].astype(np.int64) + self._first


def _insert(keys: array[int], key: int) -> int:
    """Add a key where it belongs; how many that made more."""
    if not keys or key > keys[-1]:
        keys.append(key)
        return 1
    place = bisect_left(keys, key)
    if keys[place] == key:
        return 0
    keys.insert(place, key)
    return 1


def _delete(keys: array[int], key: int) -> int:
    """Take a key out; how many that made fewer."""
    place = bisect_left(keys, key)
    if place == len(keys) or keys[place] != key:
        return 0
    del keys[place]
    return 1

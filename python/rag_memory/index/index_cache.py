"""The memory budget of all search indexes of a save, and whose turn it is to load one.

The least recently used index is unloaded first. One is loaded at a time, so that together they stay within
the budget.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from rag_memory.errors import InvalidArgumentError
from rag_memory.step import Step
from rag_memory.validation import shown

DEFAULT_MIB = 512
LARGEST_MIB = 1 << 20
_BYTES_PER_MIB = 1 << 20


class Loaded(Protocol):
    """Somebody whose search index may be in memory."""

    @property
    def index_bytes(self) -> int:
        """The memory it takes now; 0 when it is not loaded."""

    def unload(self) -> None:
        """Write what is new of it and let go of it; the next question loads it again."""


class _Measured(NamedTuple):
    owner: Loaded
    index_bytes: int


class IndexCache:
    """Keeps the search indexes of a save within a budget, except that the one in use is always kept, and
    that one may always be loaded.

    Args:
        budget_mib: mebibytes, 1 to 1048576. A memory of 384 dimensions takes 2 KB, and 2 to 5 KB more once
            hundreds of questions in different words were asked.

    Raises:
        InvalidArgumentError: the budget is no whole number or out of range.
    """

    def __init__(self, budget_mib: int = DEFAULT_MIB) -> None:
        if type(budget_mib) is not int or not 1 <= budget_mib <= LARGEST_MIB:
            raise InvalidArgumentError(
                f"vector_cache_mib is {shown(budget_mib)}",
                f"it has to be a whole number from 1 to {LARGEST_MIB}",
                f"Pass a number of mebibytes, for example {DEFAULT_MIB}",
            )
        self.budget_bytes = budget_mib * _BYTES_PER_MIB
        self._loaded: OrderedDict[int, _Measured] = OrderedDict()
        self._used = 0

    @property
    def used_bytes(self) -> int:
        """The memory all indexes take: those that are loaded, and what those being loaded will take."""
        self._note_last()
        return self._used

    @contextmanager
    def loading(self, index_bytes: int) -> Iterator[None]:
        """While an index is loaded that will take so much; others are unloaded until it fits. `use` comes
        when it is loaded.
        """
        self._note_last()
        self._used += index_bytes
        try:
            self._make_room(remaining=0)
            yield
        finally:
            self._used -= index_bytes

    def use(self, owner: Loaded) -> None:
        """Note that the index of `owner`, which is loaded, is asked now, and unload others until it fits."""
        # A question comes here several times, and measuring takes 15 us.
        if self._loaded and next(reversed(self._loaded)) == id(owner):
            return
        self._note_last()
        self._note(owner)
        if id(owner) in self._loaded:
            self._loaded.move_to_end(id(owner))
        self._make_room()

    def measure(self, owner: Loaded) -> None:
        """Note that the index of `owner` may have grown or shrunk, and unload those that were asked longest
        ago, or it itself, until they fit.
        """
        self._note(owner)
        self._make_room()

    def discard(self, owner: Loaded) -> None:
        """Note that `owner` has let go of its index."""
        measured = self._loaded.pop(id(owner), None)
        self._used -= 0 if measured is None else measured.index_bytes

    def _note_last(self) -> None:
        """Measure the index in use, which has grown with its queries, before another is used."""
        if self._loaded:
            self._note(next(reversed(self._loaded.values())).owner)

    def _note(self, owner: Loaded) -> None:
        index_bytes = owner.index_bytes
        if not index_bytes:
            self.discard(owner)
            return
        measured = self._loaded.get(id(owner))
        self._used += index_bytes - (0 if measured is None else measured.index_bytes)
        self._loaded[id(owner)] = _Measured(owner, index_bytes)

    def _make_room(self, remaining: int = 1) -> None:
        while self._used > self.budget_bytes and len(self._loaded) > remaining:
            _, oldest = self._loaded.popitem(last=False)
            self._used -= oldest.index_bytes
            oldest.owner.unload()


_TURNS_WITHOUT_PROGRESS = 3


class LoadingQueue:
    """Those who are being loaded, the smallest first: nobody waits long for another."""

    def __init__(self) -> None:
        self._queue: list[_Place] = []
        self._progress = 0

    def in_turn_steps(self, loading: Generator[Step, None, None], count: int) -> Generator[Step, None, None]:
        """The steps of `loading`, while nobody is smaller. If nobody runs the steps of those any more, it
        goes on all the same.

        Args:
            count: how many memories it loads.
        """
        place = _Place(count)
        bisect.insort(self._queue, place, key=_count_of)
        try:
            while True:
                unused, progress = 0, self._progress
                while self._queue[0] is not place and unused < _TURNS_WITHOUT_PROGRESS:
                    # No step that is waiting: later calls to the NPC would overtake the one that loads it.
                    yield Step(0, 1, "waiting until others are loaded")
                    unused, progress = (unused + 1 if self._progress == progress else 0), self._progress
                step = next(loading, None)
                if step is None:
                    return
                self._progress += 1
                yield step
        finally:
            self._queue.remove(place)
            self._progress += 1
            loading.close()


class _Place:
    """Of one NPC in the queue."""

    def __init__(self, count: int) -> None:
        self.count = count


def _count_of(place: _Place) -> int:
    return place.count

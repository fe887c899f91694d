"""The memory budget of all search indexes of a save. The least recently used one is unloaded first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from rag_memory.errors import InvalidArgumentError
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
        """Release it; the next question loads it again."""


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

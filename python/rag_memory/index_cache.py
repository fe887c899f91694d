"""How much memory the search indexes of all NPCs may take together: the one asked longest ago goes first."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import Protocol

from .errors import InvalidArgumentError

_LOG = logging.getLogger("rag_memory")

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


class IndexCache:
    """Keeps the search indexes of a save within a budget, except that the one in use is always kept.

    Args:
        budget_mib: mebibytes, 1 to 1048576. A memory of 384 dimensions takes 2 KB.

    Raises:
        InvalidArgumentError: the budget is no whole number or out of range.
    """

    def __init__(self, budget_mib: int = DEFAULT_MIB) -> None:
        if type(budget_mib) is not int or not 1 <= budget_mib <= LARGEST_MIB:
            raise InvalidArgumentError(
                f"vector_cache_mib is {budget_mib!r}",
                f"it has to be a whole number from 1 to {LARGEST_MIB}",
                f"Pass a number of mebibytes, for example {DEFAULT_MIB}",
            )
        self.budget_bytes = budget_mib * _BYTES_PER_MIB
        self._loaded: OrderedDict[int, Loaded] = OrderedDict()

    @property
    def used_bytes(self) -> int:
        """The memory all loaded indexes take."""
        return sum(each.index_bytes for each in self._loaded.values())

    def use(self, owner: Loaded) -> None:
        """Note that the index of `owner` is asked now."""
        self._loaded[id(owner)] = owner
        self._loaded.move_to_end(id(owner))

    def make_room(self) -> None:
        """Unload those that were asked longest ago until the others fit; call it after loading one."""
        used = self.used_bytes
        while used > self.budget_bytes and len(self._loaded) > 1:
            oldest = next(iter(self._loaded.values()))
            used -= oldest.index_bytes
            try:
                oldest.unload()
            except OSError as error:
                _LOG.warning("A search index could not be written (%s); it is built anew when needed", error)
            self._loaded.popitem(last=False)

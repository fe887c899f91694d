"""Which NPCs' memories are loaded at once: in the order they were asked, as many as the cache can take."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

from .index_cache import IndexCache
from .npc_index import NpcIndex
from .step import Step

_TURNS_WITHOUT_PROGRESS = 3


class LoadingOrder:
    """Who waits to be loaded.

    Loading is sliced, and slices of several take turns; whoever waits has a turn, too, and passes it on.
    """

    def __init__(self, cache: IndexCache) -> None:
        self.cache = cache
        self.waiting: list[Loading] = []
        """The first comes next."""
        self.progress = 0
        """Slices so far."""


class Loading:
    """One NPC's memories, from asking for them until they are loaded or given up; then comes `end`.

    Without `may_wait` nobody is waited for, whether there is room or not.
    """

    def __init__(self, order: LoadingOrder, may_wait: bool) -> None:
        self._order = order
        self._may_wait = may_wait
        self._index_bytes: int | None = None

    def turn_steps(self) -> Generator[Step, None, None]:
        """Wait until all who asked before have room."""
        waiting = self._order.waiting
        waiting.append(self)
        yield from self._wait_steps(lambda: waiting[0] is self)

    def load_steps(self, index: NpcIndex) -> Generator[Step, None, None]:
        """Load an index that is new, in slices, once there is room for it."""
        self._give_back()
        yield from self._work_steps(index.find_steps())
        index_bytes = index.found_bytes
        yield from self._wait_steps(lambda: self._order.cache.can_load(index_bytes))
        self._leave_order()
        self._index_bytes = index_bytes
        self._order.cache.begin_loading(index_bytes)
        yield from self._work_steps(index.read_steps())

    def end(self) -> None:
        """Give back the room and the place in the order; harmless when there is none."""
        self._leave_order()
        self._give_back()
        self._order.progress += 1

    def _leave_order(self) -> None:
        if self in self._order.waiting:
            self._order.waiting.remove(self)

    def _give_back(self) -> None:
        if self._index_bytes is not None:
            self._order.cache.end_loading(self._index_bytes)
            self._index_bytes = None

    def _work_steps(self, steps: Iterable[Step]) -> Generator[Step, None, None]:
        for step in steps:
            self._order.progress += 1
            yield step

    def _wait_steps(self, is_over: Callable[[], bool]) -> Generator[Step, None, None]:
        """Pass turns on. When nobody uses them, those waited for have been left standing by whoever runs
        their steps: then this one goes on all the same.
        """
        if not self._may_wait:
            return
        passed, progress = 0, self._order.progress
        while passed < _TURNS_WITHOUT_PROGRESS and not is_over():
            # No step that is waiting: later calls to the NPC would overtake the one that loads it.
            yield Step(0, 1, "waiting for room in the cache")
            passed = passed + 1 if self._order.progress == progress else 0
            progress = self._order.progress

"""Which NPCs' memories are loaded at once: in the order they were asked, as many as the cache can take."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from rag_memory.index.index_cache import IndexCache
from rag_memory.npc.npc_index import NpcIndex
from rag_memory.step import Step

_TURNS_WITHOUT_PROGRESS = 3


class LoadingOrder:
    """Who is being loaded and who waits for it.

    Loading is sliced, and slices of several take turns. Who waits has turns, too, and spends them on those
    waited for: with 200 NPCs, turns that do nothing cost a tenth of the time and more.
    """

    def __init__(self, cache: IndexCache) -> None:
        self.cache = cache
        self.waiting: list[Loading] = []
        """The first comes next."""
        self.at_work: list[Loading] = []
        """Those with room, in the order in which they got it."""
        self.progress = 0
        """Slices so far."""

    def help(self) -> Step | None:
        """Do a slice for the first of those at work who needs it; None when nobody does."""
        for loading in self.at_work:
            step = loading.helped()
            if step is not None:
                self.progress += 1
                return step
        return None


class Loading:
    """One NPC's memories, from asking for them until they are loaded or given up; then comes `end`.

    Without `may_wait` nobody is waited for, whether there is room or not.
    """

    def __init__(self, order: LoadingOrder, may_wait: bool) -> None:
        self._order = order
        self._may_wait = may_wait
        self._index_bytes: int | None = None
        self._reading: Iterator[Step] = iter(())
        self._is_wanted: Callable[[], bool] = lambda: False
        self._error: Exception | None = None

    def turn_steps(self) -> Generator[Step, None, None]:
        """Wait until all who asked before have room."""
        waiting = self._order.waiting
        waiting.append(self)
        yield from self._wait_steps(lambda: waiting[0] is self)

    def load_steps(self, index: NpcIndex, is_wanted: Callable[[], bool]) -> Generator[Step, None, None]:
        """Load an index that is new, in slices, once there is room for it; others help while it is wanted."""
        self._give_back()
        yield from self._work_steps(index.find_steps())
        index_bytes = index.found_bytes
        yield from self._wait_steps(lambda: self._order.cache.can_load(index_bytes))
        self._leave_order()
        self._index_bytes = index_bytes
        self._order.cache.begin_loading(index_bytes)
        self._reading, self._is_wanted, self._error = index.read_steps(), is_wanted, None
        self._order.at_work.append(self)
        yield from self._work_steps(self._reading)
        if self._error is not None:
            raise self._error

    def helped(self) -> Step | None:
        """A slice that another one does; None when there is nothing to do. What fails is told here."""
        if not self._is_wanted():
            return None
        try:
            return next(self._reading, None)
        except Exception as error:  # it is raised to whoever asked for these memories
            self._error = error
            return None

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
        if self in self._order.at_work:
            self._order.at_work.remove(self)

    def _work_steps(self, steps: Iterator[Step]) -> Generator[Step, None, None]:
        for step in steps:
            self._order.progress += 1
            yield step

    def _wait_steps(self, is_over: Callable[[], bool]) -> Generator[Step, None, None]:
        """Help, or pass turns on. When nobody uses them, those waited for have been left standing by whoever
        runs their steps: then this one goes on all the same.
        """
        if not self._may_wait:
            return
        passed = 0
        while passed < _TURNS_WITHOUT_PROGRESS and not is_over():
            step = self._order.help()
            progress = self._order.progress
            # No step that is waiting: later calls to the NPC would overtake the one that loads it.
            yield step or Step(0, 1, "waiting for room in the cache")
            passed = 0 if step is not None or self._order.progress != progress else passed + 1

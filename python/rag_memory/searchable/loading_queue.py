"""The queue of NPCs whose memories are being loaded: one at a time, so that they fit into the cache."""

from __future__ import annotations

import bisect

from rag_memory.step import Step, Steps

_TURNS_WITHOUT_PROGRESS = 3


class LoadingQueue:
    """The NPCs being loaded, smallest first, so that none waits long for another."""

    def __init__(self) -> None:
        self._queue: list[_Place] = []
        self._progress = 0

    def in_turn_steps(self, loading: Steps[None], count: int) -> Steps[None]:
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

"""Whose memories are loaded: one NPC's after another's, so that together they stay within the cache."""

from __future__ import annotations

from collections.abc import Generator

from rag_memory.step import Step

_TURNS_WITHOUT_PROGRESS = 3


class LoadingQueue:
    """Those who are being loaded, the first asked first."""

    def __init__(self) -> None:
        self._queue: list[Generator[Step, None, None]] = []
        self._progress = 0

    def in_turn_steps(self, loading: Generator[Step, None, None]) -> Generator[Step, None, None]:
        """The steps of `loading`, once everybody before it is done. If nobody runs the steps of those any
        more, it goes on all the same.
        """
        self._queue.append(loading)
        try:
            unused, progress = 0, self._progress
            while self._queue[0] is not loading and unused < _TURNS_WITHOUT_PROGRESS:
                # No step that is waiting: later calls to the NPC would overtake the one that loads it.
                yield Step(0, 1, "waiting until others are loaded")
                unused, progress = (unused + 1 if self._progress == progress else 0), self._progress
            for step in loading:
                self._progress += 1
                yield step
        finally:
            self._queue.remove(loading)
            self._progress += 1
            loading.close()

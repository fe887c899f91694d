"""The processor that is left to the game, used by one thread while the game leaves it idle.

The addon's threads stay off the first processor, so that the game always finds one; of two, that leaves a
batch of memories only one to be embedded on. A thread of Linux's idle class gets a processor when no other
thread of its session wants it. It may get none for long, in the middle of what it does, so nobody may wait
for it. A thread of the game that wakes beside it may wait up to four milliseconds until it gives way, so what
it does must be short. It may use all processors of the process, not only the spare one: whoever waits for
Python's lock while it holds it leaves a processor to it by waiting.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

_LOOKS_SECONDS = 0.25
_WANTED_SHARE = 0.2
"""Of the time, in which it could have run and others did. Beside a game that needs 0.2 ms of each frame of 60
a second it is 0.01 to 0.04, beside one drawn in software 0.3 and more.
"""
_FIRST_REST_SECONDS = 0.5
_LONGEST_REST_SECONDS = 60.0


class SpareProcessor:
    """The place of one thread of this process, and what was learnt about who else wants it."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._seconds = self._lost = 0.0
        self._rest = _FIRST_REST_SECONDS
        self._away_until = 0.0

    @property
    def seconds_away(self) -> float:
        """For how long it should be left to others, who have used a good part of it: half a second at first,
        twice as long each further time.
        """
        return max(0.0, self._away_until - time.perf_counter())

    def begin(self, work: Callable[[], None], name: str) -> threading.Thread | None:
        """Begin a thread that does `work` there. None where the calling thread may use every processor of the
        process, while others want it or an earlier thread is not done, and where the system does not let it.
        """
        if sys.platform != "linux" or self.seconds_away or (self._thread and self._thread.is_alive()):
            return None
        processors = os.sched_getaffinity(os.getpid())
        if processors <= os.sched_getaffinity(0):
            return None
        placed = threading.Event()
        is_placed: list[bool] = []

        def wait_and_work() -> None:
            placed.wait()
            if is_placed:
                work()

        thread = threading.Thread(target=wait_and_work, name=name)
        try:
            thread.start()
        except RuntimeError:  # no more threads: it is only a help
            return None
        assert thread.native_id is not None
        with contextlib.suppress(OSError):  # where a sandbox refuses it, nobody helps
            # Not by the thread itself: it would hold Python's lock until it gets its first turn.
            os.sched_setaffinity(thread.native_id, processors)
            os.sched_setscheduler(thread.native_id, os.SCHED_IDLE, os.sched_param(0))
            is_placed.append(True)
        placed.set()
        self._thread = thread
        return thread if is_placed else None

    def do(self, work: Callable[[], _T]) -> _T:
        """Do something short on the thread that was begun here, then let others have the processor."""
        began, waited = time.perf_counter(), _waited_seconds()
        try:
            return work()
        finally:
            if sys.platform == "linux":
                os.sched_yield()
            self.note(time.perf_counter() - began, _waited_seconds() - waited)

    def note(self, seconds: float, lost: float) -> None:
        """Take in for how long the thread has worked, and for how much of it others had its processor."""
        self._seconds += seconds
        self._lost += lost
        if self._seconds < _LOOKS_SECONDS:
            return
        if self._lost <= _WANTED_SHARE * self._seconds:
            self._rest = _FIRST_REST_SECONDS
        else:  # also where the system does not tell
            self._away_until = time.perf_counter() + self._rest
            self._rest = min(2.0 * self._rest, _LONGEST_REST_SECONDS)
        self._seconds = self._lost = 0.0


def _waited_seconds() -> float:
    """For how long the calling thread could have run and others did (Linux, scheduler/sched-stats.rst); NaN
    where that is not told.
    """
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            ran, waited, _turns = file.read().split()
    except (OSError, ValueError):
        return math.nan
    return int(waited) * 1e-9 if int(ran) else math.nan

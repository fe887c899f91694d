"""The processor that is left to the game, used while the game leaves it idle.

The addon's threads stay off the first processor, so that the game always finds one; of two, that leaves a
batch of memories only one to be embedded on. A thread of Linux's idle class gets a processor when nobody else
wants it. It may get none for long, in the middle of what it does, so nobody may wait for it; a thread of the
game that wakes beside it may wait up to four milliseconds until it gives way, so what it does must be short,
with yield_now() after it. Where it finds that others want the processor it should stay away.
"""

from __future__ import annotations

import os
import sys
import time

_LOOKS_SECONDS = 0.1
_WANTED_SHARE = 0.2
"""Of the time, in which it could have run and others did. Beside a game that needs 0.2 ms of each frame
of 60 a second it is 0.01 to 0.04, beside one drawn in software 0.3 and more.
"""


class SpareProcessor:
    """The place of one thread, which takes it with take_place() before anything else.

    Args:
        processors: their numbers.
    """

    def __init__(self, processors: set[int]) -> None:
        self._processors = processors
        self._looked = self._waited = 0.0

    @staticmethod
    def find() -> SpareProcessor | None:
        """What this process may use and the calling thread may not; None without that, and on systems where
        threads have no processors and classes of their own.
        """
        if sys.platform != "linux":
            return None
        left = os.sched_getaffinity(os.getpid()) - os.sched_getaffinity(0)
        return SpareProcessor(left) if left else None

    def take_place(self) -> bool:
        """Put the calling thread there, for good; False when the system does not let it, or does not tell
        whether others want the processor.
        """
        if sys.platform == "linux":
            try:
                os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
                os.sched_setaffinity(0, self._processors)
                return self.look_anew()
            except OSError:
                pass
        return False

    def look_anew(self) -> bool:
        """Forget what is_wanted() has seen; whether the system tells it at all."""
        self._looked = time.perf_counter()
        ran, self._waited = _ran_and_waited()
        return ran > 0.0

    def is_wanted(self) -> bool | None:
        """Whether others have used a good part of this processor of late; None: too early to tell."""
        now = time.perf_counter()
        if now - self._looked < _LOOKS_SECONDS:
            return None
        looked, waited = self._looked, self._waited
        self.look_anew()
        return self._waited - waited > _WANTED_SHARE * (now - looked)


def yield_now() -> None:
    """Let whoever waits for this processor have it."""
    if sys.platform == "linux":
        os.sched_yield()


def _ran_and_waited() -> tuple[float, float]:
    """Seconds for which the calling thread has run, and for which it could have and others did (Linux,
    Documentation/scheduler/sched-stats.rst).
    """
    with open("/proc/thread-self/schedstat", encoding="ascii") as file:
        ran, waited, _turns = file.read().split()
    return int(ran) * 1e-9, int(waited) * 1e-9

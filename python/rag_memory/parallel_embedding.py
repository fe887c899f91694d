"""Many texts to vectors: the calling thread reads and collects, two threads of low priority compute.

The threads live as long as the batch. They give way to every other thread, the game's and the worker's, where
the system knows priorities of threads. The model runs without Python's lock; what is done under it takes a
hundredth of the time.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator

from .token_runs import TokenRun, TokenRuns
from .vector import FloatMatrix

Compute = Callable[[TokenRun], FloatMatrix]
"""The vectors of a run's texts, one row each."""

_LEAST_TEXTS = 8
"""Fewer are done before a thread has begun."""
_MOST_THREADS = 2
_NICENESS = 10
"""0 to 19; a thread with 10 gets a tenth of the processor time of one that does not give way."""
_TEXTS_AHEAD = 256
"""Read but not computed: what the threads find while the caller is at something else."""


def embed_runs(
    runs: TokenRuns, compute: Compute, slice_seconds: float
) -> Iterator[list[tuple[TokenRun, FloatMatrix]]]:
    """What was computed in a slice of about this long, which may be nothing.

    Between two slices the threads go on; they end with the iterator, however that ends.
    """
    if runs.unread < _LEAST_TEXTS:
        while runs.unread:
            yield [(run, compute(run)) for run in runs.read_one()]
        return
    team = _Team(compute, min(_MOST_THREADS, _cores()))
    try:
        ahead = 0
        while runs.unread or ahead:
            deadline = time.perf_counter() + slice_seconds
            while runs.unread and ahead < _TEXTS_AHEAD and time.perf_counter() < deadline:
                for run in runs.read_one():
                    team.add(run)
                    ahead += len(run.numbers)
            done = team.take(max(deadline - time.perf_counter(), 0.0))
            ahead -= sum(len(run.numbers) for run, _vectors in done)
            yield done
    finally:
        team.stop()


class _Team:
    """Threads that compute runs, each by whoever comes first."""

    def __init__(self, compute: Compute, threads: int) -> None:
        self._compute = compute
        self._waiting: queue.SimpleQueue[TokenRun | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[TokenRun, FloatMatrix] | Exception] = queue.SimpleQueue()
        self._is_stopped = False
        self._threads = [
            threading.Thread(target=self._work, name="rag_memory_embedding") for _ in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def add(self, run: TokenRun) -> None:
        """Let a run be computed."""
        self._waiting.put(run)

    def take(self, seconds: float) -> list[tuple[TokenRun, FloatMatrix]]:
        """What was done since the last time, waiting for it up to `seconds`; raises what went wrong."""
        found: list[tuple[TokenRun, FloatMatrix]] = []
        try:
            one = self._done.get(timeout=seconds)
            while True:
                if isinstance(one, Exception):
                    raise one
                found.append(one)
                one = self._done.get_nowait()
        except queue.Empty:
            return found

    def stop(self) -> None:
        """End the threads after the runs they are at."""
        self._is_stopped = True
        for _thread in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        _give_way()
        while (run := self._waiting.get()) is not None and not self._is_stopped:
            try:
                self._done.put((run, self._compute(run)))
            except Exception as error:  # raised again where it is heard, by take()
                self._done.put(error)


def _give_way() -> None:
    """Lower the calling thread's priority. Only Linux has one per thread that Python can reach."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # Who is that low already may not rise.
        os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Many texts to vectors: the calling thread reads and collects, two threads of low priority compute.

The threads live as long as the batch. They give way to every other thread, the game's and the worker's, where
the system knows priorities of threads. Where they may use one processor only, one thread computes, and
another helps on the processor left to the game while nobody else wants it (spare_processor.py). The model
runs without Python's lock; what is done under it takes a hundredth of the time.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .spare_processor import SpareProcessor, yield_now
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
_MOST_LENT_SECONDS = 0.05
"""What the helper has not finished by then is done by others when they have nothing else to do."""
_REST_SECONDS = 0.5
"""How long the helper stays away when others want its processor; each further time twice as long."""
_LONGEST_REST_SECONDS = 60.0
_THREAD_NAME = "rag_memory_embedding"


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
    threads = min(_MOST_THREADS, _cores())
    team = _Team(compute, threads, SpareProcessor.find() if threads < _MOST_THREADS else None)
    try:
        while runs.unread or team.texts_ahead:
            deadline = time.perf_counter() + slice_seconds
            while runs.unread and team.texts_ahead < _TEXTS_AHEAD and time.perf_counter() < deadline:
                for run in runs.read_one():
                    team.add(run)
            yield team.take(max(deadline - time.perf_counter(), 0.0))
    finally:
        team.stop()


class _Team:
    """Threads that compute runs, each by whoever comes first.

    Args:
        spare: where one more thread may help, which nobody waits for: what it keeps too long is done again.
    """

    def __init__(self, compute: Compute, threads: int, spare: SpareProcessor | None) -> None:
        self._compute = compute
        self.texts_ahead = 0
        """How many texts were added and not taken."""
        self._waiting: queue.SimpleQueue[TokenRun | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[TokenRun, FloatMatrix] | Exception] = queue.SimpleQueue()
        self._unfinished: dict[int, TokenRun] = {}
        self._lent: _Lent | None = None
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._work, name=_THREAD_NAME) for _ in range(threads)]
        self._helpers = [
            threading.Thread(target=self._help, args=(each,), name=_THREAD_NAME)
            for each in (spare,)
            if each is not None
        ]
        for thread in self._threads + self._helpers:
            thread.start()

    def add(self, run: TokenRun) -> None:
        """Let a run be computed."""
        self._unfinished[id(run)] = run
        self.texts_ahead += len(run.numbers)
        self._waiting.put(run)

    def take(self, seconds: float) -> list[tuple[TokenRun, FloatMatrix]]:
        """What was done since the last time, waiting for it up to `seconds`; raises what went wrong."""
        found: list[tuple[TokenRun, FloatMatrix]] = []
        try:
            one = self._done.get(timeout=seconds)
            while True:
                if isinstance(one, Exception):
                    raise one
                if self._unfinished.pop(id(one[0]), None) is not None:
                    self.texts_ahead -= len(one[0].numbers)
                    found.append(one)
                one = self._done.get_nowait()
        except queue.Empty:
            self._take_back()
            return found

    def stop(self) -> None:
        """End the threads after the runs they are at."""
        self._stopped.set()
        for _thread in self._threads + self._helpers:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()
        for thread in self._helpers:
            # Where the game needs every processor it may get none; Python waits for it at the very end.
            thread.join(_MOST_LENT_SECONDS)

    def _take_back(self) -> None:
        lent = self._lent
        if lent is not None and self._waiting.empty() and time.perf_counter() - lent.at > _MOST_LENT_SECONDS:
            self._lent = None
            self._waiting.put(lent.run)

    def _work(self) -> None:
        _give_way()
        while (run := self._waiting.get()) is not None and not self._stopped.is_set():
            try:
                self._done.put((run, self._compute(run)))
            except Exception as error:  # raised again where it is heard, by take()
                self._done.put(error)

    def _help(self, spare: SpareProcessor) -> None:
        if not spare.take_place():
            return
        rest_seconds = _REST_SECONDS
        while (run := self._waiting.get()) is not None and not self._stopped.is_set():
            lent = self._lent = _Lent(run, time.perf_counter())
            try:
                rows: list[FloatMatrix] = []
                for number, tokens in zip(run.numbers, run.tokens, strict=True):
                    if self._lent is not lent:
                        break
                    rows.append(self._compute(TokenRun([number], [tokens])))
                    yield_now()
                else:
                    self._done.put((run, np.concatenate(rows)))
            except Exception as error:
                self._done.put(error)
            if self._lent is lent:
                self._lent = None
            wanted = spare.is_wanted()
            if wanted:
                self._stopped.wait(rest_seconds)
                rest_seconds = min(2.0 * rest_seconds, _LONGEST_REST_SECONDS)
                spare.look_anew()
            elif wanted is False:
                rest_seconds = _REST_SECONDS


class _Lent(NamedTuple):
    """What the helper has begun."""

    run: TokenRun
    at: float


def _give_way() -> None:
    """Lower the calling thread's priority. Only Linux has one per thread that Python can reach."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # Who is that low already may not rise.
        os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

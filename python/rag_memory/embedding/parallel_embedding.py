"""Many texts to vectors: the calling thread reads and collects, two threads of low priority compute.

They live as long as the batch, and give way to every other thread, the game's and the worker's, where
the system knows priorities of threads. Where they may use one processor only, one thread computes, and
another helps on the processor left to the game while nobody else wants it (spare_processor.py). The model
runs without Python's lock; what is done under it takes a hundredth of the time.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from rag_memory.embedding.spare_processor import SpareProcessor
from rag_memory.embedding.token_runs import TokenRun, TokenRuns
from rag_memory.vectors import FloatMatrix

Compute = Callable[[TokenRun], FloatMatrix]
"""The vectors of a run's texts, one row each."""

_LEAST_TEXTS = 8
"""Fewer are done before a thread has begun."""
_MOST_THREADS = 2
_NICENESS = 10
"""0 to 19; a thread with 10 gets a tenth of the processor time of one that does not give way."""
_TEXTS_AHEAD = 256
"""Read but not computed: what the threads find while the caller is at something else."""
_QUIET_SECONDS = 0.05
"""When nothing is waiting and nothing came for so long, what is missing is done again."""
_OVERTAKEN_BY = 2 * _TEXTS_AHEAD
"""So many texts that came later are done: what is still missing is done again."""
_EMPTY_SECONDS = 0.005
"""How often the helper looks for something to do when nothing is waiting."""
_THREAD_NAME = "rag_memory_embedding"
_SPARE = SpareProcessor()


def embed_runs(
    runs: TokenRuns, compute: Compute, slice_seconds: float
) -> Iterator[list[tuple[TokenRun, FloatMatrix]]]:
    """What was computed in a slice of about this long, which may be nothing.

    Between two slices the threads go on; they end with the iterator, however that ends, and the helper when
    it next gets a processor.
    """
    if runs.unread < _LEAST_TEXTS:
        while runs.unread:
            yield [(run, compute(run)) for run in runs.read_one()]
        return
    team = _Team(compute, min(_MOST_THREADS, _cores()))
    try:
        team.start()
        while runs.unread or team.texts_ahead:
            deadline = time.perf_counter() + slice_seconds
            while runs.unread and team.texts_ahead < _TEXTS_AHEAD and time.perf_counter() < deadline:
                for run in runs.read_one():
                    team.add(run)
            yield team.take(max(deadline - time.perf_counter(), 0.0))
    finally:
        team.stop()


class _Team:
    """Threads that compute runs, each by whoever comes first; where one may not use all processors, with a
    helper on the spare one. Nobody waits for the helper: what it keeps too long is done again.
    """

    def __init__(self, compute: Compute, threads: int) -> None:
        self.texts_ahead = 0
        """How many texts were added and not taken."""
        self._compute = compute
        self._waiting: queue.SimpleQueue[TokenRun | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[TokenRun, FloatMatrix] | Exception] = queue.SimpleQueue()
        self._unfinished: dict[int, _Added] = {}
        self._computing: set[int] = set()
        self._finished = 0
        self._heard = time.perf_counter()
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._work, name=_THREAD_NAME) for _ in range(threads)]
        self._helper: threading.Thread | None = None

    def start(self) -> None:
        """Begin to compute what is added."""
        for thread in self._threads:
            thread.start()
        if len(self._threads) < _MOST_THREADS:
            self._helper = _SPARE.begin(self._help, _THREAD_NAME)

    def add(self, run: TokenRun) -> None:
        """Let a run be computed."""
        self._unfinished[_key(run)] = _Added(run, self._finished)
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
                if self._unfinished.pop(_key(one[0]), None) is not None:
                    self.texts_ahead -= len(one[0].numbers)
                    self._finished += len(one[0].numbers)
                    self._heard = time.perf_counter()
                    found.append(one)
                one = self._done.get_nowait()
        except queue.Empty:
            if self._helper is not None:
                self._do_again()
            return found

    def stop(self) -> None:
        """End the threads after the runs they are at."""
        self._stopped.set()
        for _thread in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        if self._helper is not None:
            # Where the game needs every processor it goes on for a while, and Python waits for it at the end.
            self._helper.join(_QUIET_SECONDS)

    def _do_again(self) -> None:
        """Let the others do what the helper does not finish."""
        is_quiet = self._waiting.empty() and time.perf_counter() - self._heard > _QUIET_SECONDS
        for key, added in self._unfinished.items():
            if not is_quiet and self._finished - added.finished < _OVERTAKEN_BY:
                return
            if not added.is_repeated and key not in self._computing:
                self._unfinished[key] = added._replace(is_repeated=True)
                self._waiting.put(added.run)

    def _work(self) -> None:
        _give_way()
        while (run := self._waiting.get()) is not None and not self._stopped.is_set():
            key = _key(run)
            if key in self._unfinished:
                self._computing.add(key)
                try:
                    self._done.put((run, self._compute(run)))
                except Exception as error:  # raised again where it is heard, by take()
                    self._done.put(error)
                self._computing.discard(key)

    def _help(self) -> None:
        while not self._stopped.is_set():
            run = None
            # Not get(): put() wakes one that waits, and this thread may then get no processor.
            if not _SPARE.seconds_away:
                with contextlib.suppress(queue.Empty):
                    run = self._waiting.get_nowait()
            if run is None:
                self._stopped.wait(max(_SPARE.seconds_away, _EMPTY_SECONDS))
                continue
            try:
                # One text at a time, after which others may have the processor.
                parts = (
                    TokenRun([number], [ids]) for number, ids in zip(run.numbers, run.tokens, strict=True)
                )
                rows = [_SPARE.do(functools.partial(self._compute, part)) for part in parts]
                self._done.put((run, np.concatenate(rows)))
            except Exception as error:
                self._done.put(error)


class _Added(NamedTuple):
    """A run that waits or is being computed."""

    run: TokenRun
    finished: int
    """How many texts had been taken when it came."""
    is_repeated: bool = False


def _key(run: TokenRun) -> int:
    return run.numbers[0]


def _give_way() -> None:
    """Lower the calling thread's priority. Only Linux has one per thread that Python can reach."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # Who is that low already may not rise.
        os.setpriority(os.PRIO_PROCESS, thread, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Many texts to vectors: the calling thread reads and collects, up to two threads of low priority compute.

They live as long as the batch, and give way to every other thread, the game's and the worker's, where the
system knows priorities of threads. The model runs without Python's lock.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from rag_memory.embedding.token_runs import TokenRun, TokenRuns
from rag_memory.vectors import FloatMatrix

Compute = Callable[[TokenRun], FloatMatrix]
"""The vectors of a run's texts, one row each."""

_LEAST_TEXTS = 8
_LEAST_CHARS = 800
"""Fewer texts, or characters, are done before a thread has begun. A summary of 1,200 takes 30 ms."""
_MOST_THREADS = 2
NICENESS = 10
"""0 to 19; a thread with 10 gets a tenth of the processor time of one that does not give way."""
_RUNS_AHEAD = 32
"""Read but not computed: what the threads find while the caller is at something else."""
_THREAD_NAME = "rag_memory_embedding"


def embed_runs(
    runs: TokenRuns, compute: Compute, slice_seconds: float
) -> Iterator[list[tuple[TokenRun, FloatMatrix]]]:
    """Yield the results of time slices of about this length; a slice may have none. The threads go on between
    slices and end with the iterator.

    Between two slices the threads go on; they end with the iterator, however that ends.
    """
    if runs.unread < _LEAST_TEXTS and runs.unread_chars < _LEAST_CHARS:
        while runs.unread:
            yield [(run, compute(run)) for run in runs.read_one()]
        return
    ahead: deque[tuple[TokenRun, Future[FloatMatrix]]] = deque()
    pool = ThreadPoolExecutor(min(_MOST_THREADS, _cores()), _THREAD_NAME, _give_way)
    try:
        while runs.unread or ahead:
            deadline = time.perf_counter() + slice_seconds
            while runs.unread and len(ahead) < _RUNS_AHEAD and time.perf_counter() < deadline:
                ahead.extend((run, pool.submit(compute, run)) for run in runs.read_one())
            yield _take(ahead, deadline)
    finally:
        pool.shutdown(cancel_futures=True)


def _take(
    ahead: deque[tuple[TokenRun, Future[FloatMatrix]]], deadline: float
) -> list[tuple[TokenRun, FloatMatrix]]:
    """The first runs, as far as they are done by the deadline; raises what went wrong with one."""
    done: list[tuple[TokenRun, FloatMatrix]] = []
    while ahead:
        run, computed = ahead[0]
        if not wait([computed], max(deadline - time.perf_counter(), 0.0)).done:
            break
        done.append((run, computed.result()))
        ahead.popleft()
    return done


def _give_way() -> None:
    """Lower the calling thread's priority. Only Linux has one per thread that Python can reach."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):  # a sandbox may forbid it
            # Who is that low already may not rise.
            os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))


def _cores() -> int:
    """Return how many cores this thread may use; one is left to the game."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

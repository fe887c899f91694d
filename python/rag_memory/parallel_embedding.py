"""Many texts to vectors on two cores: the calling thread and, as long as it lasts, one more.

Each text is still a run of its own (see onnx_embedder.py), so a vector does not depend on who made it. The
model runs without Python's lock; what is done under it takes a hundredth of the time.
"""

from __future__ import annotations

import itertools
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .vector import FloatMatrix, FloatVector, RowIds

_LEAST_TEXTS = 8
"""Fewer are done before a second thread has begun."""


def embed_batches(
    vector_of: Callable[[str], FloatVector], texts: Sequence[str], slice_seconds: float
) -> Iterator[tuple[RowIds, FloatMatrix]]:
    """(positions in `texts`, their vectors), in slices of about this long; equal texts are computed once.

    Between two slices the second thread goes on; it ends with the iterator, however that ends.
    """
    places: dict[str, list[int]] = {}
    for position, text in enumerate(texts):
        places.setdefault(text, []).append(position)
    work = _Work(vector_of, list(places))
    helper = threading.Thread(target=work.run, name="rag_memory_embedding")
    if len(places) >= _LEAST_TEXTS and _cores() > 1:
        helper.start()
    try:
        waiting = len(places)
        while waiting:
            deadline = time.perf_counter() + slice_seconds
            while work.do_one() and time.perf_counter() < deadline:
                pass
            positions: list[int] = []
            vectors: list[FloatVector] = []
            for text, vector in work.take():
                positions += places[text]
                vectors += [vector] * len(places[text])
                waiting -= 1
            yield np.array(positions, dtype=np.int64), np.stack(vectors)
    finally:
        work.stop()
        if helper.ident is not None:
            helper.join()


class _Work:
    """Texts to do, each by whoever comes first, and what is done."""

    def __init__(self, vector_of: Callable[[str], FloatVector], texts: Sequence[str]) -> None:
        self._vector_of = vector_of
        self._texts = texts
        self._next = itertools.count()  # a step of it is one operation under Python's lock
        self._done: queue.SimpleQueue[tuple[str, FloatVector] | Exception] = queue.SimpleQueue()
        self._is_stopped = False

    def do_one(self) -> bool:
        """Do the next text; False when there is none."""
        number = next(self._next)
        if number >= len(self._texts) or self._is_stopped:
            return False
        text = self._texts[number]
        self._done.put((text, self._vector_of(text)))
        return True

    def run(self) -> None:
        """Do texts until there are no more; what goes wrong is raised by take()."""
        try:
            while self.do_one():
                pass
        except Exception as error:
            self._done.put(error)

    def take(self) -> Iterator[tuple[str, FloatVector]]:
        """What is done since the last time; waits until something is."""
        found = self._done.get()
        while True:
            if isinstance(found, Exception):
                raise found
            yield found
            try:
                found = self._done.get_nowait()
            except queue.Empty:
                return

    def stop(self) -> None:
        """Let run() end after the text it is at."""
        self._is_stopped = True


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

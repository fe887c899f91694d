"""Many texts on threads of their own: each once, in order, and whatever goes wrong is heard."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from rag_memory.embedding import parallel_embedding
from rag_memory.embedding.parallel_embedding import Compute, embed_runs
from rag_memory.embedding.token_runs import TokenRun, TokenRuns
from rag_memory.vectors import FloatMatrix

_LIMIT_SECONDS = 300.0
"""Ends a test that hangs."""


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 2)


def _niceness() -> int:
    """Of the calling thread; 0 where threads have none."""
    if sys.platform != "linux":
        return 0
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Computer:
    """Gives a text the vector [its number, 0] and notes who asked for it, and how urgent that is. With
    `meeting` the first text of each thread is done when all threads have one.
    """

    def __init__(self, meeting: int = 0, fails_at: int = -1) -> None:
        self.asked: list[int] = []
        self.threads: set[int] = set()
        self.niceness: set[int] = set()
        self._meeting = threading.Barrier(meeting) if meeting else None
        self._fails_at = fails_at

    def __call__(self, run: TokenRun) -> FloatMatrix:
        self.asked += run.numbers
        is_new = threading.get_ident() not in self.threads
        self.threads.add(threading.get_ident())
        self.niceness.add(_niceness())
        if self._meeting and is_new:
            self._meeting.wait(_LIMIT_SECONDS)
        if self._fails_at in run.numbers:
            raise ValueError(f"cannot read {self._fails_at}")
        return np.array([[ids[0], 0.0] for ids in run.tokens], dtype=np.float32)


def batch(
    computer: Compute, count: int, seconds: float = 0.004
) -> Iterator[list[tuple[TokenRun, FloatMatrix]]]:
    runs = TokenRuns(lambda text: [int(text)], [str(number) for number in range(count)], together=False)
    return embed_runs(runs, computer, seconds)


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rag_memory_embedding"]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 700])
def test_every_text_has_its_vector(count: int) -> None:
    computer = Computer()
    found: list[tuple[int, float]] = []
    for done in batch(computer, count):
        for run, vectors in done:
            found += zip(run.numbers, vectors[:, 0].tolist(), strict=True)
    assert sorted(found) == [(number, float(number)) for number in range(count)]
    assert sorted(computer.asked) == list(range(count))
    assert not helpers()


def test_two_threads_compute_and_the_caller_stays_free() -> None:
    computer = Computer(meeting=2)
    for _done in batch(computer, 100):
        pass
    assert len(computer.threads) == 2
    assert threading.get_ident() not in computer.threads


def test_the_threads_give_way_and_the_caller_does_not() -> None:
    computer = Computer(meeting=2)
    own = _niceness()
    for _done in batch(computer, 50):
        pass
    lowered = max(own, parallel_embedding.NICENESS) if sys.platform == "linux" else own
    assert computer.niceness == {lowered}
    assert _niceness() == own


def test_a_few_texts_need_no_thread() -> None:
    computer = Computer()
    assert sum(len(done) for done in batch(computer, 7)) == 7
    assert computer.threads == {threading.get_ident()}


def test_a_slice_ends_although_nothing_is_done() -> None:
    computer, may_compute = Computer(), threading.Event()

    def compute(run: TokenRun) -> FloatMatrix:
        may_compute.wait(_LIMIT_SECONDS)
        return computer(run)

    slices = batch(compute, 20, seconds=0.01)
    assert next(slices) == []
    may_compute.set()
    assert sum(len(done) for done in slices) == 20
    assert not helpers()


def test_the_threads_go_on_between_two_slices() -> None:
    computer, may_compute, has_computed = Computer(), threading.Event(), threading.Event()

    def compute(run: TokenRun) -> FloatMatrix:
        may_compute.wait(_LIMIT_SECONDS)
        vectors = computer(run)
        if len(computer.asked) >= 8:
            has_computed.set()
        return vectors

    slices = batch(compute, 1_000, seconds=0.5)
    assert next(slices) == []
    may_compute.set()
    assert has_computed.wait(_LIMIT_SECONDS)
    slices.close()  # type: ignore[attr-defined]
    assert not helpers()
    assert len(computer.asked) < 1_000, "only what was read ahead"


@pytest.mark.parametrize("fails_at", [0, 1, 30, 63])
@pytest.mark.parametrize("count", [64, 7])
def test_an_error_is_raised_and_no_thread_stays(fails_at: int, count: int) -> None:
    fails_at %= count
    with pytest.raises(ValueError, match=f"cannot read {fails_at}$"):
        for _done in batch(Computer(fails_at=fails_at), count):
            pass
    assert not helpers()


def test_on_a_single_core_one_thread_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 1)
    computer = Computer()
    assert sum(len(done) for done in batch(computer, 100, 0.001)) == 100
    assert len(computer.threads) == 1
    assert threading.get_ident() not in computer.threads

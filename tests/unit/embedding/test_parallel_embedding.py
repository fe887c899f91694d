"""Many texts on threads of their own: each once, in any order, and whatever goes wrong is heard."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from rag_memory.embedding import parallel_embedding
from rag_memory.embedding.parallel_embedding import embed_runs
from rag_memory.embedding.token_runs import TokenRun, TokenRuns
from rag_memory.vectors import FloatMatrix


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 2)


def _niceness() -> int:
    """Of the calling thread; 0 where threads have none."""
    if sys.platform != "linux":
        return 0
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Computer:
    """Gives a text the vector [its number, 0] and notes who asked for it, and how urgent that is."""

    def __init__(self, seconds: float = 0.001, fails_at: int = -1) -> None:
        self.asked: list[int] = []
        self.threads: set[int] = set()
        self.niceness: set[int] = set()
        self._seconds = seconds
        self._fails_at = fails_at

    def __call__(self, run: TokenRun) -> FloatMatrix:
        self.asked += run.numbers
        self.threads.add(threading.get_ident())
        self.niceness.add(_niceness())
        time.sleep(self._seconds)
        if self._fails_at in run.numbers:
            raise ValueError(f"cannot read {self._fails_at}")
        return np.array([[ids[0], 0.0] for ids in run.tokens], dtype=np.float32)


def batch(
    computer: Computer, count: int, seconds: float = 0.004
) -> Iterator[list[tuple[TokenRun, FloatMatrix]]]:
    runs = TokenRuns(lambda text: [int(text)], [str(number) for number in range(count)], together=False)
    return embed_runs(runs, computer, seconds)


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rag_memory_embedding"]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 700])
def test_every_text_has_its_vector(count: int) -> None:
    computer = Computer(0.0)
    found: list[tuple[int, float]] = []
    for done in batch(computer, count):
        for run, vectors in done:
            found += zip(run.numbers, vectors[:, 0].tolist(), strict=True)
    assert sorted(found) == [(number, float(number)) for number in range(count)]
    assert sorted(computer.asked) == list(range(count))
    assert not helpers()


def test_two_threads_compute_and_the_caller_stays_free() -> None:
    computer = Computer()
    for _done in batch(computer, 100):
        pass
    assert len(computer.threads) == 2
    assert threading.get_ident() not in computer.threads


def test_the_threads_give_way_and_the_caller_does_not() -> None:
    computer = Computer()
    own = _niceness()
    for _done in batch(computer, 50):
        pass
    lowered = max(own, parallel_embedding._NICENESS) if sys.platform == "linux" else own
    assert computer.niceness == {lowered}
    assert _niceness() == own


def test_a_few_texts_need_no_thread() -> None:
    computer = Computer()
    assert sum(len(done) for done in batch(computer, 7)) == 7
    assert computer.threads == {threading.get_ident()}


def test_a_slice_ends_although_nothing_is_done() -> None:
    slices = batch(Computer(seconds=0.5), 20, seconds=0.01)
    assert next(slices) == []
    assert sum(len(done) for done in slices) == 20
    assert not helpers()


def test_the_threads_go_on_between_two_slices() -> None:
    computer = Computer()
    slices = batch(computer, 1_000)
    next(slices)
    before = len(computer.asked)
    deadline = time.monotonic() + 30
    while len(computer.asked) < before + 20:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    slices.close()  # type: ignore[attr-defined]
    assert not helpers()
    assert len(computer.asked) < 1_000


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


class Place:
    """Stands for the spare processor; the thread there stays an ordinary one."""

    def __init__(self, is_free: bool = True, seconds_away: float = 0.0) -> None:
        self.texts = 0
        self.seconds_away = 0.0
        self._is_free = is_free
        self._seconds_away = seconds_away

    def begin(self, work: Callable[[], None], name: str) -> threading.Thread | None:
        if not self._is_free:
            return None
        thread = threading.Thread(target=work, name=name)
        thread.start()
        return thread

    def do(self, work: Callable[[], FloatMatrix]) -> FloatMatrix:
        self.texts += 1
        self.seconds_away = self._seconds_away
        return work()


class Waiting(Computer):
    """The ordinary thread waits until the helper has begun with a text, the helper until it is released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: Place, fails: bool = False) -> None:
        super().__init__()
        monkeypatch.setattr(parallel_embedding, "_cores", lambda: 1)
        monkeypatch.setattr(parallel_embedding, "_SPARE", place)
        monkeypatch.setattr(parallel_embedding, "_give_way", lambda: self.ordinary.add(threading.get_ident()))
        self.ordinary: set[int] = set()
        self.helped: list[int] = []
        self.released = threading.Event()
        self._has_begun = threading.Event()
        self._fails = fails

    def __call__(self, run: TokenRun) -> FloatMatrix:
        if threading.get_ident() in self.ordinary:
            assert self._has_begun.wait(30)
        else:
            self.helped += run.numbers
            self._has_begun.set()
            assert len(run.numbers) == 1
            assert self.released.wait(30)
            if self._fails:
                raise ValueError("the helper cannot read")
        return super().__call__(run)


def all_gone() -> bool:
    deadline = time.monotonic() + 30
    while helpers() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not helpers()


def test_a_helper_takes_part_one_text_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    computer = Waiting(monkeypatch, Place())
    computer.released.set()
    runs = TokenRuns(lambda text: [int(text), 0, 0], [str(number) for number in range(2_000)], together=True)
    found: list[tuple[int, float]] = []
    for done in embed_runs(runs, computer, 0.004):
        for run, vectors in done:
            found += zip(run.numbers, vectors[:, 0].tolist(), strict=True)
    assert sorted(found) == [(number, float(number)) for number in range(2_000)]
    assert computer.helped
    assert all_gone()


@pytest.mark.parametrize("count", [100, 3_000])
def test_what_the_helper_keeps_too_long_is_done_again(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    computer = Waiting(monkeypatch, Place())
    found: list[int] = []
    at_its_turn = 0
    for done in batch(computer, count):
        found += [number for run, _vectors in done for number in run.numbers]
        if computer.helped[0:1] and computer.helped[0] in found and not at_its_turn:
            at_its_turn = len(found)
    assert sorted(found) == list(range(count))
    assert len(computer.helped) == 1
    assert at_its_turn < 1_600, "what comes after it cannot be written before it"
    assert len(helpers()) == 1
    computer.released.set()
    assert all_gone()


def test_a_batch_that_is_given_up_does_not_wait_for_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    computer = Waiting(monkeypatch, Place())
    slices = batch(computer, 1_000)
    while not computer.asked:
        next(slices)
    slices.close()  # type: ignore[attr-defined]
    assert len(helpers()) == 1
    computer.released.set()
    assert all_gone()


def test_an_error_of_the_helper_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    computer = Waiting(monkeypatch, Place(), fails=True)
    computer.released.set()
    with pytest.raises(ValueError, match="the helper cannot read"):
        for _done in batch(computer, 1_000):
            pass
    assert all_gone()


def test_a_helper_stays_away_while_others_want_its_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(seconds_away=1_000.0)
    computer = Waiting(monkeypatch, place)
    computer.released.set()
    assert sum(len(done) for done in batch(computer, 300)) == 300
    assert place.texts == 1
    assert all_gone()


def test_without_a_spare_processor_nobody_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 1)
    monkeypatch.setattr(parallel_embedding, "_SPARE", Place(is_free=False))
    computer = Computer()
    assert sum(len(done) for done in batch(computer, 100)) == 100
    assert len(computer.threads) == 1

"""Many texts on two threads: each once, in any order, and whatever goes wrong is heard."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from rag_memory import parallel_embedding
from rag_memory.parallel_embedding import embed_batches
from rag_memory.vector import FloatVector


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 2)


class Computer:
    """Gives a text the vector [its number, 0] and notes who asked for it."""

    def __init__(self, seconds: float = 0.001, fails_at: str = "") -> None:
        self.asked: list[str] = []
        self.threads: set[int] = set()
        self._seconds = seconds
        self._fails_at = fails_at

    def __call__(self, text: str) -> FloatVector:
        self.asked.append(text)
        self.threads.add(threading.get_ident())
        time.sleep(self._seconds)
        if text == self._fails_at:
            raise ValueError(f"cannot read {text}")
        return np.array([float(text), 0.0], dtype=np.float32)


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rag_memory_embedding"]


def test_every_text_has_its_vector_and_equal_ones_are_computed_once() -> None:
    texts = [str(number % 50) for number in range(120)]
    computer = Computer()
    found: dict[int, float] = {}
    for positions, vectors in embed_batches(computer, texts, 0.004):
        assert not set(positions.tolist()) & found.keys()
        found.update(zip(positions.tolist(), vectors[:, 0].tolist(), strict=True))
    assert found == {position: float(text) for position, text in enumerate(texts)}
    assert sorted(computer.asked) == sorted({*texts})
    assert len(computer.threads) == 2
    assert not helpers()


def test_the_second_thread_goes_on_between_two_slices() -> None:
    computer = Computer()
    slices = embed_batches(computer, [str(number) for number in range(1_000)], 0.004)
    next(slices)
    before = len(computer.asked)
    deadline = time.monotonic() + 30
    while len(computer.asked) < before + 20:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    slices.close()  # type: ignore[attr-defined]
    assert not helpers()
    assert len(computer.asked) < 1_000


@pytest.mark.parametrize("fails_at", ["0", "1", "30", "63"])
def test_an_error_of_either_thread_is_raised_and_no_thread_stays(fails_at: str) -> None:
    with pytest.raises(ValueError, match=f"cannot read {fails_at}$"):
        for _ in embed_batches(Computer(fails_at=fails_at), [str(number) for number in range(64)], 0.004):
            pass
    assert not helpers()


def test_a_single_core_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_embedding, "_cores", lambda: 1)
    computer = Computer()
    assert sum(len(positions) for positions, _ in embed_batches(computer, ["1", "2"] * 50, 0.001)) == 100
    assert computer.threads == {threading.get_ident()}

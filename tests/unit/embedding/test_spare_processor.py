"""The processor left to the game: how its thread runs, and when it should stay away."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from rag_memory.embedding import spare_processor
from rag_memory.embedding.spare_processor import SpareProcessor

_T = TypeVar("_T")

has_threads_of_classes = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="threads have processors and classes of their own on Linux only, and one processor must be left",
)


def kept_to_ours(work: Callable[[], _T]) -> _T:
    """Do it on a thread that is kept off the first processor, as the addon's are."""
    found: list[_T] = []

    def kept() -> None:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[1:])
        found.append(work())

    thread = threading.Thread(target=kept)
    thread.start()
    thread.join()
    assert found, "see the error above"
    return found[0]


@has_threads_of_classes
def test_a_thread_that_may_use_every_processor_has_no_spare_one() -> None:
    assert SpareProcessor().begin(lambda: None, "test") is None


@has_threads_of_classes
def test_the_thread_is_of_the_idle_class_and_may_use_every_processor() -> None:
    found: list[tuple[int, set[int]]] = []

    def work() -> None:
        found.append((os.sched_getscheduler(0), os.sched_getaffinity(0)))

    thread = kept_to_ours(lambda: SpareProcessor().begin(work, "test"))
    assert thread is not None
    thread.join(30)
    assert found == [(os.SCHED_IDLE, os.sched_getaffinity(0))]


@has_threads_of_classes
def test_there_is_one_such_thread_at_a_time() -> None:
    spare = SpareProcessor()
    released = threading.Event()

    def wait() -> None:
        released.wait(30)

    first = kept_to_ours(lambda: spare.begin(wait, "test"))
    assert first is not None
    assert kept_to_ours(lambda: spare.begin(lambda: None, "test")) is None
    released.set()
    first.join(30)
    second = kept_to_ours(lambda: spare.begin(lambda: None, "test"))
    assert second is not None
    second.join(30)


@has_threads_of_classes
def test_where_a_class_cannot_be_set_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    done: list[bool] = []
    assert kept_to_ours(lambda: SpareProcessor().begin(lambda: done.append(True), "test")) is None
    deadline = time.monotonic() + 30
    while any(thread.name == "test" for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not done


@has_threads_of_classes
def test_others_on_the_processors_are_noticed() -> None:
    loop = "print(flush=True)\nwhile True: pass"
    spare = SpareProcessor()
    ended = time.monotonic() + 60
    busy = []
    try:
        for _processor in os.sched_getaffinity(0):
            # In this session: Linux weighs sessions against each other first, and classes within one.
            busy.append(subprocess.Popen([sys.executable, "-I", "-c", loop], stdout=subprocess.PIPE))
            assert busy[-1].stdout is not None
            busy[-1].stdout.readline()

        def work() -> None:
            while not spare.seconds_away and time.monotonic() < ended:
                spare.do(lambda: sum(range(10_000)))

        thread = kept_to_ours(lambda: spare.begin(work, "test"))
        assert thread is not None
        thread.join(70)
        assert spare.seconds_away > 0.0
        assert kept_to_ours(lambda: spare.begin(work, "test")) is None
    finally:
        for process in busy:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def test_it_stays_away_twice_as_long_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 100.0)
    spare = SpareProcessor()
    spare.note(0.2, 0.2)
    assert spare.seconds_away == 0.0, "too early to tell"
    spare.note(0.2, 0.2)
    assert spare.seconds_away == 0.5
    spare.note(0.4, 0.2)
    assert spare.seconds_away == 1.0
    for _time in range(20):
        spare.note(0.4, 0.2)
    assert spare.seconds_away == 60.0


def test_it_comes_back_when_nobody_wants_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    spare = SpareProcessor()
    for _time in range(5):
        spare.note(0.4, 0.2)
    now[0] += 100.0
    assert spare.seconds_away == 0.0
    spare.note(0.4, 0.02)
    assert spare.seconds_away == 0.0
    spare.note(0.4, 0.2)
    assert spare.seconds_away == 0.5


def test_where_the_system_does_not_tell_it_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spare_processor, "_waited_seconds", lambda: math.nan)
    spare = SpareProcessor()
    assert spare.do(lambda: "done") == "done"
    spare.note(1.0, 0.0)
    assert spare.seconds_away > 0.0

"""The processor left to the game: whose it is, how its thread runs there, and when it should stay away."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from rag_memory import spare_processor
from rag_memory.spare_processor import SpareProcessor

_T = TypeVar("_T")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="threads have processors of their own on Linux only, and one must be left",
)


def in_a_thread(work: Callable[[], _T]) -> _T:
    """Where processors and class may be changed: neither comes back."""
    found: list[_T] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def kept_to_one() -> tuple[int, int]:
    """Keep the calling thread off the first processor, as the addon's are; (the last one's, its) number."""
    processors = sorted(os.sched_getaffinity(os.getpid()))
    os.sched_setaffinity(0, processors[1:])
    return processors[-1], processors[0]


def test_a_thread_that_may_use_every_processor_has_no_spare_one() -> None:
    assert in_a_thread(SpareProcessor.find) is None


def test_the_thread_is_of_the_idle_class_and_on_the_processor_that_was_left() -> None:
    def work() -> tuple[bool, int, set[int], int]:
        _own, left = kept_to_one()
        spare = SpareProcessor.find()
        assert spare is not None
        return spare.take_place(), os.sched_getscheduler(0), os.sched_getaffinity(0), left

    is_taken, scheduler, processors, left = in_a_thread(work)
    assert is_taken
    assert scheduler == os.SCHED_IDLE
    assert processors == {left}


def test_others_on_the_processor_are_noticed() -> None:
    def work() -> bool:
        _own, left = kept_to_one()
        spare = SpareProcessor.find()
        assert spare is not None
        loop = f"import os; os.sched_setaffinity(0, {{{left}}}); print(flush=True)\nwhile True: pass"
        with subprocess.Popen([sys.executable, "-I", "-c", loop], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            try:
                assert spare.take_place()
                deadline = time.monotonic() + 30
                while (is_wanted := spare.is_wanted()) is None and time.monotonic() < deadline:
                    pass
                return is_wanted is True
            finally:
                process.kill()

    assert in_a_thread(work)


@pytest.mark.parametrize(("share", "is_wanted"), [(0.0, False), (0.1, False), (0.3, True), (1.0, True)])
def test_it_is_wanted_when_others_have_a_fifth_of_it(
    monkeypatch: pytest.MonkeyPatch, share: float, is_wanted: bool
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(spare_processor, "_ran_and_waited", lambda: (1.0, share * now[0]))
    spare = SpareProcessor({0})
    assert spare.look_anew()
    assert spare.is_wanted() is None
    now[0] += 1.0
    assert spare.is_wanted() is is_wanted
    assert spare.is_wanted() is None


def test_where_the_system_does_not_tell_who_waits_nobody_takes_the_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work() -> bool:
        kept_to_one()
        spare = SpareProcessor.find()
        assert spare is not None
        return spare.take_place()

    monkeypatch.setattr(spare_processor, "_ran_and_waited", lambda: (0.0, 0.0))
    assert not in_a_thread(work)

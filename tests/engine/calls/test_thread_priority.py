"""Threads of ours give way to the game's, as the operating system sees it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.engine.game import START_LIMIT_SECONDS, Game, Home, Project

NICENESS = 10
COMPUTING_SECONDS = 0.2
"""Of processor time: a thread that has used so much has computed."""

pytestmark = pytest.mark.slow


class Thread(NamedTuple):
    """A thread, as the operating system describes it."""

    name: str
    niceness: int
    processors: frozenset[int]
    seconds: float
    """Of processor time, used so far."""


def threads_of(game: Game) -> list[Thread]:
    """The game's threads, the main one first and so named; what Python starts has the worker's name."""
    found = []
    for folder in sorted(Path(f"/proc/{game.process.pid}/task").iterdir(), key=lambda each: int(each.name)):
        number = int(folder.name)
        try:
            name = (folder / "comm").read_text().strip()
            ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
            niceness = os.getpriority(os.PRIO_PROCESS, number)
            processors = frozenset(os.sched_getaffinity(number))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
        seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        is_main = number == game.process.pid
        found.append(Thread("main" if is_main else name, niceness, processors, seconds))
    return found


def left_to_us(main: Thread) -> frozenset[int]:
    """The processors of the game without the one that is its own."""
    return main.processors - {min(main.processors)} if len(main.processors) > 1 else main.processors


def test_our_threads_yield_and_leave_a_processor_to_the_game(quick_project: Project, home: Home) -> None:
    game = Game(quick_project, home, "store_forever")
    game.wait_for("stored", count=10)
    main, *others = threads_of(game)
    game.kill()
    ours = [thread for thread in others if thread.name in ("rag_memory", "rag_answers")]
    assert main.processors == os.sched_getaffinity(0)
    assert {thread.name for thread in ours} == {"rag_memory", "rag_answers"}
    for thread in ours:
        assert thread.niceness == max(NICENESS, main.niceness), thread
        assert thread.processors == left_to_us(main), thread


def test_so_do_the_threads_that_compute_a_batch(project: Project, home: Home) -> None:
    game = Game(project, home, "store_batches_forever")
    deadline = time.monotonic() + START_LIMIT_SECONDS
    computing: list[Thread] = []
    while time.monotonic() < deadline:
        main, *others = threads_of(game)
        ours = [thread for thread in others if thread.name == "rag_memory"]
        computing = [thread for thread in ours if thread.seconds >= COMPUTING_SECONDS]
        # The worker and as many as a batch may have.
        if len(computing) > min(2, len(left_to_us(main))):
            break
        time.sleep(0.05)
    game.kill()
    assert len(computing) == 1 + min(2, len(left_to_us(main))), (ours, game.tail())
    for thread in computing:
        assert thread.niceness == max(NICENESS, main.niceness), thread
        assert thread.processors == left_to_us(main), thread

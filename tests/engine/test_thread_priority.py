"""Threads of ours give way to the game's, as the operating system sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.engine.game import Game, Home, Project

NICENESS = 10

pytestmark = pytest.mark.slow


def test_our_threads_yield_and_leave_a_processor_to_the_game(quick_project: Project, home: Home) -> None:
    game = Game(quick_project, home, "store_forever")
    game.wait_for("stored", count=10)
    ours: dict[str, int] = {}
    processors: dict[str, set[int]] = {}
    for folder in Path(f"/proc/{game.process.pid}/task").iterdir():
        name, thread = (folder / "comm").read_text().strip(), int(folder.name)
        name = "main" if thread == game.process.pid else name
        ours[name] = os.getpriority(os.PRIO_PROCESS, thread)
        processors[name] = os.sched_getaffinity(thread)
    game.kill()
    assert ours["rag_memory"] == ours["rag_answers"] == max(NICENESS, ours["main"])
    everything = processors["main"]
    left = {min(everything)} if len(everything) > 1 else set()
    assert processors["rag_memory"] == processors["rag_answers"] == everything - left

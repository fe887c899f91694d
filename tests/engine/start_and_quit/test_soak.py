"""Random calls of every method for half a minute; `build.py bench soak` does the same for half an hour."""

from __future__ import annotations

import pytest
from tests.engine.game import Home, Project, run

SECONDS = 30
OURS = ("RAGMemory.", "MemoryServer.", "RAG Memory:")
"""Beginnings of the errors of nonsensical calls."""


@pytest.mark.slow
def test_random_calls_lose_nothing_leak_nothing_and_crash_nothing(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "soak", str(SECONDS), "1", seconds=SECONDS + 1800, allowed=OURS)
    assert game.values("hanging") == []
    assert game.value("lost") == []
    assert game.value("entries") > 50
    assert game.value("methods") > 40
    assert game.value("cancelled") > 0 and game.value("freed") > 0
    counts = game.value("object_counts")
    # The engine itself makes one when the first error is printed.
    assert len(counts) > 2 and counts[-1] <= counts[1], f"objects are left over: {counts}"
    assert [line for line in game.lines if "Please report it" in line] == []


def test_many_calls_leave_nothing_behind(quick_project: Project, home: Home) -> None:
    # 70 bytes for each of 20,000 answers were 1,400 KB.
    assert run(quick_project, home, "many_calls").value("grown_kb") < 500

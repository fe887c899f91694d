"""Requests that take too long: rag_memory/request_timeout_seconds."""

from __future__ import annotations

import pytest
from tests.engine.game import Home, Project, run

HELD = """
from rag_memory.npc.recall import Recall

_get_recent = Recall.get_recent

def _held(self, count=5, *rest):
    if count < 3 or count > 100:
        hold(count)
        return []
    return _get_recent(self, count, *rest)

Recall.get_recent = _held
"""
SLICES = """
import time
from rag_memory.npc.memories import Memories
from rag_memory.step import Step

def _in_slices(self, memories):
    end = time.monotonic() + 10.0
    while time.monotonic() < end:
        time.sleep(0.05)
        yield Step(0, 1, "sleeping")
    return ["an id"] * len(memories)

vars(Memories)["store_batch"].function = _in_slices
"""
HELD_SAVE = """
from rag_memory.godot.open_saves import OpenSaves

_open = OpenSaves._open

def _held_up(self, *arguments):
    hold(1)
    return _open(self, *arguments)

OpenSaves._open = _held_up
"""
TOO_LONG = "made no progress within the time limit"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["project.godot", "override.cfg", "set_setting"])
def test_a_call_that_hangs_fails_after_the_time_limit(way: str, quick_project: Project, home: Home) -> None:
    quick_project.inject_hold(home, HELD)
    arguments = []
    if way == "project.godot":
        quick_project.write_settings({"rag_memory/request_timeout_seconds": "3.0"})
    elif way == "override.cfg":
        override = quick_project.folder / "override.cfg"
        override.write_text("[rag_memory]\n\nrequest_timeout_seconds=3.0\n", encoding="utf-8")
    else:
        arguments = ["--set"]
    game = run(quick_project, home, "timeouts", *arguments, errors=[TOO_LONG])
    result, error = game.value("async")
    assert result == []
    assert TOO_LONG in error and "rag_memory/request_timeout_seconds" in error
    assert game.value("blocking") == []
    assert game.value("works_again") != ""
    assert sum(TOO_LONG in text for text in game.value("failed")) == 2


def test_long_work_that_makes_progress_does_not_fail(quick_project: Project, home: Home) -> None:
    quick_project.inject(SLICES)
    quick_project.write_settings({"rag_memory/request_timeout_seconds": "8.0"})
    game = run(quick_project, home, "long_work")
    assert game.value("stored") == 7
    assert game.value("error") == ""


@pytest.mark.slow
@pytest.mark.parametrize("thread", [[], ["--thread"]])
def test_what_is_done_after_the_time_limit_is_told(
    thread: list[str], quick_project: Project, home: Home
) -> None:
    quick_project.inject_hold(home, HELD_SAVE)
    quick_project.write_settings({"rag_memory/request_timeout_seconds": "1.0"})
    game = run(quick_project, home, "overdue_save", *thread, errors=[TOO_LONG])
    assert game.value("result") == 1  # FAILED
    assert game.value("current_at_once") == ""
    assert game.value("heard") == ["slow"]
    assert game.value("current") == "slow"


def test_an_exchange_never_makes_the_game_wait(quick_project: Project, home: Home) -> None:
    quick_project.inject_hold(home, HELD)
    game = run(quick_project, home, "converse_while_busy")
    for said in ("built", "parsed", "recorded"):
        assert game.value(said) is True, f"{said}: the game stood still\n{game.tail()}"
    assert game.value("prompt") is True, game.tail()
    assert game.value("answer") == "gift_given", game.tail()
    assert game.value("stored") == 3, game.tail()  # The talk, the gift and the relationship.

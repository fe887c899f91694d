"""The engine quits while the worker is busy, or is killed: how it ends, and what is on disk afterwards."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conftest import Times
from tests.engine.game import Game, Home, Project, run

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder

STOPPED = "The memory runtime has stopped because the game is quitting"
AT_ONCE = 2
STUCK = """
from rag_memory.npc.recall import Recall

def _embed(self, count=5, *rest):
    (FOLDER / "held_1").touch()
    while True:
        self._records.save.embedder.embed(["The mill burned down at night, and nobody saw who did it."] * 8)

Recall.get_recent = _embed
"""
"""A call that is inside the sentence model until the process ends, in one slice."""
HELD = """
from rag_memory.npc.memories import Memories

_store_batch = vars(Memories)["store_batch"].function

def _held(self, memories):
    hold(1)
    return (yield from _store_batch(self, memories))

vars(Memories)["store_batch"].function = _held
"""

pytestmark = pytest.mark.slow


Repeat = Callable[[Callable[[Home, int], None]], None]


@pytest.fixture
def repeat(tmp_path: Path, times: Times) -> Repeat:
    """Play something several times, each time with a new home; every failure is shown."""

    def repeat_it(play: Callable[[Home, int], None]) -> None:
        def play_one(number: int) -> str:
            try:
                play(Home(tmp_path / f"home {number}"), number)
            except AssertionError as error:
                return f"run {number}: {error}"
            return ""

        count = times(6, 20)
        # A small number quits early, a large one late.
        numbers = range(0, 20, 20 // count)[:count]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            failures = [text for text in pool.map(play_one, numbers) if text]
        assert not failures, f"{len(failures)} of {count} failed\n" + "\n".join(failures[:3])

    return repeat_it


def stored_ids(home: Home, project: Project) -> set[str]:
    """The ids of elena's memories in the default save, read by the core after the engine has gone."""
    with rag_memory.open_save(home.saves(project) / "default.sqlite3", HashingEmbedder()) as save:
        npc = save.npc("elena")
        return {memory["id"] for memory in npc.recall.get_recent(1_000_000)}


def test_quitting_while_busy_ends_with_exit_code_0(project: Project, repeat: Repeat) -> None:
    def play(home: Home, number: int) -> None:
        game = run(project, home, "quit_while_busy", str(number * number // 4))
        asked = game.value("asked")
        completed = game.values("completed")
        assert sorted(completed) == list(range(asked)), f"completed: {completed}\n{game.tail()}"

    repeat(play)


def test_quitting_while_a_call_is_stuck_ends_with_exit_code_0(project: Project, home: Home) -> None:
    project.inject_hold(home, STUCK)
    game = run(project, home, "quit_while_stuck")
    assert game.value("stored") != ""
    assert game.values("completed") == [0]


def test_quitting_with_a_queue_loses_nothing_that_was_acknowledged(
    quick_project: Project, repeat: Repeat
) -> None:
    def play(home: Home, number: int) -> None:
        game = run(quick_project, home, "quit_with_queue", str(number), allowed=[STOPPED])
        acknowledged = game.values("stored")
        assert len(acknowledged) == 100, f"{len(acknowledged)} requests completed\n{game.tail()}"
        # A busy machine does not write all of them in the seconds that the game may take to quit.
        written = [id for id in acknowledged if id]
        assert written, "queued writes are carried out before the engine ends"
        assert acknowledged == written + [""] * (100 - len(written)), "in the order of the calls"
        assert stored_ids(home, quick_project) == set(written)

    repeat(play)


def test_quitting_right_after_a_long_batch_was_asked_for_stores_it(
    quick_project: Project, home: Home
) -> None:
    game = run(quick_project, home, "quit_with_batch", "600")
    acknowledged = game.value("stored")
    assert len(acknowledged) == 600, game.tail()
    assert stored_ids(home, quick_project) == set(acknowledged)


def test_killing_during_a_stream_of_stores_loses_nothing_that_was_acknowledged(
    quick_project: Project, repeat: Repeat
) -> None:
    dice = random.Random(20)

    def play(home: Home, number: int) -> None:
        game = Game(quick_project, home, "store_forever")
        game.wait_for("stored", count=dice.randint(1, 400))
        game.kill()
        acknowledged = game.values("stored")
        assert all(acknowledged), game.tail()
        lost = set(acknowledged) - stored_ids(home, quick_project)
        assert not lost, (
            f"{len(lost)} of {len(acknowledged)} acknowledged memories are lost: {sorted(lost)[:5]}"
        )

    repeat(play)


def test_quitting_does_not_wait_for_a_summarizer(quick_project: Project, home: Home) -> None:
    game = run(quick_project, home, "quit_while_summarising")
    assert game.value("asked") == 60
    done = game.value("completed")
    assert done["removed"] > 30, game.tail()
    assert done["remaining"] == 60 - done["removed"] + len(done["summary_ids"])
    assert any("The summarizer wrote no summary" in line for line in game.warnings()), game.tail()
    assert set(done["summary_ids"]) <= stored_ids(home, quick_project)


SLOW = """
import time
from rag_memory.npc.memories import Memories

_store = Memories.store

def _slowly(self, *arguments, **options):
    time.sleep(0.03)
    return _store(self, *arguments, **options)

Memories.store = _slowly
"""


def test_what_is_not_written_at_quit_is_counted_in_one_line(quick_project: Project, home: Home) -> None:
    quick_project.inject(SLOW)
    game = run(quick_project, home, "quit_with_many", "150")
    lines = [line for line in game.warnings() if "before the game quit" in line]
    assert len(lines) == 1, game.tail()
    counts = dict(re.findall(r"(\w+) (\d+)(?=[,)])", lines[0]))
    lost = int(re.findall(r"(\d+) calls that store", lines[0])[0])
    assert set(counts) >= {"elena", "Zoë", "tom"} and "and 5 more NPCs" in lines[0]
    assert lost == 5 + sum(map(int, counts.values()))
    with rag_memory.open_save(home.saves(quick_project) / "default.sqlite3", HashingEmbedder()) as save:
        written = sum(npc["total"] for npc in save.overview.list_npcs())
    assert written + lost == 460


def test_a_game_that_waits_for_close_save_loses_nothing(quick_project: Project, home: Home) -> None:
    quick_project.inject(SLOW)
    game = run(quick_project, home, "quit_with_many", "80", "wait")
    assert game.value("closed") == 0
    assert "before the game quit" not in game.text(), game.tail()
    with rag_memory.open_save(home.saves(quick_project) / "default.sqlite3", HashingEmbedder()) as save:
        assert sum(npc["total"] for npc in save.overview.list_npcs()) == 250


def test_quitting_without_ever_using_the_memory(project: Project, home: Home) -> None:
    game = run(project, home, "do_nothing")
    assert game.value("state") == "idle"
    assert not home.saves(project).exists(), "nothing was asked, nothing is written"


def test_quitting_while_a_thread_of_the_game_waits(quick_project: Project, home: Home) -> None:
    quick_project.inject_hold(home, HELD)
    game = run(quick_project, home, "quit_while_a_thread_waits")
    assert game.value("waiting") is True
    assert game.value("stored") == 200

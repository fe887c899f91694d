"""A game killed (SIGKILL) while it copies, restores or consolidates leaves the old state or the new one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.game import Game, Home, Project

import rag_memory
from rag_memory.embedding.hashing_embedder import HashingEmbedder

NUMBERS = [0, 1, *(pytest.param(number, marks=pytest.mark.repeated) for number in range(2, 8))]
"""Of the kills; each comes at another moment."""
MEMORIES = 1500

pytestmark = pytest.mark.slow


def kill_while(
    project: Project,
    home: Home,
    scenario: str,
    line: str,
    number: int,
    check: Callable[[rag_memory.Save, Game], None],
) -> None:
    """Kill the scenario a moment after it said the line twice or more often, then look at the save."""
    dice = random.Random(f"{scenario} {number}")
    game = Game(project, home, scenario, str(MEMORIES))
    game.wait_for(line, count=dice.randint(2, 4))
    time.sleep(dice.uniform(0.0, 0.3))
    game.kill()
    path = home.saves(project) / "default.sqlite3"
    with rag_memory.open_save(path, HashingEmbedder()) as save:
        check(save, game)


@pytest.mark.parametrize("number", NUMBERS)
def test_killed_during_snapshot(number: int, quick_project: Project, home: Home) -> None:
    def check(save: rag_memory.Save, game: Game) -> None:
        taken = game.values("taken")[-1]
        assert save.npc("elena").memories.get_memory_count() >= taken
        assert save.snapshots.slots() == ["slot"]
        save.snapshots.restore("slot")
        count = save.npc("elena").memories.get_memory_count()
        assert taken <= count <= taken + 1, f"{count} memories, said: {taken}"
        assert len(save.npc("elena").recall.get_recent(count)) == count

    kill_while(quick_project, home, "snapshot_forever", "taken", number, check)


@pytest.mark.parametrize("number", NUMBERS)
def test_killed_during_restore(number: int, quick_project: Project, home: Home) -> None:
    def check(save: rag_memory.Save, game: Game) -> None:
        texts = [memory["document_full"] for memory in save.npc("elena").recall.get_recent(2 * MEMORIES)]
        stories = {text.rpartition("In the ")[2] for text in texts}
        assert len(texts) == MEMORIES
        assert len(stories) == 1, f"two states at once: {stories}"
        assert save.npc("elena").recall.retrieve_relevant_raw("the long winter", {"limit": 3})

    kill_while(quick_project, home, "restore_forever", "restored", number, check)


@pytest.mark.parametrize("number", NUMBERS)
def test_killed_during_consolidate(number: int, quick_project: Project, home: Home) -> None:
    def check(save: rag_memory.Save, game: Game) -> None:
        elena = save.npc("elena")
        living = {memory["id"]: memory["metadata"] for memory in elena.recall.get_recent(10_000)}
        archived = {memory["id"]: memory["archived"]["by"] for memory in elena.archive.get_archived()}
        lost = set(game.values("stored")) - set(living) - set(archived)
        assert not lost, f"{len(lost)} acknowledged memories are neither there nor archived"
        assert not set(living) & set(archived), "a memory is both merged and not"
        for id, metadata in living.items():
            for source in metadata.get("source_ids", []):
                assert source in archived, f"{id} was made of {source}, which is not archived"
        for id, summary in archived.items():
            assert summary in living or summary in archived, f"{id} was merged into nothing"

    kill_while(quick_project, home, "consolidate_forever", "consolidated", number, check)


def test_what_a_kill_leaves_of_a_snapshot_is_no_snapshot(
    quick_project: Project, home: Home, tmp_path: Path
) -> None:
    folder = home.saves(quick_project) / "default.snapshots"
    folder.mkdir(parents=True)
    (folder / "slot.sqlite3.unfinished").write_bytes(b"half a copy")
    path = home.saves(quick_project) / "default.sqlite3"
    with rag_memory.open_save(path, HashingEmbedder()) as save:
        save.npc("elena").memories.store("It snows.")
        assert save.snapshots.slots() == []
        save.snapshots.take("slot")
        assert save.snapshots.slots() == ["slot"]
    assert [file.name for file in folder.iterdir()] == ["slot.sqlite3"]

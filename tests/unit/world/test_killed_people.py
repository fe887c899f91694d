"""A process is killed while it writes profiles and ends tasks: everything of a thing is there, or nothing."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from tests.unit.killed_process import told_before_killed

from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.opening import open_save
from rag_memory.save import Save
from rag_memory.step import Step
from rag_memory.world.profile import KEYS

KILLS = 15


def _opened(path: Path) -> Save:
    save = open_save(path, HashingEmbedder(16), clock=lambda: 1000.0)
    save.context.profile_writer = _write
    return save


def _write(request: dict[str, Any]) -> Generator[Step, None, Any]:
    for _ in range(3):
        time.sleep(0.0005)
        yield Step(0, 1, "waiting for the game")
    return {"backstory": f"{request['npc_id']} by {os.getpid()}"}


def _killed(path: Path, work: Callable[[Save, int], Any], first: int, dice: random.Random) -> int:
    """Work in a process of its own that is killed; the number of the last piece that it told of, plus 1."""

    def work_until_killed(tell: Callable[[], object]) -> None:
        save = _opened(path)
        for number in range(first, first + 1000):
            work(save, number)
            tell()

    return first + told_before_killed(work_until_killed, dice.randint(1, 8), dice)


def _ensure(save: Save, number: int) -> dict[str, Any]:
    return save.world.profiles.ensure_profile(f"npc {number}", {"occupation": "baker", "faction": "guild"})


def test_a_killed_process_leaves_no_half_profile(tmp_path: Path) -> None:
    path, dice, first = tmp_path / "killed.sqlite3", random.Random(3), 0
    for _ in range(KILLS):
        last = _killed(path, _ensure, first, dice)
        with _opened(path) as save:
            for number in range(last + 1):
                found = save.world.profiles.get_profile(f"npc {number}")
                assert found or number == last, "an acknowledged profile is there"
                assert not found or all(found[name] for name in KEYS), "and whole"
                made = _ensure(save, number)
                assert made == (found or save.world.profiles.get_profile(f"npc {number}"))
        first = last + 1


def _end_task(save: Save, number: int) -> None:
    task = {"assignee": "mira", "issuer": "rowan", "summary": f"Errand {number}", "status": "active"}
    save.world.tasks.update_task(save.world.tasks.add_task({**task, "id": str(number)}), "completed")


def test_a_killed_process_loses_and_doubles_no_memory_of_a_task(tmp_path: Path) -> None:
    path, dice, first = tmp_path / "killed.sqlite3", random.Random(5), 0
    for _ in range(KILLS):
        last = _killed(path, _end_task, first, dice)
        with _opened(path) as save:
            status = {each["id"]: each["status"] for each in save.world.tasks.get_tasks()}
            ended = sorted(id for id, each in status.items() if each == "completed")
            assert {str(number) for number in range(first, last)} <= set(ended)
            for npc_id in ("mira", "rowan"):
                memories = save.npc(npc_id).recall.get_recent(10_000)
                assert sorted(each["metadata"]["task_id"] for each in memories) == ended
            if status.get(str(last)) == "active":
                save.world.tasks.update_task(str(last), "completed")
        first = last + 1

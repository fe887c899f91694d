"""The world after its process was killed: never an event without its memory, or the other way round."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from pathlib import Path

from tests.unit.killed_process import told_before_killed

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.owners import WORLD

KILLS = 30


def _opened(path: Path) -> Save:
    return open_save(path, HashingEmbedder(), clock=lambda: 1000.0)


def _live_until_killed(path: Path, first: int, tell: Callable[[], object]) -> None:
    world = _opened(path).world
    number = first
    while True:
        summary = f"Raiders came to Greywater, day {number}."
        if number % 3:
            world.events.record_event({"id": f"e{number}", "summary": summary})
        else:
            world.events.record_events(
                [{"id": f"e{number}", "summary": summary}, {"id": "again", "summary": summary}]
            )
        number += 1
        tell()


def test_a_killed_process_leaves_documents_and_their_memories_together(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    first = 0
    dice = random.Random(11)
    for _ in range(KILLS):
        work = functools.partial(_live_until_killed, path, first)
        last = first + told_before_killed(work, dice.randint(1, 12), dice)
        with _opened(path) as save:
            events = {each.id: each.content["summary"] for each in save.store.documents.find("event")}
            memories = {each.id: each.document_full for each in save.world.searched(WORLD).records()}
            assert events.keys() == memories.keys()
            assert all(summary in memories[id] for id, summary in events.items())
            assert {f"e{number}" for number in range(last)} <= events.keys()
            first = last + (f"e{last}" in events)

"""The world after its process was killed: never an event without its memory, or the other way round."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from rag_memory import Save, open_save
from rag_memory.embedding.hashing_embedder import HashingEmbedder
from rag_memory.memory.owners import WORLD

KILLS = 30


def _opened(path: Path) -> Save:
    return open_save(path, HashingEmbedder(), clock=lambda: 1000.0)


def _live_until_killed(path: Path, acknowledged: int, first: int) -> None:
    world = _opened(path).world
    number = first
    while True:
        summary = f"Raiders came to Sargot, day {number}."
        if number % 3:
            world.record_event({"id": f"e{number}", "summary": summary})
        else:
            world.record_events(
                [{"id": f"e{number}", "summary": summary}, {"id": "again", "summary": summary}]
            )
        number += 1
        os.write(acknowledged, number.to_bytes(8, "big"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork(); the engine's tests kill games everywhere")
def test_a_killed_process_leaves_documents_and_their_memories_together(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    first = 0
    dice = random.Random(11)
    for _ in range(KILLS):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                _live_until_killed(path, writing, first)
            finally:
                os._exit(1)
        os.close(writing)
        # Wait for some work, not for a time: a busy machine only makes it slow.
        wanted = dice.randint(1, 12)
        last = first
        while last < first + wanted:
            told = os.read(reading, 8)
            assert told, "the child ended by itself"
            last = int.from_bytes(told, "big")
        time.sleep(dice.random() * 0.003)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while told := os.read(reading, 8):
            last = int.from_bytes(told, "big")
        os.close(reading)
        with _opened(path) as save:
            events = {each.id: each.content["summary"] for each in save.store.documents("event")}
            memories = {each.id: each.document_full for each in save.world._searched(WORLD).records()}
            assert events.keys() == memories.keys()
            assert all(summary in memories[id] for id, summary in events.items())
            assert {f"e{number}" for number in range(last)} <= events.keys()
            first = last + (f"e{last}" in events)

"""Putting memories back: after it, everything is as it was when they were captured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest
from tests.unit.answers import said
from tests.unit.conftest import GameClock
from tests.unit.sqlite_access import reading

from rag_memory import MemoryConfig, Npc, RelevanceMode, Save
from rag_memory.errors import InvalidArgumentError

TABLES = ("memories", "archived_memories", "vectors")


def contents(npc: Npc) -> dict[str, list[Any]]:
    npc.tools.export_json()  # when memories were recalled is written
    with reading(npc.records.store) as connection:
        return {table: _rows(connection, table) for table in TABLES}


def _rows(connection: Connection, table: str) -> list[Any]:
    """All rows, without the number of the write that made them."""
    names = [
        name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})") if name != "write_order"
    ]
    return connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY 1").fetchall()


@pytest.fixture
def promised(npc: Npc, clock: GameClock) -> tuple[Npc, str, str]:
    """A promise told twice, its breach that supersedes it, and a memory before and after them."""
    npc.memories.store("The bridge is out.", 4)
    for _ in range(2):
        clock.now += 10
        made = {"event_type": "promise_made", "quest": "ring"}
        promise = npc.memories.store("The player promised to come.", 6, made)
    clock.now += 10
    data = {"event_type": "promise_broken", "participants": ["player"]}
    breach = npc.memories.store("The player never came.", 8, data)
    clock.now += 10
    npc.memories.store("It rained.", 2)
    npc.recall.retrieve_scored("bridge")  # the index is loaded, and has to stay in step
    return npc, promise, breach


CHANGES: dict[str, Callable[[Npc, str], Any]] = {
    "forget": lambda npc, id: npc.memories.forget(id),
    "update the text": lambda npc, id: npc.memories.update_memory(
        id, {"text": "He came at last.", "importance": 3}
    ),
    "update the metadata": lambda npc, id: npc.memories.update_memory(id, {"location": "mill"}),
    "pin": lambda npc, id: npc.memories.pin_memory(id),
    "nothing": lambda npc, id: None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_everything_is_as_it_was(promised: tuple[Npc, str, str], clock: GameClock, change: str) -> None:
    npc, promise, breach = promised
    for id in (breach, promise):
        answer = npc.recall.retrieve_relevant_raw("Who never came?", {"limit": 10})
        before = contents(npc)
        captured = json.loads(json.dumps(npc.tools.capture_memories([id])))
        clock.now += 5
        CHANGES[change](npc, id)
        after = contents(npc)
        captured_after = npc.tools.capture_memories([id])
        clock.now -= 5
        assert npc.tools.put_back_memories(captured) == 1
        assert contents(npc) == before
        again = npc.recall.retrieve_relevant_raw("Who never came?", {"limit": 10})
        assert said(again) == said(answer)
        assert {memory["metadata"]["last_accessed"] for memory in again} == {clock.now}
        npc.tools.put_back_memories(captured_after)
        assert contents(npc) == after
        npc.tools.put_back_memories(captured)


def test_several_forgotten_memories_keep_the_links_between_them(
    promised: tuple[Npc, str, str],
) -> None:
    npc, promise, breach = promised
    before = contents(npc)
    captured = npc.tools.capture_memories([promise, breach, promise])
    npc.memories.forget(breach)
    npc.memories.forget(promise)
    assert npc.memories.get_memory_count() == 2
    assert npc.tools.put_back_memories(captured) == 2
    assert contents(npc) == before
    assert npc.memories.get_memory(promise)["metadata"]["superseded_by"] == breach


def test_a_memory_that_was_not_there_goes_away_again(npc: Npc) -> None:
    captured = npc.tools.capture_memories(["elena_1702500000_general"])
    assert npc.memories.store("It rained.") == "elena_1702500000_general"
    assert npc.tools.put_back_memories(captured) == 0
    assert npc.memories.get_memory_count() == 0
    assert npc.recall.retrieve_relevant_raw("rain") == []


def test_the_words_are_found_again(promised: tuple[Npc, str, str]) -> None:
    npc, promise, _ = promised
    captured = npc.tools.capture_memories([promise])
    npc.memories.forget(promise)
    assert npc.tools.browse({"text": "promised"})["total"] == 0
    npc.tools.put_back_memories(captured)
    assert npc.tools.browse({"text": "promised"})["total"] == 1


def test_a_memory_below_thousands_in_a_graph_comes_back(opened: Callable[..., Save]) -> None:
    npc = opened().npc("elena", MemoryConfig(relevance_mode=RelevanceMode.DENSE, exact_search_limit=100))
    ids = npc.memories.store_batch(
        [{"text": f"Barrel {number} of the {number % 7}th cart."} for number in range(300)]
    )
    npc.recall.retrieve_scored("barrel")
    captured = npc.tools.capture_memories(ids[10:12])
    for id in ids[10:12]:
        npc.memories.forget(id)
    npc.tools.put_back_memories(captured)
    for _step in npc.records.index.build_steps():
        pass
    found = npc.recall.retrieve_relevant_raw("Barrel 11 of the 4th cart.", {"limit": 1})
    assert found[0]["id"] == ids[11]
    assert npc.tools.browse({"sort": "id", "limit": 500})["total"] == 300
    assert [each["id"] for each in npc.recall.get_recent(300)] == ids[::-1]


def test_it_survives_closing_the_save(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    id = save.npc("elena").memories.store("The bridge is out.")
    captured = save.npc("elena").tools.capture_memories([id])
    save.npc("elena").memories.forget(id)
    save.close()
    npc = opened(save_path).npc("elena")
    npc.tools.put_back_memories(captured)
    assert npc.recall.retrieve_relevant_raw("The bridge is out.")[0]["similarity"] == pytest.approx(
        1.0, abs=1e-3
    )


def test_a_vector_of_another_model_is_made_anew(opened: Callable[..., Save], save_path: Path) -> None:
    save = opened(save_path)
    id = save.npc("elena").memories.store("The bridge is out.")
    captured = save.npc("elena").tools.capture_memories([id])
    save.npc("elena").memories.forget(id)
    save.close()
    npc = opened(save_path, dimension=32).npc("elena")
    npc.tools.put_back_memories(captured)
    assert npc.recall.retrieve_relevant_raw("The bridge is out.")[0]["similarity"] == pytest.approx(
        1.0, abs=1e-3
    )


def test_what_was_not_captured_is_refused(opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("The bridge is out.")
    captured = npc.tools.capture_memories([id])
    damaged = json.loads(json.dumps(captured))
    del damaged["memories"][0]["memory"]["record"]["emotion"]
    foreign = json.loads(json.dumps(captured))
    foreign["memories"][0]["memory"]["model"] = "another"
    for wrong in ({}, 5, damaged, foreign, {**captured, "version": 2}):
        with pytest.raises(InvalidArgumentError, match="put_back_memories"):
            npc.tools.put_back_memories(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="elena"):
        save.npc("bjorn").tools.put_back_memories(captured)
    with pytest.raises(InvalidArgumentError, match="ids"):
        npc.tools.capture_memories("elena_1")
    assert npc.memories.get_memory_count() == 1


@pytest.mark.parametrize("name", ["repeat_count", "memory_tier", "key"])
def test_a_number_that_cannot_be_kept_is_refused(npc: Npc, name: str) -> None:
    id = npc.memories.store("The bridge is out.")
    captured = npc.tools.capture_memories([id])
    captured["memories"][0]["memory"]["record"][name] = 2**70
    with pytest.raises(InvalidArgumentError, match=f"{name} does not fit in 64 bits"):
        npc.tools.put_back_memories(captured)

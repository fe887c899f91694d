"""The same memory stored again is counted, not kept twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rag_memory import NpcMemory, Save

DAY = 86400.0


def test_a_repetition_counts_and_refreshes(npc: NpcMemory, clock: Any) -> None:
    first = clock.now
    events: list[str] = []
    npc.on_event = lambda name, _: events.append(name)
    id = npc.store("The player waved.", 4, {"event_type": "greeting", "participants": ["player"]})
    for _ in range(2):
        clock.now += DAY
        assert npc.store("The player waved.", 6, {"event_type": "greeting", "participants": ["player"]}) == id
    assert events == ["memory_added"]
    assert npc.get_memory_count() == 1
    metadata = npc.get_memory(id)["metadata"]
    assert (metadata["repeat_count"], metadata["first_timestamp"]) == (3, first)
    assert (metadata["timestamp"], metadata["importance"]) == (clock.now, 6)
    (memory,) = npc.retrieve_relevant_raw("Who waved?")
    assert memory["breakdown"]["recency"] == 1.0


def test_repetitions_are_no_archived_memories(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.store("The bridge is safe.")
    npc.update_memory(id, {"text": "The bridge is out."})
    for _ in range(3):
        clock.now += DAY
        npc.store("The bridge is out.")
    assert [each["archived"]["reason"] for each in npc.get_archived()] == ["updated"]
    assert npc.browse({"archived": True})["total"] == 1
    assert [each["archived"] for each in save.list_npcs()] == [1]
    assert sum(npc.get_timeline()["archived"]) == 1
    assert len(json.loads(npc.export_json())["archive"]) == 1
    assert npc.restore_archived(id)
    assert npc.get_memory(id)["document"] == "The bridge is safe."


def test_what_differs_is_another_memory(npc: NpcMemory) -> None:
    base: dict[str, Any] = {"event_type": "greeting"}
    npc.store("The player waved.", 5, base)
    for text, data in (
        ("The player waved!", base),
        ("The player waved.", {"event_type": "farewell"}),
        ("The player waved.", {**base, "participants": ["player"]}),
        ("The player waved.", {**base, "turn": 7}),
        ("The player waved.", {**base, "location": "mill"}),
    ):
        assert npc.get_memory(npc.store(text, 5, data))["metadata"]["repeat_count"] == 1
    assert npc.get_memory_count() == 6


def test_a_batch_counts_its_own_repetitions(npc: NpcMemory) -> None:
    ids = npc.store_batch([{"text": "It rained."}, {"text": "It snowed."}, {"text": "It rained."}])
    assert ids[0] == ids[2] != ids[1]
    assert npc.get_memory_count() == 2
    assert npc.get_memory(ids[0])["metadata"]["repeat_count"] == 2


def test_a_promise_after_a_broken_one_is_another(npc: NpcMemory, clock: Any) -> None:
    def promise() -> str:
        clock.now += 60
        return npc.store_with_conflict_check(
            "The player promised to come.", 7, {"event_type": "promise_made"}
        )

    first = promise()
    assert promise() == first
    clock.now += 60
    npc.store_with_conflict_check("The player did not come.", 7, {"event_type": "promise_broken"})
    again = promise()
    assert again != first
    assert npc.get_memory(first)["metadata"]["repeat_count"] == 2
    assert npc.get_memory(again)["metadata"]["superseded_by"] == ""


def test_a_rollback_takes_repetitions_back(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.store("The player waved.", 4)
    moments = []
    for importance in (4, 9):
        moments.append((clock.now, npc.get_memory(id)))
        clock.now += DAY
        npc.store("The player waved.", importance)
    for moment, known in reversed(moments):
        save.rollback_to(moment)
        assert npc.get_memory(id) == known
        assert [memory["id"] for memory in npc.retrieve_relevant_raw("waved")] == [id]


def test_repetitions_are_exported_and_imported_once(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc, other = save.npc("elena"), save.npc("marcus")
    npc.store("The player waved.")
    before = npc.export_json()
    clock.now += DAY
    id = npc.store("The player waved.")
    assert npc.import_json(before) == 0, "it is known, and has been repeated since"
    assert other.import_json(npc.export_json()) == 1
    metadata = other.get_memory(id)["metadata"]
    assert (metadata["repeat_count"], metadata["first_timestamp"]) == (2, clock.now - DAY)
    assert json.loads(npc.export_json())["memories"][0]["repeat_count"] == 2
    assert "repeat_count" in npc.dump_all_memories()

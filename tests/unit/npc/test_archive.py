"""get_archived() and restore_archived(): nothing that was replaced or merged is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.errors import InvalidArgumentError

NAME = {"event_type": "player_info", "info_type": "player_name", "slot_type": "player_name"}
QUEST = {"slot_type": "current_quest_for_npc"}


def texts(memories: list[dict[str, Any]]) -> list[str]:
    return [memory["document_full"] for memory in memories]


@pytest.fixture
def merged(npc: Npc, clock: Any) -> list[str]:
    """The ids of sixty memories of which most were consolidated."""
    npc.config = MemoryConfig(lasting_kinds=[])
    ids = []
    for number in range(60):
        clock.now += 60
        ids.append(
            npc.memories.store(f"The player asked for {number} loaves of bread.", 3, {"event_type": "talk"})
        )
    npc.archive.consolidate()
    return ids


def test_a_source_of_a_summary_comes_back_whole_beside_it(npc: Npc, clock: Any, merged: list[str]) -> None:
    archived = npc.archive.get_archived()
    assert {memory["archived"]["reason"] for memory in archived} == {"consolidated"}
    count = npc.memories.get_memory_count()
    before = archived[3]
    assert not npc.memories.get_memory(before["id"])
    summary = npc.memories.get_memory(before["archived"]["by"])
    assert before["id"] in summary["metadata"]["source_ids"]
    clock.now += 5
    assert npc.archive.restore_archived(before["id"])
    restored = npc.memories.get_memory(before["id"])
    assert {**restored, "archived": before["archived"]} == before
    assert npc.memories.get_memory_count() == count + 1
    assert npc.memories.get_memory(summary["id"]) == summary
    assert npc.recall.retrieve_relevant_raw(before["document_full"], {"limit": 1})[0]["id"] == before["id"]
    assert before["id"] not in [memory["id"] for memory in npc.archive.get_archived()]
    assert not npc.archive.restore_archived(before["id"]), "it is there already"


def test_everything_that_was_merged_can_come_back(npc: Npc, merged: list[str]) -> None:
    for memory in npc.archive.get_archived():
        assert npc.archive.restore_archived(memory["id"])
    assert all(npc.memories.get_memory(id) for id in merged)
    assert npc.archive.get_archived() == []


def test_an_earlier_value_of_a_slot_changes_places_with_the_one_that_holds(npc: Npc, clock: Any) -> None:
    ids = []
    for quest in ("Find the ring.", "Find the ox."):
        clock.now += 10
        ids.append(npc.memories.store(quest, 5, QUEST))
    (old,) = npc.archive.get_archived()
    assert (old["id"], old["archived"]["reason"], old["archived"]["by"]) == (ids[0], "slot_update", ids[1])
    assert old["archived"]["at"] == clock.now
    clock.now += 10
    assert npc.archive.restore_archived(ids[0])
    assert texts(npc.recall.get_recent(9)) == ["Find the ring."]
    assert [memory["id"] for memory in npc.archive.get_archived()] == [ids[1]]
    assert npc.archive.restore_archived(ids[1])
    assert texts(npc.recall.get_recent(9)) == ["Find the ox."]


def test_any_earlier_version_of_a_memory_can_hold_again(npc: Npc, clock: Any) -> None:
    id = npc.memories.store("The player's name is Theron.", 9, NAME)
    for name in ("Rowan", "Ash"):
        clock.now += 10
        assert npc.memories.store(f"The player's name is {name}.", 9, NAME) == id
    clock.now += 10
    npc.memories.update_memory(id, {"text": "The player's name is Ashwin.", "importance": 4})
    archived = npc.archive.get_archived(id)
    names = ["Ash", "Rowan", "Theron"]
    assert texts(archived) == [f"The player's name is {name}." for name in names]
    assert [each["archived"]["reason"] for each in archived] == ["updated", "info_update", "info_update"]
    assert npc.archive.restore_archived(id, archived[2]["archived"]["number"])
    assert texts(npc.recall.get_recent(9)) == ["The player's name is Theron."]
    assert npc.memories.get_memory(id)["metadata"]["importance"] == 9
    assert npc.archive.restore_archived(id), "without a number the newest"
    assert texts(npc.recall.get_recent(9)) == ["The player's name is Ashwin."]


def test_a_restored_version_of_a_broken_promise_is_still_broken(npc: Npc, clock: Any) -> None:
    promise = npc.memories.store("The player promised bells.", 5, {"event_type": "promise_made"})
    npc.memories.update_memory(promise, {"text": "The player promised 3 bells."})
    clock.now += 10
    broken = npc.memories.store("No bells came.", 5, {"event_type": "promise_broken"})
    assert npc.archive.restore_archived(promise)
    memory = npc.memories.get_memory(promise)
    assert memory["document_full"] == "The player promised bells."
    assert memory["metadata"]["superseded_by"] == broken


def test_a_rollback_undoes_a_restoring(npc: Npc, clock: Any, opened: Callable[..., Save]) -> None:
    save = opened()
    npc = save.npc("mira")
    states = []
    for quest in ("Find the ring.", "Find the ox."):
        clock.now += 10
        npc.memories.store(quest, 5, QUEST)
        states.append((clock.now, npc.recall.get_recent(9), npc.archive.get_archived()))
    clock.now += 10
    npc.archive.restore_archived(npc.archive.get_archived()[0]["id"])
    clock.now += 10
    npc.memories.store("Find the hen.", 5, QUEST)
    for moment, recent, archived in reversed(states):
        save.marks.rollback_to(moment)
        assert texts(npc.recall.get_recent(9)) == texts(recent)
        assert npc.archive.get_archived() == archived


def test_what_was_forgotten_cannot_be_restored(npc: Npc, clock: Any) -> None:
    id = npc.memories.store("The player is kind.")
    npc.memories.update_memory(id, {"text": "The player is cruel."})
    npc.memories.forget(id)
    assert npc.archive.get_archived() == []
    assert not npc.archive.restore_archived(id)


def test_an_unknown_id_or_number_restores_nothing(npc: Npc) -> None:
    id = npc.memories.store("The player is kind.")
    npc.memories.update_memory(id, {"text": "The player is cruel."})
    assert not npc.archive.restore_archived("nothing")
    assert not npc.archive.restore_archived(id, 77)
    assert texts(npc.recall.get_recent(9)) == ["The player is cruel."]


def test_the_archive_travels_with_an_export(
    npc: Npc, clock: Any, merged: list[str], opened: Callable[..., Save]
) -> None:
    npc.memories.store("Find the ring.", 5, QUEST)
    npc.memories.store("Find the ox.", 5, QUEST)
    npc.memories.update_memory(npc.memories.store("The player is kind."), {"text": "The player is cruel."})
    exported = npc.tools.export_json()
    save = opened()
    other = save.npc("elena")
    assert other.tools.import_json(exported) == npc.memories.get_memory_count()
    numberless = [
        {**each, "archived": {**each["archived"], "number": 0}} for each in npc.archive.get_archived()
    ]
    assert [
        {**each, "archived": {**each["archived"], "number": 0}} for each in other.archive.get_archived()
    ] == numberless
    assert other.tools.export_json() == exported
    assert other.tools.import_json(exported) == 0
    assert other.tools.export_json() == exported
    for memory in other.archive.get_archived():
        assert other.archive.restore_archived(memory["id"]), memory
    assert all(other.memories.get_memory(id) for id in merged)


def test_an_imported_archive_is_not_known_before_it_was_imported(
    npc: Npc, clock: Any, merged: list[str], opened: Callable[..., Save]
) -> None:
    exported = npc.tools.export_json()
    save = opened()
    other = save.npc("bjorn")
    other.memories.store("It rains.")
    clock.now += 100
    other.tools.import_json(exported)
    save.marks.rollback_to(clock.now - 50)
    assert texts(other.recall.get_recent(99)) == ["It rains."]
    assert other.archive.get_archived() == []


def test_an_imported_archive_follows_the_new_ids(
    npc: Npc, merged: list[str], opened: Callable[..., Save]
) -> None:
    summary = npc.archive.get_archived()[0]["archived"]["by"]
    other = opened().npc("elena")
    other.tools.import_json(
        json.dumps(
            {
                "format": "rag_memory",
                "version": 1,
                "memories": [{"id": summary, "text": "Something else happened."}],
            }
        )
    )
    other.tools.import_json(npc.tools.export_json())
    assert f"{summary}_2" in {memory["archived"]["by"] for memory in other.archive.get_archived()}


@pytest.mark.parametrize(
    "archived",
    ["no dictionary", {"id": "a", "text": "b"}, {"text": "b", "archived": {"at": 1, "reason": "x"}}],
)
def test_a_damaged_archive_is_refused(npc: Npc, archived: Any) -> None:
    text = json.dumps({"format": "rag_memory", "version": 1, "memories": [], "archive": [archived]})
    with pytest.raises(InvalidArgumentError, match="archived memory 0"):
        npc.tools.import_json(text)


def test_every_list_of_the_archive_leaves_out_what_holds_again(
    opened: Callable[..., Save], clock: Any
) -> None:
    save = opened()
    npc = save.npc("elena")
    id = npc.memories.store("One.", 5, {"note": "first"})
    for text in ("Two.", "Three."):
        clock.now += 1
        npc.memories.update_memory(id, {"text": text})
    npc.archive.restore_archived(id, npc.archive.get_archived()[1]["archived"]["number"])
    assert [memory["document"] for memory in npc.archive.get_archived()] == ["Three.", "Two."]
    page = npc.tools.browse({"archived": True, "sort": "archived_at"})
    assert [row["document"] for row in page["rows"]] == ["Three.", "Two."] and page["total"] == 2
    assert save.overview.list_npcs()[0]["archived"] == 2
    assert sum(npc.tools.get_timeline()["archived"]) == 2

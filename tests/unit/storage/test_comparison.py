"""Differences of two snapshots, and the contents of a save by NPC."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.conftest import NOW, GameClock

from rag_memory import Save
from rag_memory.errors import InvalidArgumentError, SaveError, SaveNotFoundError


@pytest.fixture
def save(opened: Callable[..., Save], save_path: Path) -> Save:
    save = opened(save_path)
    save.npc("elena").memories.store_batch([{"text": "The bridge is out."}, {"text": "It rained."}])
    save.npc("bjorn").memories.store("The forge is cold.")
    save.npc("varn").memories.store("Nobody knows.")
    save.snapshots.take("morning")
    return save


def test_added_removed_and_changed_memories_by_npc(save: Save) -> None:
    elena, bjorn = save.npc("elena"), save.npc("bjorn")
    bridge, rain = (memory["id"] for memory in elena.recall.get_recent()[::-1])
    forge = bjorn.recall.get_recent()[0]["id"]
    elena.memories.update_memory(bridge, {"text": "The bridge is mended.", "importance": 7})
    elena.memories.forget(rain)
    new = elena.memories.store("Marcus came home.")
    bjorn.memories.pin_memory(forge)
    ada = save.npc("ada").memories.store("I was born.")
    found = save.snapshots.compare("morning")
    assert (found["added"], found["removed"], found["changed"]) == (2, 1, 2)
    assert list(found["npcs"]) == ["ada", "bjorn", "elena"]
    of_elena = found["npcs"]["elena"]
    assert [each["id"] for each in of_elena["added"]] == [new]
    assert of_elena["removed"] == [
        {"id": rain, "event_type": "general", "importance": 5, "timestamp": NOW, "text": "It rained."}
    ]
    (changed,) = of_elena["changed"]
    assert (changed["id"], changed["before"]["importance"], changed["after"]["importance"]) == (bridge, 5, 7)
    assert changed["before"]["document_full"] == "The bridge is out."
    assert found["npcs"]["bjorn"]["changed"][0]["after"] == {"memory_tier": 0}
    assert found["npcs"]["ada"]["added"][0]["id"] == ada
    save.snapshots.take("evening")
    assert save.snapshots.compare("morning", "evening") == found
    back = save.snapshots.compare("evening", "morning")
    assert (back["added"], back["removed"], back["changed"]) == (1, 2, 2)


def test_the_same_states_do_not_differ(save: Save) -> None:
    nothing = {"npcs": {}, "added": 0, "removed": 0, "changed": 0, "world": {}}
    assert save.snapshots.compare("morning") == save.snapshots.compare("morning", "morning") == nothing
    elena = save.npc("elena")
    captured = elena.tools.capture_memories([elena.recall.get_recent()[0]["id"]])
    elena.memories.forget(elena.recall.get_recent()[0]["id"])
    elena.tools.put_back_memories(captured)
    assert save.snapshots.compare("morning") == nothing


def test_lists_are_limited_and_counts_are_not(save: Save) -> None:
    save.npc("elena").memories.store_batch([{"text": f"Barrel {number}."} for number in range(7)])
    found = save.snapshots.compare("morning", limit=3)
    assert (found["added"], found["npcs"]["elena"]["added_count"]) == (7, 7)
    assert len(found["npcs"]["elena"]["added"]) == 3


def test_errors(save: Save, opened: Callable[..., Save], save_path: Path) -> None:
    with pytest.raises(SaveNotFoundError, match="noon"):
        save.snapshots.compare("noon")
    with pytest.raises(SaveNotFoundError, match="noon"):
        save.snapshots.compare("morning", "noon")
    with pytest.raises(InvalidArgumentError, match="memory only"):
        opened().snapshots.compare("morning")
    with pytest.raises(InvalidArgumentError, match="limit"):
        save.snapshots.compare("morning", limit=-1)
    (save_path.parent / "village.snapshots" / "torn.sqlite3").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    with pytest.raises(SaveError, match="torn"):
        save.snapshots.compare("morning", "torn")


def test_npcs_in_numbers(opened: Callable[..., Save], clock: GameClock) -> None:
    save = opened()
    assert save.overview.list_npcs() == []
    elena = save.npc("elena")
    id = elena.memories.store("It rained.", 2)
    clock.now += 10
    elena.memories.update_memory(id, {"text": "It rained for days."})
    elena.memories.store("The player promised.", 5, {"event_type": "promise_made", "memory_tier": 1})
    elena.memories.store("He never came.", 8, {"event_type": "promise_broken", "memory_tier": 0})
    save.npc("bjorn")
    save.npc("ada").memories.store("Hm.")
    save.npc("ada").clear_all_memories()
    assert save.overview.list_npcs() == [
        {**dict.fromkeys(("total", "pinned", "important", "regular", "superseded", "archived"), 0)}
        | {"npc_id": "ada", "oldest": 0.0, "newest": 0.0},
        {"npc_id": "elena", "total": 3, "pinned": 1, "important": 1, "regular": 1, "superseded": 1}
        | {"archived": 1, "oldest": NOW, "newest": NOW + 10},
    ]

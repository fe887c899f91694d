from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conftest import GameClock

from rag_memory import InvalidArgumentError, Npc, Save

DAY = 86400.0


def metadata_of(npc: Npc, id: str) -> dict[str, Any]:
    metadata: dict[str, Any] = npc.memories.get_memory(id)["metadata"]
    return metadata


def tier_of(npc: Npc, id: str) -> int:
    return int(metadata_of(npc, id)["memory_tier"])


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_new_text_is_found_and_the_old_one_is_not(
    opened: Callable[..., Save], save_path: Path, is_loaded: bool
) -> None:
    save = opened(save_path)
    npc = save.npc("elena")
    id = npc.memories.store("The mill burned down.", 6, {"location": "mill", "own": 1})
    npc.memories.store("We talked about turnips.")
    before = npc.memories.get_memory(id)
    if is_loaded:
        npc.recall.retrieve_relevant("mill")
    assert npc.memories.update_memory(id, {"text": "The bakery burned down.", "own": 2, "more": True})
    after = npc.memories.get_memory(id)
    assert after["document_full"] == after["document_short"] == "The bakery burned down."
    assert after["metadata"] == {**before["metadata"], "own": 2, "more": True}
    assert npc.recall.retrieve_relevant_raw("bakery", {"limit": 1})[0]["id"] == id
    assert npc.memories.get_memory_count() == 2
    save.close()
    npc = opened(save_path).npc("elena")
    assert npc.memories.get_memory(id) == after
    assert npc.recall.retrieve_relevant("bakery", {"limit": 1}) == ["The bakery burned down."]


def test_how_to_store_is_no_part_of_a_changed_memory(npc: Npc) -> None:
    id = npc.memories.store("The mill burned down.", 5, {"check_names": False})
    before = metadata_of(npc, id)
    assert npc.memories.update_memory(id, {"text": "The bakery burned down.", "check_names": False})
    assert metadata_of(npc, id) == before
    assert "check_names" not in before
    with pytest.raises(InvalidArgumentError, match=r"update_memory\(\): check_names"):
        npc.memories.update_memory(id, {"check_names": "no"})


def test_metadata_changes_reach_searches(npc: Npc) -> None:
    id = npc.memories.store("The mill burned down.", 2, {"event_type": "rumor"})
    assert npc.recall.retrieve_relevant("mill", {"min_importance": 5}) == []
    npc.memories.update_memory(
        id, {"importance": 6, "event_type": "fire", "timestamp": 5, "location": "mill"}
    )
    for filter in ({"event_type": "fire"}, {"location": "mill"}, {"timestamp": {"<": 6}}):
        assert npc.recall.retrieve_relevant("mill", {"min_importance": 5, "filter": filter})
    assert not npc.recall.retrieve_relevant("mill", {"filter": {"event_type": "rumor"}})


def test_a_short_form_given_once_stays_until_the_text_changes(npc: Npc) -> None:
    id = npc.memories.store("A long story. " * 20, 5, {"document_short": "They told me all."})
    npc.memories.update_memory(id, {"importance": 7})
    assert npc.memories.get_memory(id)["document_short"] == "They told me all."
    npc.memories.update_memory(id, {"text": "Another story. " * 20})
    assert npc.memories.get_memory(id)["document_short"] != "They told me all."
    npc.memories.update_memory(id, {"document_short": "Again."})
    assert npc.memories.get_memory(id)["document_short"] == "Again."


@pytest.mark.parametrize(
    ("data", "changes", "tier", "milestone"),
    [
        ({}, {"importance": 9}, 1, ""),
        ({}, {"event_type": "betrayal"}, 0, "betrayal"),
        ({"event_type": "betrayal"}, {"event_type": "chat"}, 2, ""),
        ({}, {"analysis": {"interaction_type": "gift_given"}}, 1, ""),
        ({"interaction_type": "gift_given"}, {"analysis": {"interaction_type": "betrayal"}}, 0, ""),
        ({"memory_tier": 2}, {"importance": 9}, 1, ""),
        ({"memory_tier": 1}, {"event_type": "betrayal"}, 1, "betrayal"),
        ({"memory_tier": 1}, {"memory_tier": 0}, 0, ""),
        ({"milestone_type": "wedding"}, {"event_type": "chat"}, 0, "wedding"),
        ({"milestone_type": "wedding"}, {"is_milestone": False}, 2, ""),
        ({}, {"milestone_type": "wedding"}, 0, "wedding"),
        ({}, {"text": "My brother died."}, 2, "family_death"),
        ({"event_type": "gift_received", "is_first": True}, {"importance": 3}, 0, "first_gift"),
    ],
)
def test_tier_and_milestone_follow_a_change_unless_they_were_set(
    npc: Npc, data: dict[str, Any], changes: dict[str, Any], tier: int, milestone: str
) -> None:
    id = npc.memories.store("Something happened.", 5, data)
    assert npc.memories.update_memory(id, changes)
    metadata = metadata_of(npc, id)
    assert (metadata["memory_tier"], metadata["milestone_type"]) == (tier, milestone)
    assert metadata["is_milestone"] == (milestone != "")


def test_a_superseded_memory_stays_superseded(npc: Npc) -> None:
    old = npc.memories.store("I will come.", 7, {"event_type": "promise_made"})
    new = npc.memories.store("They never came.", 8, {"event_type": "promise_broken"})
    npc.memories.update_memory(old, {"importance": 9})
    assert metadata_of(npc, old)["superseded_by"] == new


@pytest.mark.parametrize(
    "changes",
    [
        [],
        {"text": ""},
        {"importance": "much"},
        {"id": "other"},
        {"npc_id": "marcus"},
        {"superseded_by": "x"},
        {"topics": "x"},
        {"memory_tier": 7},
    ],
)
def test_a_wrong_change_is_refused(npc: Npc, changes: Any) -> None:
    id = npc.memories.store("Something happened.")
    before = npc.memories.get_memory(id)
    with pytest.raises(InvalidArgumentError, match="update_memory"):
        npc.memories.update_memory(id, changes)
    assert npc.memories.get_memory(id) == before


def test_unknown_ids_are_false(npc: Npc) -> None:
    assert not npc.memories.update_memory("nobody", {"importance": 3})
    assert not npc.memories.pin_memory("nobody") and not npc.memories.unpin_memory("nobody")


@pytest.mark.parametrize(
    ("data", "importance", "unpinned"),
    [({}, 5, 2), ({}, 9, 1), ({"event_type": "betrayal"}, 5, 1), ({"is_milestone": True}, 5, 2)],
)
def test_pinning(npc: Npc, data: dict[str, Any], importance: int, unpinned: int) -> None:
    id = npc.memories.store("Something happened.", importance, data)
    npc.recall.retrieve_scored("load the index")
    assert npc.memories.pin_memory(id) and npc.memories.pin_memory(id)
    assert tier_of(npc, id) == 0
    weight = npc.recall.retrieve_scored("Something happened.")[1]["breakdown"]["tier_weight"]
    assert weight == 3.0
    npc.memories.update_memory(id, {"own": 1})
    assert tier_of(npc, id) == 0
    assert npc.memories.unpin_memory(id)
    assert tier_of(npc, id) == unpinned
    npc.memories.update_memory(id, {"own": 2})
    assert tier_of(npc, id) == unpinned
    assert npc.memories.unpin_memory(id) and tier_of(npc, id) == unpinned


def test_stats(npc: Npc, clock: GameClock) -> None:
    assert npc.memories.get_memory_stats() == {
        "npc_id": "elena",
        "total": 0,
        "average_importance": 0.0,
        "oldest": 0.0,
        "newest": 0.0,
        "milestones": 0,
        "superseded": 0,
        "pinned": 0,
        "important": 0,
        "regular": 0,
        "protected": 0,
        "event_types": {},
    }
    npc.memories.store("I will come.", 7, {"event_type": "promise_made", "timestamp": 100})
    npc.memories.store("They never came.", 8, {"event_type": "promise_broken"})
    npc.memories.store("They betrayed us.", 9, {"event_type": "betrayal"})
    npc.memories.store("They are Theron.", 4, {"slot_type": "player_name"})
    assert npc.memories.get_memory_stats() == {
        "npc_id": "elena",
        "total": 4,
        "average_importance": 7.0,
        "oldest": 100.0,
        "newest": clock.now,
        "milestones": 1,
        "superseded": 1,
        "pinned": 1,
        "important": 1,
        "regular": 2,
        "protected": 1,
        "event_types": {"betrayal": 1, "general": 1, "promise_broken": 1, "promise_made": 1},
    }


def test_formatting(npc: Npc, clock: GameClock) -> None:
    old = npc.memories.store("I will\ncome.", 7, {"event_type": "promise_made"})
    clock.now += 3 * DAY
    new = npc.memories.store("They never came.", 8, {"event_type": "promise_broken"})
    memories = [npc.memories.get_memory(old), npc.memories.get_memory(new)]
    assert npc.rules.format_memories(memories) == ["I will come.", "They never came."]
    assert npc.rules.format_memories(memories, "bullet") == ["- I will come.", "- They never came."]
    assert npc.rules.format_memories(memories, "numbered") == ["1. I will come.", "2. They never came."]
    assert npc.rules.format_memories(memories, "dated") == [
        "[3 days ago] I will come.",
        "[today] They never came.",
    ]
    assert npc.rules.format_memories(memories, "detailed") == [
        f"[3 days ago, promise_made, importance 7, superseded by {new}] I will come.",
        "[today, promise_broken, importance 8] They never came.",
    ]
    assert npc.rules.format_memories([{"text": "Plain."}, "Plainer."], "dated") == ["Plain.", "Plainer."]
    assert npc.rules.format_memories([]) == []
    assert npc.rules.format_memories(npc.recall.retrieve_scored("They never came."))[0].startswith("[Met=")


@pytest.mark.parametrize(
    ("days", "age"),
    [
        (-1, "today"),
        (0, "today"),
        (1, "yesterday"),
        (6, "6 days ago"),
        (7, "1 week ago"),
        (29, "4 weeks ago"),
        (30, "1 month ago"),
        (90, "3 months ago"),
        (365, "1 year ago"),
        (800, "2 years ago"),
    ],
)
def test_ages(npc: Npc, clock: GameClock, days: int, age: str) -> None:
    memory = {"text": "It was.", "metadata": {"timestamp": clock.now - days * DAY}}
    assert npc.rules.format_memories([memory], "dated") == [f"[{age}] It was."]


@pytest.mark.parametrize(
    ("memories", "style"),
    [("x", ""), ([3], ""), ([{}], ""), ([{"text": 3}], ""), (["x"], "fancy"), (["x"], 3)],
)
def test_what_cannot_be_formatted_is_refused(npc: Npc, memories: Any, style: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="format_memories"):
        npc.rules.format_memories(memories, style)

"""An NPC's life in numbers for a drawing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.conftest import NOW, GameClock

from rag_memory import Npc
from rag_memory.errors import InvalidArgumentError

DAY = 86400.0


def test_memories_are_counted_by_tier_and_stretch_of_time(npc: Npc) -> None:
    npc.memories.store_batch(
        [
            {"text": "One.", "timestamp": NOW, "memory_tier": 0},
            {"text": "Two.", "timestamp": NOW + 1, "memory_tier": 2},
            {"text": "Three.", "timestamp": NOW + 50, "memory_tier": 2},
            {"text": "Four.", "timestamp": NOW + 100, "memory_tier": 1},
        ]
    )
    life = npc.tools.get_timeline({"buckets": 4})
    assert (life["begin"], life["end"]) == (life["first"], life["last"]) == (NOW, NOW + 100)
    assert life["counts"] == [[1, 0, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]]
    assert life["archived"] == [0, 0, 0, 0]
    part = npc.tools.get_timeline({"begin": NOW + 1, "end": NOW + 60, "buckets": 2})
    assert part["counts"] == [[0, 0], [0, 0], [1, 1]]
    assert (part["first"], part["last"]) == (NOW, NOW + 100)


def test_marks_are_the_most_telling_memories(npc: Npc) -> None:
    npc.memories.store_batch([{"text": f"It rained {number}.", "importance": 2} for number in range(20)])
    milestone = npc.memories.store_milestone("first_meeting", "We met at the well.")
    important = npc.memories.store("The mill burned down.", 9)
    marks = npc.tools.get_timeline({"marks": 2})["marks"]
    assert [mark["id"] for mark in marks] == [milestone, important]
    assert marks[0] == {
        "id": milestone,
        "timestamp": NOW,
        "memory_tier": 0,
        "importance": 10,
        "event_type": "first_meeting",
        "kind": "",
        "is_milestone": True,
        "superseded_by": "",
        "text": "We met at the well.",
    }
    assert npc.tools.get_timeline({"marks": 0})["marks"] == []


def test_links_lead_from_what_ended_to_what_ended_it(npc: Npc, clock: GameClock) -> None:
    promise = npc.memories.store("The player promised to come.", 6, {"event_type": "promise_made"})
    clock.now += DAY
    breach = npc.memories.store("He never came.", 8, {"event_type": "promise_broken"})
    (link,) = npc.tools.get_timeline()["links"]
    assert (link["kind"], link["count"]) == ("superseded", 1)
    assert (link["from"]["id"], link["from"]["timestamp"]) == (promise, NOW)
    assert (link["to"]["id"], link["to"]["timestamp"]) == (breach, NOW + DAY)
    assert npc.tools.get_timeline({"begin": NOW + 2 * DAY})["links"] == []


def test_links_lead_from_merged_memories_to_their_summary(npc: Npc, clock: GameClock) -> None:
    for number in range(4):
        clock.now += 60
        data = {"event_type": "conversation", "topics": ["harvest"]}
        npc.memories.store(f"Tobias said that field {number} gave {number + 3} sacks.", 3, data)
    clock.now += 30 * DAY
    done = npc.archive.consolidate()
    assert done["removed"] == 4
    life = npc.tools.get_timeline({"buckets": 10})
    (link,) = life["links"]
    assert (link["kind"], link["count"]) == ("consolidated", 4)
    assert link["from"]["timestamp"] == NOW + 60
    assert link["to"]["id"] == done["summary_ids"][0]
    assert sum(life["archived"]) == 4


def test_a_life_of_one_moment_and_of_none(npc: Npc) -> None:
    empty = npc.tools.get_timeline({"buckets": 2})
    assert empty["counts"] == [[0, 0]] * 3
    assert (empty["marks"], empty["links"]) == ([], [])
    npc.memories.store("It rained.", 2)
    assert npc.tools.get_timeline({"buckets": 2})["counts"][2] == [1, 0]


@pytest.mark.parametrize(
    "options",
    [{"from": 1}, {"begin": 2, "end": 1}, {"buckets": 0}, {"buckets": 5000}, {"marks": -1}, {"begin": "now"}],
)
def test_wrong_options_are_refused(npc: Npc, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match="get_timeline"):
        npc.tools.get_timeline(options)

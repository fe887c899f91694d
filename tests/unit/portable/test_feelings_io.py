"""Feelings in export_json() and import_json()."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import Npc, Save
from rag_memory.config.mind_config import NPCMindConfig
from rag_memory.errors import InvalidArgumentError

DAY = 86400.0
FADING = NPCMindConfig(disposition_half_life_days=2.0, kept_interactions=20)


def state(npc: Npc) -> Any:
    mind = npc.mind
    return (
        mind.feelings.get_dispositions(),
        mind.feelings.get_emotion(),
        mind.get_interactions(count=1000),
        mind.reflections.get_importance_since_reflection(),
        mind.reflections.get_facts(),
        sorted(str(each) for each in npc.recall.get_recent(1000)),
    )


@pytest.fixture
def felt(npc: Npc, clock: Any) -> Npc:
    """An NPC of whose log a part is pruned, who has reflected, and gathered importance since."""
    npc.mind.config = FADING
    for number in range(90):
        clock.now += 600.0
        action = ("helped", "attacked", "waved")[number % 3]
        event = {"action": action, "content": f"Number {number}, „🗡“.", "own": {"list": [1, None]}}
        npc.mind.perceive({**event, "source_id": f"c{number % 5}", "source_name": f"C {number % 5}"})
        if number == 60:
            npc.mind.reflections.reflect(True)
    npc.mind.feelings.adjust_disposition("c1", 33.3, "paid")
    npc.mind.feelings.feel("wistful", 61.5, "autumn", 1234.5)
    npc.mind.reflections.learn_fact("Wolves are dangerous at night.")
    clock.now += DAY / 3
    return npc


def test_feelings_come_back_in_another_save(felt: Npc, opened: Callable[..., Save], clock: Any) -> None:
    other = opened().npc("elena")
    other.mind.config = FADING
    other.mind.feelings.get_emotion()
    other.tools.import_json(felt.tools.export_json())
    assert state(other) == state(felt)
    clock.now += 2.5 * DAY
    assert state(other) == state(felt)
    pairs = zip(
        *(json.loads(each.tools.export_json())["interactions"] for each in (other, felt)), strict=True
    )
    for ours, theirs in pairs:
        assert ours == theirs
    for npc in (felt, other):
        npc.mind.perceive({"action": "attacked", "source_id": "c1"})
    assert other.mind.feelings.get_disposition("c1") == felt.mind.feelings.get_disposition("c1")


def test_who_has_feelings_keeps_her_own(felt: Npc, opened: Callable[..., Save]) -> None:
    other = opened().npc("elena")
    other.mind.perceive({"action": "gifted", "source_id": "c1"})
    before = (
        other.mind.feelings.get_dispositions(),
        other.mind.feelings.get_emotion(),
        other.mind.get_interactions(),
    )
    assert other.tools.import_json(felt.tools.export_json()) > 0
    assert (
        other.mind.feelings.get_dispositions(),
        other.mind.feelings.get_emotion(),
        other.mind.get_interactions(),
    ) == before
    exported = felt.tools.export_json()
    assert felt.tools.import_json(exported) == 0
    assert felt.tools.export_json() == exported


def test_feelings_without_memories_come_back(npc: Npc, opened: Callable[..., Save]) -> None:
    npc.mind.feelings.feel("sad", 40.0, "rain")
    other = opened().npc("tom")
    assert other.tools.import_json(npc.tools.export_json()) == 0
    assert other.mind.feelings.get_emotion() == npc.mind.feelings.get_emotion()


def test_a_file_without_feelings_is_of_the_first_version(npc: Npc) -> None:
    npc.memories.store("The mill is old.")
    content = json.loads(npc.tools.export_json())
    assert (content["version"], "interactions" in content) == (1, False)


def test_interactions_follow_the_new_id_of_their_memory(felt: Npc, opened: Callable[..., Save]) -> None:
    entry = felt.mind.get_interactions(count=30)[2]
    other = opened().npc("elena")
    memory = {"id": entry["memory_id"], "text": "Something else."}
    other.tools.import_json(json.dumps({"format": "rag_memory", "version": 1, "memories": [memory]}))
    other.tools.import_json(felt.tools.export_json())
    told = other.mind.get_interactions(count=30)[2]
    assert told["memory_id"] == f"{entry['memory_id']}_2"
    assert "Number 87" in other.memories.get_memory(told["memory_id"])["document_full"]


def test_a_rollback_to_before_the_import_forgets_the_feelings(
    felt: Npc, opened: Callable[..., Save], clock: Any
) -> None:
    save = opened()
    clock.now += 60
    save.npc("elena").tools.import_json(felt.tools.export_json())
    save.marks.rollback_to(clock.now - 1)
    assert save.npc("elena").mind.feelings.get_dispositions() == {}
    assert save.npc("elena").mind.feelings.get_emotion()["mood"] == "neutral"


def test_an_emotion_of_a_later_clock_begins_now(npc: Npc, opened: Callable[..., Save], clock: Any) -> None:
    npc.mind.feelings.feel("sad", 40.0, "rain")
    exported = npc.tools.export_json()
    clock.now = 100.0
    other = opened().npc("elena")
    other.tools.import_json(exported)
    assert other.mind.feelings.get_emotion()["expires_at"] == 400.0


def test_numbers_that_went_through_godots_json_are_taken(felt: Npc, opened: Callable[..., Save]) -> None:
    other = opened().npc("elena")
    other.mind.config = FADING
    other.tools.import_json(json.dumps(json.loads(felt.tools.export_json(), parse_int=float)))
    assert other.mind.feelings.get_dispositions() == felt.mind.feelings.get_dispositions()
    assert (
        other.mind.reflections.get_importance_since_reflection()
        == felt.mind.reflections.get_importance_since_reflection()
    )


@pytest.mark.parametrize(
    "wrong",
    [
        3,
        {},
        {"kind": "hatred"},
        {"kind": []},
        {"kind": "event", "strength": 101},
        {"kind": "event", "strength": "strong"},
        {"kind": "event", "timestamp": float("nan")},
        {"kind": "event", "sentiment": float("inf")},
        {"kind": "event", "source_id": 7},
        {"kind": "event", "details": [1]},
        {"kind": "event", "emotion": "sad"},
        {"kind": "event", "emotion": {"mood": "sad", "intensity": 200}},
        {"kind": "event", "emotion": {"intensity": 20}},
        {"kind": "reflection", "details": {"memories": "all"}},
    ],
)
def test_a_wrong_interaction_is_refused_with_everything(npc: Npc, wrong: Any) -> None:
    given = {"format": "rag_memory", "version": 2, "memories": [{"text": "Good."}]}
    with pytest.raises(InvalidArgumentError, match="interaction 1"):
        npc.tools.import_json(
            json.dumps({**given, "interactions": [{"kind": "event", "action": "waved"}, wrong]})
        )
    assert npc.memories.get_memory_count() == 0
    assert npc.mind.get_interactions() == []

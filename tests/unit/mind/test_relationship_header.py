from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rag_memory import MemoryConfig, Npc, Save
from rag_memory.errors import InvalidArgumentError
from rag_memory.mind.relationship import status_label

NOW = 1_702_500_000.0
DAY = 86400.0


def test_the_header_tells_how_the_two_stand(npc: Npc, clock: Any) -> None:
    npc.memories.store("We met at the market.", 7, {"event_type": "first_meeting"})
    npc.relationship.set_relationship_state({"trust": 45, "affection": 20.0, "mood": "calm"})
    clock.now = NOW + 3.9 * DAY
    header = npc.relationship.generate_relationship_header()
    text = "[Met=yes, Days=3, Trust=45, Affection=20, Fear=0, Respect=30, Status=neutral]"
    assert header["id"] == "elena_relationship_header"
    assert header["document"] == header["rendered_text"] == text
    assert header["metadata"]["slot_type"] == "relationship_header"
    assert header["metadata"]["relationship"] == {
        "trust": 45,
        "affection": 20,
        "fear": 0,
        "respect": 30,
        "familiarity": 10,
        "met": True,
        "days_known": 3,
        "status": "neutral",
    }
    assert (header["similarity"], header["distance"], header["score"]) == (0.0, 1.0, 0.0)
    assert header["protected"] and not any(header["breakdown"].values())
    assert npc.recall.retrieve_scored("hello")[0] == header


def test_a_told_state_is_clamped_to_its_ranges(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.relationship.set_relationship_state({"trust": 500, "affection": -101, "fear": 100.5, "respect": -100})
    header = npc.relationship.generate_relationship_header()
    assert (
        header["document"]
        == "[Met=no, Days=0, Trust=100, Affection=-100, Fear=100, Respect=-100, Status=terrified]"
    )
    npc.relationship.set_relationship_state({"familiarity": -5})
    assert npc.relationship.generate_relationship_header()["metadata"]["relationship"]["familiarity"] == 0
    assert "trust is 500, outside -100 to 100, so 100 is kept" in caplog.text
    assert len(caplog.records) == 4


def test_a_slip_in_a_told_state_is_warned_of(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.relationship.set_relationship_state({"trst": 3, "Affection": 40, "fear": 10, "rapport": 5})
    assert [record.message for record in caplog.records] == [
        f"set_relationship_state(): state has the key {key}, which has no meaning; did you mean {meant}?"
        for key, meant in (("'trst'", "'trust'"), ("'Affection'", "'affection'"))
    ]
    assert "Trust=50, Affection=0, Fear=10" in npc.relationship.generate_relationship_header()["document"]


def test_a_told_state_with_nothing_known_is_warned_of(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.relationship.set_relationship_state({"rapport": 3})
    (record,) = caplog.records
    assert 'the relationship header does not show "rapport"; it shows "trust", "respect"' in record.message


@pytest.mark.parametrize("state", [{}, {"trust": 3, "trst": 3}, {"met": True, "mood": "calm"}])
def test_keys_of_the_game_are_no_slips(
    npc: Npc, caplog: pytest.LogCaptureFixture, state: dict[str, Any]
) -> None:
    npc.relationship.set_relationship_state(state)
    npc.relationship.set_relationship_state(
        {**state, **npc.relationship.generate_relationship_header()["metadata"]["relationship"]}
    )
    assert not caplog.records


def test_a_slip_in_a_stored_relationship_is_warned_of(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.relationship.store_relationship("marcus", {"trst": 3, "rapport": 5})
    (record,) = caplog.records
    assert "store_relationship(): data has the key 'trst'" in record.message
    assert npc.relationship.get_relationship("marcus")["rapport"] == 5


def test_met_follows_the_memories_and_the_state(npc: Npc) -> None:
    assert "Met=no, Days=0" in npc.relationship.generate_relationship_header()["document"]
    id = npc.memories.store("We met today.", 7, {"event_type": "first_meeting"})
    assert "Met=yes, Days=0" in npc.relationship.generate_relationship_header()["document"]
    npc.memories.forget(id)
    assert "Met=no" in npc.relationship.generate_relationship_header()["document"]
    npc.relationship.set_relationship_state({"met": True})
    assert "Met=yes, Days=0" in npc.relationship.generate_relationship_header()["document"]


@pytest.mark.parametrize(
    ("state", "label"),
    [
        ({}, "neutral"),
        ({"trust": 10, "affection": -5}, "hostile"),
        ({"trust": 10}, "distrustful"),
        ({"trust": -80}, "distrustful"),
        ({"trust": 20}, "wary"),
        ({"trust": 40}, "neutral"),
        ({"trust": 60}, "friendly"),
        ({"trust": 80}, "respected"),
        ({"trust": 80, "affection": 51}, "trusted_ally"),
        ({"trust": 50, "fear": 80}, "terrified"),
        ({"trust": 50, "fear": 50}, "cautious"),
        ({"trust": 50, "familiarity": 50}, "acquaintance"),
        ({"trust": 70, "affection": 60, "familiarity": 70}, "close_friend"),
        ({"trust": 90, "affection": 90, "familiarity": 70}, "devoted"),
    ],
)
def test_status_labels(state: dict[str, Any], label: str) -> None:
    assert status_label(state) == label


def test_without_its_slot_there_is_no_header(npc: Npc) -> None:
    npc.config = MemoryConfig(protected_slot_types=["player_name"])
    assert npc.recall.retrieve_scored("hello") == []


def test_the_initial_relationship_holds_until_one_is_told(npc: Npc) -> None:
    npc.relationship.set_initial_relationship({"trust": 15, "affection": -5, "respect": 70})
    assert (
        "Trust=15, Affection=-5, Fear=0, Respect=70"
        in npc.relationship.generate_relationship_header()["document"]
    )
    assert "Trust=15, Affection=-5" in npc.recall.retrieve_scored("hello")[0]["document"]
    npc.relationship.set_relationship_state({"trust": 45})
    assert "Trust=45, Affection=-5" in npc.relationship.generate_relationship_header()["document"]
    npc.relationship.set_relationship_state({})
    npc.relationship.set_initial_relationship({"trust": 20})
    assert "Trust=20, Affection=0" in npc.relationship.generate_relationship_header()["document"]
    assert npc.relationship.get_relationship("player") == {}
    assert npc.memories.get_memory_count() == 0


def test_a_stored_relationship_begins_with_the_initial_one(opened: Callable[..., Save], clock: Any) -> None:
    save = opened()
    npc = save.npc("elena")
    npc.relationship.set_initial_relationship({"trust": 15, "affection": -5, "familiarity": 0, "met": True})
    clock.now += DAY
    npc.relationship.store_relationship("bjorn", {"fear": 5})
    npc.relationship.store_relationship("player", {"trust": 40})
    assert npc.relationship.get_relationship("bjorn")["affection"] == 0
    stored = npc.relationship.get_relationship("player")
    status = stored.pop("status")
    assert (stored, status) == (
        {"trust": 40, "affection": -5, "fear": 0, "respect": 30, "familiarity": 0},
        "neutral",
    )
    npc.relationship.set_initial_relationship({"affection": 90})
    npc.relationship.store_relationship("player", {"fear": 20})
    assert npc.relationship.get_relationship("player") == {**stored, "status": status, "fear": 20}
    assert "Trust=40, Affection=-5, Fear=20" in npc.relationship.generate_relationship_header()["document"]
    save.marks.rollback_to(NOW)
    assert "Trust=50, Affection=90, Fear=0" in npc.relationship.generate_relationship_header()["document"]


def test_an_initial_relationship_is_checked(npc: Npc, caplog: pytest.LogCaptureFixture) -> None:
    npc.relationship.set_initial_relationship({"trust": 500, "Affection": 40})
    assert "Trust=100, Affection=0" in npc.relationship.generate_relationship_header()["document"]
    assert [each.message.partition(":")[0] for each in caplog.records] == ["set_initial_relationship()"] * 2
    with pytest.raises(InvalidArgumentError, match=r"set_initial_relationship\(\)"):
        npc.relationship.set_initial_relationship({"trust": "high"})
    assert "Trust=100" in npc.relationship.generate_relationship_header()["document"]

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory import InvalidArgumentError, MemoryConfig, Npc
from rag_memory.memory.importance import calculate_importance, get_deterministic_deltas

CONFIG = MemoryConfig()
BOOSTS = {
    "secret_revealed": 3,
    "player_name_learned": 2,
    "obligation_created": 2,
    "npc_injured": 3,
    "npc_died": 4,
}
PROMISES = ("promise_made", "promise_broken")
QUESTS = ("quest_started", "quest_completed")


def importance(event_type: str, **deltas: Any) -> int:
    return calculate_importance(CONFIG, event_type, {}, deltas)


@pytest.mark.parametrize(
    ("event_type", "expected"),
    [
        ("milestone", 10),
        ("player_action", 8),
        ("quest_completed", 8),
        ("witnessed_event", 7),
        ("conversation", 6),
        ("rumor", 5),
        ("", 5),
    ],
)
def test_the_base_follows_the_event_type(event_type: str, expected: int) -> None:
    assert importance(event_type) == expected


def test_what_is_kept_above_the_rest_is_more_important_than_talk() -> None:
    kept = {
        *CONFIG.pinned_event_types,
        *CONFIG.important_event_types,
        *CONFIG.high_signal_event_types,
        *CONFIG.pinned_interactions,
        *CONFIG.important_interactions,
    }
    assert [each for each in sorted(kept) if importance(each) <= importance("conversation")] == []


def test_both_names_of_a_saved_life_mean_the_same() -> None:
    for types in (CONFIG.pinned_event_types, CONFIG.milestone_event_types, CONFIG.high_signal_event_types):
        assert ("life_saved" in types) and ("saved_life" in types)


@pytest.mark.parametrize(
    ("deltas", "boost"),
    [
        ({"trust_change": 14}, 0),
        ({"trust_change": 15}, 2),
        ({"trust_change": -5, "affection_change": 5, "fear_change": -5}, 2),
        ({"respect_change": 15, "familiarity_change": 15}, 0),
        ({"secret_revealed": True}, 3),
        ({"secret_revealed": False}, 0),
        ({"player_name_learned": True}, 2),
        ({"obligation_created": True}, 2),
        ({"promise_made": True}, 2),
        ({"promise_made": True, "promise_broken": True}, 2),
        ({"quest_started": True, "quest_completed": True}, 2),
        ({"quest_failed": True}, 2),
        ({"npc_injured": True}, 3),
        ({"npc_died": True}, 4),
        ({"emotional_impact": "devastating"}, 0),
    ],
)
def test_each_change_has_its_boost(deltas: dict[str, Any], boost: int) -> None:
    assert importance("rumor", **deltas) == 5 + boost


@given(
    st.integers(-15, 15),
    st.integers(-10, 10),
    st.integers(-10, 10),
    st.sets(st.sampled_from([*BOOSTS, *PROMISES, *QUESTS])),
    st.sampled_from(["conversation", "milestone", "rumor"]),
)
def test_boosts_add_up_within_1_to_10(
    trust: int, affection: int, fear: int, flags: set[str], event_type: str
) -> None:
    changes = {"trust_change": trust, "affection_change": affection, "fear_change": fear}
    expected = {"conversation": 6, "milestone": 10}.get(event_type, 5)
    expected += 2 * (abs(trust) + abs(affection) + abs(fear) >= 15)
    expected += sum(BOOSTS.get(flag, 0) for flag in flags)
    expected += 2 * bool(flags & set(PROMISES)) + 2 * bool(flags & set(QUESTS))
    deltas: dict[str, Any] = {**changes, **dict.fromkeys(flags, True)}
    assert importance(event_type, **deltas) == max(1, min(10, expected))


def test_every_number_is_of_the_config() -> None:
    config = dataclasses.replace(
        CONFIG,
        event_type_importance={"rumor": 1},
        relationship_delta_threshold=3,
        importance_boost_relationship=4,
        importance_boost_secret=0,
    )
    assert calculate_importance(config, "rumor", {}, {}) == 1
    assert calculate_importance(config, "conversation", {}, {"secret_revealed": True}) == 5
    assert calculate_importance(config, "conversation", {}, {"trust_change": 3}) == 9


def test_of_the_analysis_only_a_learned_name_counts() -> None:
    analysis = {"emotional_impact": "negative", "trust_change": 15}
    assert calculate_importance(CONFIG, "rumor", analysis, {}) == 5
    for learned, expected in (({"name": "Theron"}, 7), ({"name": " "}, 5), ({}, 5), ("Theron", 5)):
        assert calculate_importance(CONFIG, "rumor", {"learned_about_player": learned}, {}) == expected


@pytest.mark.parametrize(
    "arguments", [(1, {}, {}), ("a", [], {}), ("a", {}, "x"), ("a", {}, {"trust_change": "much"})]
)
def test_wrong_types_are_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="calculate_importance"):
        calculate_importance(CONFIG, *arguments)


def test_deltas_follow_the_event_type() -> None:
    assert get_deterministic_deltas(CONFIG, "gift_given", {}) == {"affection_change": 5, "trust_change": 2}
    assert get_deterministic_deltas(CONFIG, "betrayal", {"trust_change": 3}) == {
        "trust_change": -15,
        "affection_change": -10,
    }
    assert get_deterministic_deltas(CONFIG, "life_saved", None) == {
        "trust_change": 15,
        "affection_change": 10,
        "fear_change": -5,
    }
    assert get_deterministic_deltas(CONFIG, "rumor", {}) == {}


def test_the_npc_uses_its_own_config(npc: Npc) -> None:
    npc.config = MemoryConfig(event_type_importance={"feast": 9}, event_respect_changes={"feast": 1})
    assert npc.rules.calculate_importance("feast") == 9
    assert npc.rules.calculate_importance("conversation", {}, {"npc_died": True}) == 9
    assert npc.rules.get_deterministic_deltas("feast") == {"respect_change": 1}

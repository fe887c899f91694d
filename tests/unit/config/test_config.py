from __future__ import annotations

import dataclasses
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rag_memory import ConfigError, MemoryConfig, RelevanceMode, ScoreMode
from rag_memory.config import config_fields
from rag_memory.validation import shown

DEFAULTS = {
    "max_memory_chars": 10000,
    "max_pinned_memories": 8,
    "max_important_memories": 5,
    "max_regular_memories": 8,
    "memory_token_budget": 2500,
    "tier_weights": [3.0, 2.0, 1.0],
    "recency_half_life_days": 7.0,
    "recency_floor": 0.3,
    "relevance_floor": 0.3,
    "superseded_score_multiplier": 0.1,
    "high_relevance_threshold": 0.85,
    "short_summary_target_length": 80,
    "short_summary_max_length": 100,
    "high_signal_recency_days": 7,
    "high_signal_limit": 10,
    "semantic_top_k": 15,
    "min_semantic_importance": 3,
    "protected_slot_types": ["relationship_header", "player_name", "npc_death_status"],
    "importance_threshold_for_tier": 8,
    "max_memories_before_consolidate": 50,
    "consolidate_target": 20,
    "consolidation_age_days": 7,
    "consolidation_min_count": 3,
    "interaction_type_similarity_threshold": 0.8,
    "max_trust_change": 15,
    "max_familiarity_change": 5,
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_those_of_the_reference_design(name: str) -> None:
    assert getattr(MemoryConfig(), name) == DEFAULTS[name]


def test_relevance_leads_by_default() -> None:
    """The reference design multiplies; saved configs keep their number, so those do not change either."""
    assert MemoryConfig().score_mode is ScoreMode.BALANCED
    assert [mode.value for mode in (ScoreMode.PRODUCT, ScoreMode.BALANCED)] == [0, 1]


def test_every_option_is_documented_and_groups_are_contiguous() -> None:
    groups = [option.group for option in config_fields()]
    assert all(option.doc.endswith(".") for option in config_fields())
    assert len(set(groups)) == sum(1 for a, b in zip(groups, [None, *groups], strict=False) if a != b)


def test_defaults_are_valid_and_not_shared() -> None:
    config = MemoryConfig()
    assert config.validated() == config
    config.tier_weights[0] = 9.0
    assert MemoryConfig().tier_weights == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("recency_floor", 1.5, "0 to 1"),
        ("semantic_top_k", -1, "0 to 1000"),
        ("semantic_top_k", 1.5, "int"),
        ("semantic_top_k", True, "int"),
        ("use_dual_representation", 1, "bool"),
        ("tier_weights", [1.0, 2.0], "exactly three"),
        ("tier_weights", "321", "Array[float]"),
        ("recency_half_life_days", float("nan"), "0.001"),
        ("score_mode", 7, "PRODUCT (0), BALANCED (1)"),
        ("slot_types", [1], "Array[String]"),
        ("supersession_pairs", {"a": 1}, "Dictionary[String, String]"),
    ],
)
def test_a_bad_value_names_field_value_and_range(name: str, value: Any, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        dataclasses.replace(MemoryConfig(), **{name: value}).validated()
    assert name in str(error.value)
    assert says in str(error.value)


def test_numbers_and_enums_are_normalised() -> None:
    config = MemoryConfig(recency_half_life_days=3, score_mode=1, relevance_mode=0).validated()  # type: ignore[arg-type]
    assert isinstance(config.recency_half_life_days, float)
    assert config.score_mode is ScoreMode.BALANCED
    assert config.relevance_mode is RelevanceMode.HYBRID


def test_tier_priorities() -> None:
    tier = MemoryConfig().get_tier_for_event
    assert tier("general", 10, "betrayal") == 0
    assert tier("first_meeting", 1) == 0
    assert tier("first_meeting", 1, "emotional_support") == 0
    assert tier("general", 1, "emotional_support") == 1
    assert tier("quest_completed", 1) == 1
    assert tier("general", 8) == 1
    assert tier("general", 7) == 2
    assert (
        MemoryConfig(use_analysis_for_tier_detection=False).get_tier_for_event("general", 1, "betrayal") == 2
    )


def test_an_invalid_interaction_type_is_reported_not_mapped(caplog: pytest.LogCaptureFixture) -> None:
    config = MemoryConfig()
    assert config.validate_interaction_type("gift_given") == "gift_given"
    with caplog.at_level(logging.WARNING):
        assert config.validate_interaction_type("gifts_given") == "casual_conversation"
    assert "It resembles gift_given" in caplog.text


def test_deltas_are_clamped() -> None:
    clamped = MemoryConfig().clamp_relationship_deltas(
        {"trust_change": 40, "fear_change": -11.5, "familiarity_change": 9}
    )
    assert clamped == {
        "trust_change": 15,
        "affection_change": 0,
        "fear_change": -10,
        "respect_change": 0,
        "familiarity_change": 5,
    }


@pytest.mark.parametrize("value", ["a lot", True, None, float("nan"), [5]])
def test_a_delta_that_is_no_number_counts_as_0_and_is_named(
    value: object, caplog: pytest.LogCaptureFixture
) -> None:
    proposed = {"trust_change": value, "affection_change": 3, "fear_change": 80}
    with caplog.at_level(logging.WARNING):
        clamped = MemoryConfig().clamp_relationship_deltas(proposed)
    assert clamped == {
        "trust_change": 0,
        "affection_change": 3,
        "fear_change": 10,
        "respect_change": 0,
        "familiarity_change": 0,
    }
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert f"trust_change is {shown(value)}" in caplog.text


def test_event_type_questions() -> None:
    config = MemoryConfig()
    assert config.get_superseded_event_type("promise_broken") == "promise_made"
    assert config.get_superseding_event_type("promise_made") == "promise_broken"
    assert config.get_superseded_event_type("promise_made") == ""
    assert config.is_slot_type("player_name") and not config.is_slot_type("mood")
    assert config.is_pinned_event("betrayal") and config.is_important_event("gift_received")
    prompt = config.get_interaction_type_constraint_prompt()
    assert all(f'"{name}"' in prompt for name in config.valid_interaction_types)


def test_config_can_be_imported_without_numpy() -> None:
    python = Path(__file__).parents[3] / "python"
    code = "import sys; sys.modules['numpy'] = None; from rag_memory import config; config.config_fields()"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(python)})


@pytest.mark.parametrize("name", ["pinned_interactions", "important_interactions"])
def test_an_interaction_that_is_not_valid_is_warned_of_once(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    lists: dict[str, Any] = {name: ["betrayal", f"duel of {name}"]}
    for _ in range(3):
        MemoryConfig(**lists).validated()
    (record,) = caplog.records
    assert (
        f"MemoryConfig.{name} has 'duel of {name}', which valid_interaction_types has not" in record.message
    )
    caplog.clear()
    MemoryConfig().validated()
    assert not caplog.records

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_memory import MemoryConfig, Npc, RelevanceMode, ScoreMode
from rag_memory.retrieval.scoring import Rated, factors, score

DAY = 86400.0


def test_the_product_of_the_reference_design() -> None:
    config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    of = factors(config, 10 * DAY, Rated(0, 10, 0.0, 0.0, False, 0.3))
    assert of.tier_weight == 3.0
    assert of.importance == 1.0
    assert of.recency == pytest.approx(0.3 + 0.7 * 2 ** (-10 / 7))
    assert of.relevance == pytest.approx(0.3 + 0.7 * 0.3)
    assert score(config, of) == math.prod(of)


def test_supersession_is_a_tenth() -> None:
    fresh = factors(MemoryConfig(), 0.0, Rated(1, 5, 0.0, 0.0, False, 0.5))
    old = factors(MemoryConfig(), 0.0, Rated(1, 5, 0.0, 0.0, True, 0.5))
    assert score(MemoryConfig(), old) == pytest.approx(0.1 * score(MemoryConfig(), fresh))


def test_a_memory_from_the_future_is_new() -> None:
    assert factors(MemoryConfig(), 0.0, Rated(2, 5, 5 * DAY, 5 * DAY, False, 0.0)).recency == 1.0


@pytest.mark.parametrize(
    ("mode", "tier_power", "relevance"),
    [
        (RelevanceMode.HYBRID, 0.1, 0.5),
        (RelevanceMode.DENSE, 0.25, 0.65**3),
        (RelevanceMode.KEYWORD, 0.25, 0.65),
    ],
)
def test_balanced_bounds_all_but_relevance(mode: RelevanceMode, tier_power: float, relevance: float) -> None:
    config = MemoryConfig(score_mode=ScoreMode.BALANCED, relevance_mode=mode)
    of = factors(config, 7 * DAY, Rated(0, 8, 0.0, 0.0, True, 0.5))
    expected = (0.9 + 0.2 * 0.8) * 3**tier_power * (0.9 + 0.1 * 0.65) * relevance * 0.1
    assert score(config, of) == pytest.approx(expected)


ages = st.floats(0, 10000, allow_nan=False)


@given(ages, ages, st.floats(0, 1), st.integers(1, 10), st.integers(0, 2))
def test_older_is_never_better(age: float, more: float, relevance: float, importance: int, tier: int) -> None:
    now, time, earlier = 20000 * DAY, (20000 - age) * DAY, (20000 - age - more) * DAY
    for mode in ScoreMode:
        config = MemoryConfig(score_mode=mode)
        newer = factors(config, now, Rated(tier, importance, time, time, False, relevance))
        older = factors(config, now, Rated(tier, importance, earlier, earlier, False, relevance))
        assert score(config, older) <= score(config, newer)


def test_calculate_memory_score_takes_the_given_distance_or_similarity(npc: Npc) -> None:
    npc.config = MemoryConfig(score_mode=ScoreMode.PRODUCT)
    metadata = {"memory_tier": 0, "importance": 10, "timestamp": 1_702_500_000 - DAY}
    expected = 3.0 * (0.3 + 0.7 * 2 ** (-1 / 7)) * (0.3 + 0.7 * 0.8)
    assert npc.recall.calculate_memory_score({"metadata": metadata, "distance": 0.2}) == pytest.approx(
        expected
    )
    assert npc.recall.calculate_memory_score({"metadata": metadata, "similarity": 0.8}) == pytest.approx(
        expected
    )
    assert expected > 2.0


def test_a_measured_memory_is_taken_at_its_word(npc: Npc) -> None:
    memory = {"metadata": {"timestamp": 1_702_500_000}, "document": "Burning mills.", "distance": 0.2}
    without_context = npc.recall.calculate_memory_score(memory)
    assert npc.recall.calculate_memory_score(memory, "A fish in the river") == without_context


def test_calculate_memory_score_agrees_with_retrieval(npc: Npc) -> None:
    npc.memories.store("The mill burned down at night.", 7)
    recalled = npc.recall.retrieve_scored("Who burned the mill?")[-1]
    again = npc.recall.calculate_memory_score(npc.memories.get_memory(recalled["id"]), "Who burned the mill?")
    assert again == pytest.approx(recalled["score"], abs=1e-6)
    assert npc.recall.calculate_memory_score(recalled) == pytest.approx(recalled["score"], abs=1e-6)

"""The score of a memory: five factors and how they become one number.

The factors and the PRODUCT mode are those of the reference design. BALANCED, the default, bounds them. In
PRODUCT importance, tier and age overrule relevance: five fresh betrayals come before everything else,
whatever is asked (docs/retrieval.md). STREAM is the retrieval score of Park et al., "Generative Agents:
Interactive Simulacra of Human Behavior", 2023: a sum in which recency counts from the last access.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig, RelevanceMode, ScoreMode
from rag_memory.memory.game_time import SECONDS_PER_DAY, SECONDS_PER_HOUR
from rag_memory.retrieval.relevance import Favour, Match, addable_relevance
from rag_memory.vectors import NDArray

_DENSE_CONTRAST = 3
_TIER_POWER = 0.25
_TIER_POWER_OF_ODDS = 0.1
_NEARLY_NOTHING = 1e-300
_QUESTION_ODDS = 0.14
"""e^-2: a memory that ends with a question rarely is an answer. bench/fit_ranking.py fits e^-3.7 on games and
talks; they have few such memories that are wanted, so less is taken.
"""
_CURVE_POINTS = 70
_CURVE_HALF_LIVES = 5
"""A curve ends here: almost nothing is left of recency."""


class Factors(NamedTuple):
    """The factors of a score, by their names in `breakdown`."""

    tier_weight: float
    importance: float
    recency: float
    relevance: float
    supersession: float


class Rated(NamedTuple):
    """The values of a memory that its score is made of."""

    memory_tier: int
    importance: int
    """1 to 10."""
    timestamp: float
    last_accessed: float
    is_superseded: bool
    relevance: float
    """0 to 1, before its floor: the similarity in PRODUCT and DENSE, else the odds of HYBRID."""


def scored_relevances(config: MemoryConfig, matches: Iterable[tuple[Match, bool]]) -> list[float]:
    """Return what the relevance of each memory counts in its score, before its floor.

    Args:
        matches: for each memory its match, and whether it ends with a question.
    """
    relevances = []
    for match, is_question in matches:
        relevance = match.relevance
        if config.score_mode == ScoreMode.PRODUCT:
            relevance = match.similarity
        elif config.score_mode == ScoreMode.STREAM:
            relevance = addable_relevance(match)
        relevances.append(_QUESTION_ODDS * relevance if is_question else relevance)
    return relevances


def scores(config: MemoryConfig, now: float, memories: Iterable[Rated]) -> list[tuple[Factors, float]]:
    """Return factors and score of each memory. `now` is the time of the question, in seconds."""
    formula = _Formula(config)
    every = [formula.factors(now, memory) for memory in memories]
    return [(of, formula.score(of)) for of in every]


def factors(config: MemoryConfig, now: float, memory: Rated) -> Factors:
    """The five factors of a memory.

    recency = floor + (1 - floor) x 2^(-age_days / half_life), where a memory from the future is 0 days old.
    With STREAM recency = decay ^ hours since the last access. relevance = floor + (1 - floor) x relevance;
    with STREAM, and with HYBRID in BALANCED, it has no floor.
    """
    return _Formula(config).factors(now, memory)


def score(config: MemoryConfig, of: Factors) -> float:
    """One number from the five factors.

    PRODUCT: their product. BALANCED: (0.9 + 0.2 x importance) x tier_weight^0.1 x (0.9 + 0.1 x recency) x
    relevance x supersession; without HYBRID tier_weight^0.25, and with DENSE relevance^3, because cosines of
    the best few of a question lie close together. Weights that mean nothing then cost two points of R@10
    (bench/recall.md). STREAM: the weighted sum of recency, importance and relevance, times supersession.
    """
    return _Formula(config).score(of)


class _Formula:
    """What a config makes of memories; looked up once for all candidates of an answer."""

    def __init__(self, config: MemoryConfig) -> None:
        self._is_stream = config.score_mode == ScoreMode.STREAM
        self._is_balanced = config.score_mode == ScoreMode.BALANCED
        # Relevance is a probability beside that of the best memory, over its whole range.
        is_by_odds = self._is_balanced and config.relevance_mode == RelevanceMode.HYBRID
        self._relevance_floor = 0.0 if is_by_odds else config.relevance_floor
        self._contrast = _DENSE_CONTRAST if config.relevance_mode == RelevanceMode.DENSE else 1
        tier_power = _TIER_POWER_OF_ODDS if is_by_odds else _TIER_POWER
        self._tier_weights = config.tier_weights
        self._tier_parts = {weight: math.pow(weight, tier_power) for weight in self._tier_weights}
        self._superseded = config.superseded_score_multiplier
        self._decay = config.stream_decay_per_hour
        self._stream_weights = config.stream_weights
        self._half_life_days = config.recency_half_life_days
        self._recency_floor = config.recency_floor

    def factors(self, now: float, memory: Rated) -> Factors:
        memory_tier, importance, timestamp, last_accessed, is_superseded, relevance = memory
        supersession = self._superseded if is_superseded else 1.0
        weight = self._tier_weights[memory_tier]
        if self._is_stream:
            hours = max(0.0, now - last_accessed) / SECONDS_PER_HOUR
            return Factors(weight, importance / 10.0, self._decay**hours, relevance, supersession)
        age_days = max(0.0, now - timestamp) / SECONDS_PER_DAY
        fading = 2.0 ** (-age_days / self._half_life_days)
        floor, least = self._relevance_floor, self._recency_floor
        return Factors(
            weight,
            importance / 10.0,
            least + (1.0 - least) * fading,
            floor + (1.0 - floor) * relevance,
            supersession,
        )

    def score(self, of: Factors) -> float:
        tier_weight, importance, recency, relevance, supersession = of
        if self._is_balanced:
            return (
                (0.9 + 0.2 * importance)
                * self._tier_parts[tier_weight]
                * (0.9 + 0.1 * recency)
                * relevance**self._contrast
                * supersession
            )
        if self._is_stream:
            of_recency, of_importance, of_relevance = self._stream_weights
            return (
                of_recency * recency + of_importance * importance + of_relevance * relevance
            ) * supersession
        return tier_weight * importance * recency * relevance * supersession


def stream_favour(
    config: MemoryConfig, now: float, last_accessed: NDArray[np.float64], importances: NDArray[np.uint8]
) -> Favour:
    """Return the bonus of memories in STREAM besides their relevance, if nothing has superseded them."""
    recency_weight, importance_weight, relevance_weight = config.stream_weights
    hours = np.maximum(0.0, now - last_accessed) / SECONDS_PER_HOUR
    # Of nothing the logarithm is none, and its powers are 1 and 0. A power of each takes ten times as long.
    decay = max(config.stream_decay_per_hour, _NEARLY_NOTHING)
    amounts = np.exp((hours * math.log(decay)).astype(np.float32))
    amounts *= np.float32(recency_weight)
    amounts += np.float32(importance_weight / 10.0) * importances
    return Favour(relevance_weight, amounts)


class ScoreCurves(NamedTuple):
    """The score of a memory by its age, for a plot."""

    days: list[float]
    """The ages, from 0 to five half-lives of recency."""
    recency: list[float]
    """The recency at each age."""
    scores: list[list[float]]
    """For each similarity, the score at each age."""


def score_curves(
    config: MemoryConfig, memory_tier: int, importance: int, similarities: Sequence[float]
) -> ScoreCurves:
    """The curves of a memory that is not superseded, and that nobody has asked for since it happened."""
    longest = _CURVE_HALF_LIVES * _half_life_days(config)
    days = [longest * point / _CURVE_POINTS for point in range(_CURVE_POINTS + 1)]

    def at(age_days: float, similarity: float) -> Factors:
        now = age_days * SECONDS_PER_DAY
        return factors(config, now, Rated(memory_tier, importance, 0.0, 0.0, False, similarity))

    return ScoreCurves(
        days,
        [at(age_days, 0.0).recency for age_days in days],
        [[score(config, at(age_days, similarity)) for age_days in days] for similarity in similarities],
    )


def _half_life_days(config: MemoryConfig) -> float:
    """Return the half-life of the recency that fades; at least a minute, so that there is a curve."""
    decay = config.stream_decay_per_hour
    if config.score_mode != ScoreMode.STREAM or decay == 1.0:
        return config.recency_half_life_days
    hours = 0.0 if decay == 0.0 else math.log(0.5) / math.log(decay)
    return max(1.0 / 60.0, hours) * SECONDS_PER_HOUR / SECONDS_PER_DAY

"""Weights and floors of the score."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rag_memory.config.config_field import config_field
from rag_memory.errors import ConfigError


class ScoreMode(IntEnum):
    """Ways to combine the five factors of a memory into its score."""

    PRODUCT = 0
    """tier weight x importance/10 x recency x relevance x supersession."""
    BALANCED = 1
    """The same factors, with tier, importance and recency bounded so that relevance decides."""
    STREAM = 2
    """recency + importance/10 + relevance, where recency fades with the hours since the last access."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class ScoreBasedSelection:
    """The weights and floors of the five factors."""

    use_score_based_selection: bool = config_field(
        True,
        group="Score-Based Selection",
        doc="Rank memories by their score. When off, memories are taken tier by tier: first PINNED and "
        "IMPORTANT ones by importance, then relevant ones. Each tier has its own limit in Context Budget.",
    )
    score_mode: ScoreMode = config_field(
        ScoreMode.BALANCED,
        group="Score-Based Selection",
        enum=ScoreMode,
        doc="BALANCED: relevance leads; tier, importance and recency decide between memories that fit about "
        "equally well. PRODUCT: the exact formula of the design documents, where tier and importance "
        "decide. STREAM: recency + importance + relevance, each 0 to 1. Recency then fades since the memory "
        "last entered an answer, and the tier does not count.",
    )
    tier_weights: list[float] = config_field(
        [3.0, 2.0, 1.0],
        group="Score-Based Selection",
        range=(0.0, 100.0, 0.1),
        doc="Weights of a PINNED, an IMPORTANT and a REGULAR memory in the score, in this order.",
    )
    recency_half_life_days: float = config_field(
        7.0,
        group="Score-Based Selection",
        range=(0.001, 36500.0, 0.001),
        hint="suffix:days",
        doc="Days after which a memory has lost half of the recency that fades.",
    )
    recency_floor: float = config_field(
        0.3,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Recency that even the oldest memory keeps. 1 switches fading off.",
    )
    relevance_floor: float = config_field(
        0.3,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Relevance that even an unrelated memory keeps. 1 switches relevance off. Not used "
        "with STREAM, nor with HYBRID in BALANCED.",
    )
    stream_weights: list[float] = config_field(
        [1.0, 1.0, 1.0],
        group="Score-Based Selection",
        range=(0.0, 100.0, 0.1),
        doc="Weights of recency, importance and relevance in the score of STREAM, in this order.",
    )
    stream_decay_per_hour: float = config_field(
        0.995,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.0001),
        doc="What is left of the recency of STREAM after one hour of game time without an access. It is "
        "multiplied for each hour. 1 switches fading off.",
    )
    superseded_score_multiplier: float = config_field(
        0.1,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Factor on the score of a memory that a later one replaced, for example a broken promise.",
    )

    def _validate_tier_weights(self) -> None:
        if len(self.tier_weights) != 3:
            raise ConfigError(
                f"MemoryConfig.tier_weights has {len(self.tier_weights)} values",
                "it needs exactly three: for PINNED, IMPORTANT and REGULAR memories",
                "Set it to three numbers, for example [3.0, 2.0, 1.0]",
            )

    def _validate_stream_weights(self) -> None:
        if len(self.stream_weights) != 3 or sum(self.stream_weights) <= 0.0:
            raise ConfigError(
                f"MemoryConfig.stream_weights is {self.stream_weights}",
                "it needs exactly three numbers, not all 0: for recency, importance and relevance",
                "Set it to three numbers, for example [1.0, 1.0, 1.0]",
            )

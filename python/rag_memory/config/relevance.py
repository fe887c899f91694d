"""How relevant a memory is to what was said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rag_memory.config.config_field import config_field
from rag_memory.errors import ConfigError


class RelevanceMode(IntEnum):
    """How relevant a memory is to what was said."""

    HYBRID = 0
    """Sentence similarity, keywords and names together."""
    DENSE = 1
    """Sentence similarity alone."""


@dataclass(frozen=True, kw_only=True)
class Relevance:
    """The channels of relevance, and what a conversation adds."""

    relevance_mode: RelevanceMode = config_field(
        RelevanceMode.HYBRID,
        group="Relevance",
        enum=RelevanceMode,
        doc="HYBRID blends meaning, keywords, names and conversations. DENSE uses sentence similarity "
        "alone: relevance is 1 - distance.",
    )
    dense_weight: float = config_field(
        0.5,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="Weight of sentence similarity in HYBRID relevance. Only its ratio to keyword_weight matters.",
    )
    keyword_weight: float = config_field(
        0.5,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="Weight of keywords in HYBRID relevance. Only its ratio to dense_weight matters.",
    )
    name_bonus: float = config_field(
        0.05,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="Added to HYBRID relevance when a person named in the question speaks in the memory. Half of it "
        "when that person is a participant or an entity of the memory.",
    )
    episode_prior: float = config_field(
        0.05,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="Added to HYBRID relevance when every word of the question occurs in the memory's conversation. "
        "When only some occur, a part of it is added.",
    )
    neighbour_window: int = config_field(
        2,
        group="Relevance",
        range=(0, 5, 1),
        doc="Number of memories before and after one that also count for it in HYBRID relevance. They must "
        "lie within conversation_gap_minutes of it. 0 takes every memory by itself.",
    )
    neighbour_weight: float = config_field(
        0.6,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="How much the next memory of a conversation counts, compared with the memory itself. Two places "
        "away it counts this squared, and so on. An NPC with fewer than 100 memories uses less of it, one "
        "with fewer than 28 nothing.",
    )
    conversation_gap_minutes: float = config_field(
        10.0,
        group="Relevance",
        range=(0.0, 1000000.0, 0.1),
        hint="suffix:minutes",
        doc="A pause longer than this, in minutes of game time, begins a new conversation.",
    )

    def _validate_channel_weights(self) -> None:
        if self.dense_weight + self.keyword_weight <= 0.0:
            raise ConfigError(
                "MemoryConfig.dense_weight and keyword_weight are both 0",
                "HYBRID relevance needs at least one channel",
                "Raise one of them, for example dense_weight to 0.5",
            )

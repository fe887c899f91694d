"""Relevance of memories to a query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from rag_memory.config.config_field import config_field


class RelevanceMode(IntEnum):
    """Ways to measure the relevance of a memory to a query."""

    HYBRID = 0
    """Sentence similarity, keywords and names together."""
    DENSE = 1
    """Sentence similarity alone."""
    KEYWORD = 2
    """The share of the question's words that a memory has; the question is not embedded."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class Relevance:
    """The channels of relevance, and what a conversation adds."""

    relevance_mode: RelevanceMode = config_field(
        RelevanceMode.HYBRID,
        group="Relevance",
        enum=RelevanceMode,
        doc="HYBRID sums meaning, keywords, kinds of events and names. DENSE uses sentence similarity "
        "alone: relevance is 1 - distance. KEYWORD uses words alone, and does not embed the question: "
        "relevance is the share of the question's words that the memory has.",
    )
    event_words: dict[str, str] = config_field(
        {},
        group="Relevance",
        doc="Words by which a question asks for an event type of your game, such as "
        '`{"ship_repaired": "repair mend hull ship"}`. The words of the type\'s own name count without this. '
        "An entry takes the place of the words that the addon has for the type.",
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

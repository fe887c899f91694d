"""Every value that steers the memory of an NPC, declared once for Python and for Godot's inspector.

A field carries its group, range and documentation as metadata (`config_fields()` lists them): the Godot
property, its inspector hint and its F1 help are generated from here, so a new value is added in this file
only.
Defaults are those of the reference design. This module imports nothing but the standard library: code
generation runs it on its own.
"""

# ruff: noqa: RUF009 - config_field() makes a dataclass field

from __future__ import annotations

import dataclasses
import functools
import logging
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from rag_memory.config.config_field import ConfigField, config_field, validate_field
from rag_memory.config.interaction_type import DEFAULT as DEFAULT_INTERACTION_TYPE
from rag_memory.config.interaction_type import MEANINGS as INTERACTION_TYPE_MEANINGS
from rag_memory.config.interaction_type import constraint_prompt, resembling
from rag_memory.errors import ConfigError

_LOG = logging.getLogger("rag_memory")
_DEVELOPMENT_LOG = logging.getLogger("rag_memory.development")
"""For what helps a developer and would only be noise in a released game, where it is silent."""

TIER_PINNED = 0
TIER_IMPORTANT = 1
TIER_REGULAR = 2


class ScoreMode(IntEnum):
    """How the five factors of a memory become its score."""

    PRODUCT = 0
    """tier weight x importance/10 x recency x relevance x supersession."""
    BALANCED = 1
    """The same factors, with tier, importance and recency bounded so that relevance decides."""


class RelevanceMode(IntEnum):
    """How relevant a memory is to what was said."""

    HYBRID = 0
    """Sentence similarity, keywords and names together."""
    DENSE = 1
    """Sentence similarity alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConfig:
    """The tuning of one NPC's memory. Immutable: `dataclasses.replace(config, semantic_top_k=30)` makes a
    variant.
    """

    max_memory_chars: int = config_field(
        10000,
        group="Context Budget",
        range=(0, 1000000, 1),
        doc="Most characters that the tier-by-tier selection may return, whatever the token budget. "
        "Score-based selection uses memory_token_budget instead.",
    )
    max_pinned_memories: int = config_field(
        8,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most PINNED memories that the tier-by-tier selection returns.",
    )
    max_important_memories: int = config_field(
        5,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most IMPORTANT memories that the tier-by-tier selection returns.",
    )
    max_regular_memories: int = config_field(
        8,
        group="Context Budget",
        range=(0, 1000, 1),
        doc="Most memories that the tier-by-tier selection adds because they are relevant to the context.",
    )
    memory_token_budget: int = config_field(
        2500,
        group="Context Budget",
        range=(0, 1000000, 1),
        doc="Tokens that retrieve_scored() may fill when the call names no budget. A token is estimated as "
        "three characters; for Chinese, Japanese, Korean and Thai, where it may be one, set about a third. "
        "Only protected memories may exceed it.",
    )
    min_tiered_importance: int = config_field(
        4,
        group="Context Budget",
        range=(1, 10, 1),
        doc="Least importance of a memory that retrieve_tiered() lists for being relevant.",
    )

    use_score_based_selection: bool = config_field(
        True,
        group="Score-Based Selection",
        doc="Rank memories by their score. When off, memories are taken tier by tier: PINNED and IMPORTANT "
        "ones by importance, then relevant ones, each up to its own limit in Context Budget.",
    )
    score_mode: ScoreMode = config_field(
        ScoreMode.PRODUCT,
        group="Score-Based Selection",
        enum=ScoreMode,
        doc="PRODUCT multiplies tier weight, importance, recency, relevance and supersession as they are. "
        "BALANCED bounds tier, importance and recency so that they only nudge the order that relevance "
        "gives.",
    )
    tier_weights: list[float] = config_field(
        [3.0, 2.0, 1.0],
        group="Score-Based Selection",
        range=(0.0, 100.0, 0.1),
        doc="Weight of a PINNED, an IMPORTANT and a REGULAR memory in the score, in this order.",
    )
    recency_half_life_days: float = config_field(
        7.0,
        group="Score-Based Selection",
        range=(0.001, 36500.0, 0.001),
        hint="suffix:days",
        doc="Days after which the part of the recency that fades has halved.",
    )
    recency_floor: float = config_field(
        0.3,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Recency that the oldest memory keeps. 1 switches fading off.",
    )
    relevance_floor: float = config_field(
        0.3,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Relevance that an unrelated memory keeps. 1 switches relevance off.",
    )
    superseded_score_multiplier: float = config_field(
        0.1,
        group="Score-Based Selection",
        range=(0.0, 1.0, 0.01),
        doc="Factor on the score of a memory that a later one has superseded, like a promise that was "
        "broken.",
    )

    use_dual_representation: bool = config_field(
        True,
        group="Dual Representation",
        doc="Render the short form of a memory unless it is highly relevant. When off, the full text is "
        "always used.",
    )
    high_relevance_threshold: float = config_field(
        0.85,
        group="Dual Representation",
        range=(0.0, 1.0, 0.01),
        doc="Similarity from which a memory is rendered in full, if the budget has room for it.",
    )
    short_summary_target_length: int = config_field(
        80,
        group="Dual Representation",
        range=(1, 100000, 1),
        hint="suffix:characters",
        doc="Length that the short form of a memory aims at. A text that is not longer is its own short "
        "form.",
    )
    short_summary_max_length: int = config_field(
        100,
        group="Dual Representation",
        range=(1, 100000, 1),
        hint="suffix:characters",
        doc="Length that a generated short form never exceeds.",
    )

    use_bounded_collection: bool = config_field(
        True,
        group="Bounded Collection",
        doc="Collect candidates from three bounded sources: protected slots, recent high-signal events and "
        "the most relevant memories. When off, every memory of the NPC is a candidate, which is slow "
        "for thousands of them.",
    )
    high_signal_recency_days: int = config_field(
        7,
        group="Bounded Collection",
        range=(0, 36500, 1),
        hint="suffix:days",
        doc="Age up to which a high-signal event is a candidate whatever is being talked about.",
    )
    high_signal_event_types: list[str] = config_field(
        ["betrayal", "life_saved", "secret_revealed", "promise_made", "promise_broken", "saved_life"],
        group="Bounded Collection",
        doc="Event types that stay candidates while they are recent, even when they are not relevant.",
    )
    high_signal_limit: int = config_field(
        10,
        group="Bounded Collection",
        range=(0, 1000, 1),
        doc="Most high-signal events that become candidates, newest first, over all their types together.",
    )
    semantic_top_k: int = config_field(
        15,
        group="Bounded Collection",
        range=(0, 1000, 1),
        doc="Number of candidates taken for being most relevant to the context.",
    )
    min_semantic_importance: int = config_field(
        3,
        group="Bounded Collection",
        range=(1, 10, 1),
        doc="Least importance of a memory that becomes a candidate for being relevant.",
    )

    protected_slot_types: list[str] = config_field(
        ["relationship_header", "player_name", "npc_death_status"],
        group="Protected Memories",
        doc="Slots whose newest memory is always returned, before all others and whatever the budget. "
        "relationship_header stands for the generated header of generate_relationship_header().",
    )

    milestone_event_types: list[str] = config_field(
        [
            "betrayal",
            "saved_life",
            "life_saved",
            "romance_confession",
            "witnessed_kill",
            "secret_revealed",
            "first_meeting",
            "first_gift",
            "first_quest",
        ],
        group="Milestones",
        doc="Event types that make a stored memory a milestone and emit milestone_created.",
    )
    family_words: list[str] = config_field(
        [],
        group="Milestones",
        doc='Words for the NPC\'s own family in the language of the game, such as "mein Vater". A sentence '
        "with one of them and one of death_words makes a memory a milestone of type family_death. English "
        "needs none.",
    )
    death_words: list[str] = config_field(
        [],
        group="Milestones",
        doc='Words for dying in the language of the game, such as "gestorben" or "getötet"; see '
        "family_words.",
    )
    death_denial_words: list[str] = config_field(
        [],
        group="Milestones",
        doc='Words with which a sentence tells of no death after all, such as "nicht" or "fast"; see '
        "family_words.",
    )

    pinned_event_types: list[str] = config_field(
        [
            "betrayal",
            "saved_life",
            "life_saved",
            "romance_confession",
            "witnessed_kill",
            "secret_revealed",
            "first_meeting",
            "first_gift",
            "first_quest",
        ],
        group="Tier Rules",
        doc="Event types whose memories are PINNED.",
    )
    important_event_types: list[str] = config_field(
        ["quest_completed", "quest_failed", "gift_received", "emotional_support", "romantic_gesture"],
        group="Tier Rules",
        doc="Event types whose memories are IMPORTANT.",
    )
    importance_threshold_for_tier: int = config_field(
        8,
        group="Tier Rules",
        range=(1, 11, 1),
        doc="Importance from which any memory is IMPORTANT. 11 switches this rule off.",
    )

    use_analysis_for_tier_detection: bool = config_field(
        True,
        group="Response Analysis",
        doc="Let the interaction_type that a language model reported decide the tier, before the event type"
        " does.",
    )
    pinned_interactions: list[str] = config_field(
        ["betrayal", "life_saved", "romance_confession"],
        group="Response Analysis",
        doc="Interaction types whose memories are PINNED.",
    )
    important_interactions: list[str] = config_field(
        ["gift_given", "emotional_support", "romantic_gesture", "threat_made", "secret_shared"],
        group="Response Analysis",
        doc="Interaction types whose memories are IMPORTANT.",
    )
    max_answer_chars: int = config_field(
        65536,
        group="Response Analysis",
        range=(100, 10000000, 1),
        hint="suffix:characters",
        doc="Most characters of a language model's answer that ContextBuilder.parse_response() reads. The "
        "rest is cut off, with a warning.",
    )

    event_type_importance: dict[str, int] = config_field(
        {
            "conversation": 6,
            "witnessed_event": 7,
            "player_action": 8,
            "quest": 8,
            "quest_started": 8,
            "quest_completed": 8,
            "quest_failed": 8,
            "npc_awareness": 8,
            "milestone": 10,
            "betrayal": 9,
            "saved_life": 9,
            "life_saved": 9,
            "witnessed_kill": 9,
            "romance_confession": 9,
            "secret_revealed": 8,
            "first_meeting": 8,
            "first_gift": 8,
            "first_quest": 8,
            "promise_broken": 8,
            "promise_made": 7,
            "gift_received": 7,
            "gift_given": 7,
            "emotional_support": 7,
            "romantic_gesture": 7,
            "threat_made": 7,
            "secret_shared": 7,
        },
        group="Importance Signals",
        range=(1, 10, 1),
        doc="Importance of an event by its type, before what it changed is added.",
    )
    default_event_importance: int = config_field(
        5,
        group="Importance Signals",
        range=(1, 10, 1),
        doc="Importance of an event whose type is not in event_type_importance, before what it changed is "
        "added.",
    )
    relationship_delta_threshold: int = config_field(
        15,
        group="Importance Signals",
        range=(0, 1000, 1),
        doc="Sum of the changes of trust, affection and fear from which importance_boost_relationship "
        "applies.",
    )
    importance_boost_relationship: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that moved the relationship by "
        "relationship_delta_threshold.",
    )
    importance_boost_secret: int = config_field(
        3,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that revealed a secret.",
    )
    importance_boost_obligation: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that created an obligation.",
    )
    importance_boost_quest: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that started or completed a quest.",
    )
    importance_boost_injury: int = config_field(
        3,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that injured an NPC.",
    )
    importance_boost_death: int = config_field(
        4,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event that killed an NPC.",
    )
    importance_boost_player_name: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event in which the NPC learned the player's name.",
    )
    importance_boost_promise: int = config_field(
        2,
        group="Importance Signals",
        range=(0, 9, 1),
        doc="Added to the importance of an event in which a promise was made or broken.",
    )

    max_memories_before_consolidate: int = config_field(
        50,
        group="Memory Consolidation",
        range=(1, 1000000, 1),
        doc="Number of memories above which needs_consolidation() is true.",
    )
    consolidate_target: int = config_field(
        20,
        group="Memory Consolidation",
        range=(1, 1000000, 1),
        doc="Number of memories that consolidation aims to leave.",
    )
    consolidation_age_days: int = config_field(
        7,
        group="Memory Consolidation",
        range=(0, 36500, 1),
        hint="suffix:days",
        doc="Age from which conversations of one day and topic are merged into a summary, however many "
        "memories there are. Of too many memories those of the lowest score are merged at any age.",
    )
    consolidation_min_count: int = config_field(
        3,
        group="Memory Consolidation",
        range=(2, 1000, 1),
        doc="Least number of old conversations of one day and topic that are merged into a summary.",
    )
    auto_consolidate: bool = config_field(
        False,
        group="Memory Consolidation",
        doc="Consolidate by itself after a store() that went above max_memories_before_consolidate.",
    )
    summarizer_timeout_seconds: float = config_field(
        30.0,
        group="Memory Consolidation",
        range=(0.1, 3600, 0.1),
        doc="How long MemoryServer.summarizer may take to write one summary, in real seconds. After that the "
        "summary consists of the memories' own sentences.",
    )

    check_names: bool = config_field(
        True,
        group="Schema Constraints",
        doc="Once MemoryServer.register_people() has said who exists, memories that speak of people nobody "
        "knows are not stored, and misspelled names are corrected. A memory with check_names = false is not "
        "checked.",
    )
    valid_interaction_types: list[str] = config_field(
        list(INTERACTION_TYPE_MEANINGS),
        group="Schema Constraints",
        doc="Interaction types that a language model may report. validate_interaction_type() turns any "
        "other into casual_conversation.",
    )
    interaction_type_similarity_threshold: float = config_field(
        0.8,
        group="Schema Constraints",
        range=(0.0, 1.0, 0.01),
        doc="Similarity above which a debug build names the valid interaction type that an invalid one "
        "resembles. It is never mapped silently.",
    )

    event_trust_changes: dict[str, int] = config_field(
        {"gift_given": 2, "betrayal": -15, "life_saved": 15},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What an event adds to trust by its type, for get_deterministic_deltas().",
    )
    event_affection_changes: dict[str, int] = config_field(
        {"gift_given": 5, "betrayal": -10, "life_saved": 10},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What an event adds to affection by its type, for get_deterministic_deltas().",
    )
    event_fear_changes: dict[str, int] = config_field(
        {"life_saved": -5},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What an event adds to fear by its type, for get_deterministic_deltas().",
    )
    event_respect_changes: dict[str, int] = config_field(
        {},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What an event adds to respect by its type, for get_deterministic_deltas().",
    )
    event_familiarity_changes: dict[str, int] = config_field(
        {},
        group="Delta Clamping",
        range=(-200, 200, 1),
        doc="What an event adds to familiarity by its type, for get_deterministic_deltas().",
    )

    max_trust_change: int = config_field(
        15,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may add to trust or take from it.",
    )
    max_affection_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may add to affection or take from it.",
    )
    max_fear_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may add to fear or take from it.",
    )
    max_respect_change: int = config_field(
        10,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may add to respect or take from it.",
    )
    max_familiarity_change: int = config_field(
        5,
        group="Delta Clamping",
        range=(0, 200, 1),
        doc="Most that one interaction may add to familiarity or take from it.",
    )

    slot_types: list[str] = config_field(
        ["player_name", "player_allegiance", "npc_belief_about_player", "current_quest_for_npc"],
        group="Conflict Resolution",
        doc="Slots that hold one current value: store_with_conflict_check() replaces the old one.",
    )
    supersession_pairs: dict[str, str] = config_field(
        {
            "promise_made": "promise_broken",
            "trust_gained": "trust_lost",
            "alliance_formed": "alliance_broken",
            "secret_kept": "secret_revealed",
        },
        group="Conflict Resolution",
        doc="Event types and the event types that supersede them: the older memory is kept with a lower "
        "score.",
    )
    ending_event_types: dict[str, str] = config_field(
        {"promise_kept": "promise_made", "promise_fulfilled": "promise_made"},
        group="Conflict Resolution",
        doc="More event types that end another one, and which: a promise that was kept is as settled as one "
        "that was broken. As in supersession_pairs, the older memory is kept with a lower score.",
    )

    relevance_mode: RelevanceMode = config_field(
        RelevanceMode.HYBRID,
        group="Relevance",
        enum=RelevanceMode,
        doc="HYBRID blends sentence similarity (with known names left out of the question), keywords, names "
        "and conversations. DENSE uses sentence similarity alone: relevance is 1 - distance.",
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
        doc="Added to HYBRID relevance when somebody whom the question names speaks in the memory; half of "
        "it when they are one of its participants or entities.",
    )
    episode_prior: float = config_field(
        0.05,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="Added to HYBRID relevance when every word of the question occurs in the memory's conversation, "
        "and a part of it when some do.",
    )
    neighbour_window: int = config_field(
        2,
        group="Relevance",
        range=(0, 5, 1),
        doc="Number of memories stored before and after one that count for it in HYBRID relevance, as far as "
        "they are no more than conversation_gap_minutes away from it. 0 takes every memory by itself.",
    )
    neighbour_weight: float = config_field(
        0.6,
        group="Relevance",
        range=(0.0, 1.0, 0.01),
        doc="What the next memory of a conversation counts beside the memory itself; one further away counts "
        "this to the power of its distance.",
    )
    conversation_gap_minutes: float = config_field(
        10.0,
        group="Relevance",
        range=(0.0, 1000000.0, 0.1),
        hint="suffix:minutes",
        doc="Minutes of the game's time between two memories after which another conversation has begun.",
    )

    exact_search_limit: int = config_field(
        40000,
        group="Search",
        range=(0, 1000000, 1),
        doc="Number of memories of one NPC up to which search compares with every one of them. Above it an "
        "HNSW index answers.",
    )
    hnsw_m: int = config_field(
        24,
        group="Search",
        range=(2, 100, 1),
        doc="Links per memory in the HNSW index. More links find more and need more memory.",
    )
    hnsw_ef_construction: int = config_field(
        200,
        group="Search",
        range=(4, 2000, 1),
        doc="Breadth of the search that places a memory in the HNSW index. Higher is slower to build and "
        "finds more.",
    )
    hnsw_ef_search: int = config_field(
        450,
        group="Search",
        range=(1, 10000, 1),
        doc="Breadth of a search in the HNSW index. Higher is slower and finds more.",
    )

    def validated(self) -> MemoryConfig:
        """This config with every value in its declared type.

        Raises:
            ConfigError: a value has the wrong type or lies outside its range; names field, value and range.
        """
        values = {each.name: validate_field(each, getattr(self, each.name)) for each in config_fields()}
        if len(values["tier_weights"]) != 3:
            raise ConfigError(
                f"MemoryConfig.tier_weights has {len(values['tier_weights'])} values",
                "it needs exactly three: for PINNED, IMPORTANT and REGULAR memories",
                "Set it to three numbers, for example [3.0, 2.0, 1.0]",
            )
        if values["dense_weight"] + values["keyword_weight"] <= 0.0:
            raise ConfigError(
                "MemoryConfig.dense_weight and keyword_weight are both 0",
                "HYBRID relevance needs at least one channel",
                "Raise one of them, for example dense_weight to 0.5",
            )
        _warn_of_invalid_types(
            tuple(values["pinned_interactions"]),
            tuple(values["important_interactions"]),
            tuple(values["valid_interaction_types"]),
        )
        return MemoryConfig(**values)

    def get_tier_for_event(self, event_type: str, importance: int, interaction_type: str = "") -> int:
        """The tier of an event without a milestone marker: 0 PINNED, 1 IMPORTANT or 2 REGULAR."""
        use_analysis = self.use_analysis_for_tier_detection and interaction_type != ""
        if use_analysis and interaction_type in self.pinned_interactions:
            return TIER_PINNED
        if event_type in self.pinned_event_types:
            return TIER_PINNED
        if use_analysis and interaction_type in self.important_interactions:
            return TIER_IMPORTANT
        if event_type in self.important_event_types:
            return TIER_IMPORTANT
        if importance >= self.importance_threshold_for_tier:
            return TIER_IMPORTANT
        return TIER_REGULAR

    def validate_interaction_type(self, type: str) -> str:
        """The type itself when it is valid, else "casual_conversation" with a logged warning."""
        if self.is_valid_interaction_type(type):
            return type
        alike = resembling(type, self.valid_interaction_types, self.interaction_type_similarity_threshold)
        _LOG.warning(
            "Invalid interaction_type %r: it is not in valid_interaction_types, so %s is used.",
            type,
            DEFAULT_INTERACTION_TYPE,
        )
        if alike:
            _DEVELOPMENT_LOG.warning("It resembles %s. Correct the prompt.", ", ".join(alike))
        return DEFAULT_INTERACTION_TYPE

    def is_valid_interaction_type(self, type: str) -> bool:
        """Whether the type is one of valid_interaction_types."""
        return type in self.valid_interaction_types

    def clamp_relationship_deltas(self, analysis: Mapping[str, Any]) -> dict[str, int | float]:
        """The five proposed changes of a relationship, each within its limit.

        A missing one is 0, and so is one that is no number, with a logged warning: a language model proposes
        them.
        """
        limits = {
            "trust_change": self.max_trust_change,
            "affection_change": self.max_affection_change,
            "fear_change": self.max_fear_change,
            "respect_change": self.max_respect_change,
            "familiarity_change": self.max_familiarity_change,
        }
        clamped: dict[str, int | float] = {}
        for name, limit in limits.items():
            change = analysis.get(name, 0)
            if isinstance(change, bool) or not isinstance(change, int | float) or math.isnan(change):
                _LOG.warning(
                    "clamp_relationship_deltas(): %s is %r, which is no number, so 0 is used. Correct the "
                    "prompt, or leave it out.",
                    name,
                    change,
                )
                change = 0
            clamped[name] = max(-limit, min(limit, change))
        return clamped

    def get_interaction_type_constraint_prompt(self) -> str:
        """Instructions for a language model that list the interaction types it may report."""
        return constraint_prompt(self.valid_interaction_types)

    def is_slot_type(self, slot_type: str) -> bool:
        """Whether the slot holds one current value that a new one replaces."""
        return slot_type in self.slot_types

    def get_superseded_event_type(self, event_type: str) -> str:
        """The event type that this one supersedes ("promise_made" for "promise_broken"), or ""."""
        superseded = (old for old, new in self.supersession_pairs.items() if new == event_type)
        return next(superseded, self.ending_event_types.get(event_type, ""))

    def get_superseding_event_type(self, event_type: str) -> str:
        """The event type that supersedes this one ("promise_broken" for "promise_made"), or ""."""
        return self.supersession_pairs.get(event_type, "")

    def is_pinned_event(self, event_type: str) -> bool:
        """Whether memories of this event type are PINNED."""
        return event_type in self.pinned_event_types

    def is_important_event(self, event_type: str) -> bool:
        """Whether memories of this event type are IMPORTANT."""
        return event_type in self.important_event_types


@functools.lru_cache(256)
def _warn_of_invalid_types(
    pinned: tuple[str, ...], important: tuple[str, ...], valid: tuple[str, ...]
) -> None:
    """Once for the same lists: a config is validated for every NPC."""
    for name, types in (("pinned_interactions", pinned), ("important_interactions", important)):
        unreachable = [type for type in types if type not in valid]
        if unreachable:
            _LOG.warning(
                "MemoryConfig.%s has %s, which valid_interaction_types has not, so that no memory ever gets "
                "it. Add it there.",
                name,
                ", ".join(map(repr, unreachable)),
            )


def config_fields() -> tuple[ConfigField, ...]:
    """Every field of MemoryConfig in inspector order, with its type, default, group, range and
    documentation.
    """
    return _FIELDS


def _config_fields() -> tuple[ConfigField, ...]:
    types = typing.get_type_hints(MemoryConfig)
    return tuple(
        ConfigField(name=each.name, type=types[each.name], **each.metadata)
        for each in dataclasses.fields(MemoryConfig)
    )


_FIELDS = _config_fields()

"""Milestones and tiers."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field
from rag_memory.game_rules import GAME_RULES

TIER_PINNED = 0
TIER_IMPORTANT = 1
TIER_REGULAR = 2


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class TierRules:
    """Rules that make a memory a milestone, PINNED or IMPORTANT."""

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
        doc="Event types that make a stored memory a milestone. The signal milestone_created is emitted.",
    )
    family_words: list[str] = config_field(
        [],
        group="Milestones",
        doc="Words for the NPC's own family in the game's language, such as \"mein Vater\". A sentence with "
        "one of them and one of death_words makes the memory a milestone of type family_death. English "
        "needs none.",
    )
    death_words: list[str] = config_field(
        [],
        group="Milestones",
        doc='Words for dying in the game\'s language, such as "gestorben" or "getötet". See family_words.',
    )
    death_denial_words: list[str] = config_field(
        [],
        group="Milestones",
        doc='Words that deny a death, such as "nicht" or "fast". A sentence with one of them makes no '
        "milestone. See family_words.",
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
        doc="Let the interaction_type that a language model reported decide the tier before the event type "
        "does.",
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
        doc="Most characters of a language model's answer that NPCContextBuilder.parse_response() reads. The "
        "rest is cut off, with a warning.",
    )

    def get_tier_for_event(self, event_type: str, importance: int, interaction_type: str = "") -> int:
        """The tier of an event without a milestone marker: 0 PINNED, 1 IMPORTANT or 2 REGULAR."""
        ruled = GAME_RULES.ask("tier", event_type, importance, interaction_type)
        if ruled is not None:
            return int(ruled)
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

    def is_pinned_event(self, event_type: str) -> bool:
        """Return True if memories of this event type are PINNED."""
        return event_type in self.pinned_event_types

    def is_important_event(self, event_type: str) -> bool:
        """Return True if memories of this event type are IMPORTANT."""
        return event_type in self.important_event_types

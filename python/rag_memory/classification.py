"""What kind of memory an event is: its tier, and whether it is a milestone."""

from __future__ import annotations

from typing import NamedTuple

from .config import TIER_PINNED, MemoryConfig

_FIRST_MILESTONES = {
    "meeting": "first_meeting",
    "gift_given": "first_gift",
    "gift_received": "first_gift",
    "quest_started": "first_quest",
    "quest_completed": "first_quest",
    "quest_failed": "first_quest",
    "quest_related": "first_quest",
}


class Milestone(NamedTuple):
    """Whether a memory is a milestone, of which type, and whether the caller said so."""

    is_milestone: bool
    type: str
    is_explicit: bool


def detect_milestone(
    config: MemoryConfig, event_type: str, is_milestone: bool | None, milestone_type: str, is_first: bool
) -> Milestone:
    """The milestone of an event: what the caller said, else what its event type implies.

    A caller says it with `is_milestone`, with a `milestone_type`, or with `is_first` (the first gift, the
    first quest). `is_milestone=False` overrules all of them.
    """
    if is_milestone is False:
        return Milestone(False, "", False)
    if is_milestone or milestone_type or is_first:
        return Milestone(True, milestone_type or (_first_of(event_type) if is_first else event_type), True)
    if event_type in config.milestone_event_types:
        return Milestone(True, event_type, False)
    return Milestone(False, "", False)


def detect_tier(
    config: MemoryConfig, milestone: Milestone, event_type: str, interaction_type: str, importance: int
) -> int:
    """The tier by seven priorities, the first that applies:

    1 explicit milestone: PINNED; 2 pinned interaction: PINNED; 3 pinned event type: PINNED; 4 important
    interaction: IMPORTANT; 5 important event type: IMPORTANT; 6 importance at the threshold: IMPORTANT; 7
    otherwise REGULAR.
    """
    if milestone.is_explicit:
        return TIER_PINNED
    return config.get_tier_for_event(event_type, importance, interaction_type)


def _first_of(event_type: str) -> str:
    if event_type.startswith("first_"):
        return event_type
    return _FIRST_MILESTONES.get(event_type, f"first_{event_type}")

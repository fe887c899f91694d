"""The selection of candidates for an answer."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class BoundedCollection:
    """Limits of each source of candidates, and the slots that are always returned."""

    use_bounded_collection: bool = config_field(
        True,
        group="Bounded Collection",
        doc="Collect candidates from three small sources: protected slots, recent high-signal events and "
        "the most relevant memories. When off, every memory of the NPC is a candidate. That is slow for "
        "thousands of memories.",
    )
    high_signal_recency_days: int = config_field(
        7,
        group="Bounded Collection",
        range=(0, 36500, 1),
        hint="suffix:days",
        doc="Age up to which a high-signal event is a candidate, whatever the question is.",
    )
    high_signal_event_types: list[str] = config_field(
        ["betrayal", "life_saved", "secret_revealed", "promise_made", "promise_broken", "saved_life"],
        group="Bounded Collection",
        doc="Event types whose recent memories are candidates even when they are not relevant.",
    )
    high_signal_limit: int = config_field(
        10,
        group="Bounded Collection",
        range=(0, 1000, 1),
        doc="Most high-signal events that become candidates, over all their types. The newest come first.",
    )
    semantic_top_k: int = config_field(
        15,
        group="Bounded Collection",
        range=(0, 1000, 1),
        doc="Number of memories that become candidates because they are the most relevant ones.",
    )
    min_semantic_importance: int = config_field(
        3,
        group="Bounded Collection",
        range=(1, 10, 1),
        doc="Least importance a memory needs to become a candidate by relevance.",
    )

    protected_slot_types: list[str] = config_field(
        ["relationship_header", "player_name", "npc_death_status"],
        group="Protected Memories",
        doc="Slots whose newest memory is always returned: first, and whatever the budget. "
        "relationship_header stands for the line that generate_relationship_header() makes.",
    )

"""Merging old memories."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field

WRITTEN = "written"
"""Stands in `lasting_kinds` for what the game stored with a text of its own."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class MemoryConsolidation:
    """Limits at which memories are merged into summaries."""

    max_memories_before_consolidate: int = config_field(
        50,
        group="Memory Consolidation",
        range=(1, 1000000, 1),
        doc="With more memories than this, needs_consolidation() is true.",
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
        doc="Conversations older than this are merged by day and topic, however few memories there are. "
        "Above max_memories_before_consolidate, memories with the lowest scores are merged at any age.",
    )
    consolidation_min_count: int = config_field(
        3,
        group="Memory Consolidation",
        range=(2, 1000, 1),
        doc="Least number of old conversations of one day and topic that make a summary.",
    )
    lasting_kinds: list[str] = config_field(
        ["fact", "reflection", "episode", WRITTEN],
        group="Memory Consolidation",
        doc="Kinds of memories that consolidation never merges and maintenance never lets fade. `written` "
        "stands for what the game stored with a text of its own, in contrast to conversations, perceived "
        "events and what was read out of talk. Without an entry, memories of that kind are merged, too.",
    )
    auto_consolidate: bool = config_field(
        False,
        group="Memory Consolidation",
        doc="Consolidate in the background when a store() goes above max_memories_before_consolidate.",
    )
    max_memories: int = config_field(
        0,
        group="Memory Consolidation",
        range=(0, 1000000, 1),
        doc="Most memories that an NPC keeps, for people in the background; 0 for no limit. While nobody "
        "asks, those above it go into the archive: first what consolidation may merge, then the others, the "
        "lowest scores first. What is pinned, milestones, the player's name and the like, first meetings and "
        "open promises and debts stay, however many they are.",
    )
    summarizer_timeout_seconds: float = config_field(
        30.0,
        group="Memory Consolidation",
        range=(0.1, 3600, 0.1),
        doc="Real seconds that MemoryServer.summarizer may take for one summary. After that the summary is "
        "made of sentences from the memories. MemoryServer.reflector and sentiment_analyzer have as long.",
    )

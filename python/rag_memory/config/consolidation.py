"""Merging old memories."""

from __future__ import annotations

from dataclasses import dataclass

from rag_memory.config.config_field import config_field


@dataclass(frozen=True, kw_only=True)
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
    auto_consolidate: bool = config_field(
        False,
        group="Memory Consolidation",
        doc="Consolidate in the background when a store() goes above max_memories_before_consolidate.",
    )
    summarizer_timeout_seconds: float = config_field(
        30.0,
        group="Memory Consolidation",
        range=(0.1, 3600, 0.1),
        doc="Real seconds that MemoryServer.summarizer may take for one summary. After that the summary is "
        "made of sentences from the memories. MemoryServer.reflector and sentiment_analyzer have as long.",
    )

"""Memories as harmless lines of a prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.document import TIMELESS
from rag_memory.memory.memory_view import age, date_text
from rag_memory.memory.occurrences import OCCURRENCES
from rag_memory.memory.repetition import EVERYDAY
from rag_memory.text.dedup_key import dedup_key
from rag_memory.text.harmless import harmless

_NUMBER = lazy_pattern(r"\d+")
_TIERS = {"pinned": "tier_pinned", "important": "tier_important", "relevant": "tier_relevant"}
"""The lists of RAGMemory.retrieve_tiered() in their order, and the keys of their headings."""


def memory_line(
    config: MemoryConfig, memory: Mapping[str, Any], form: str, now: float, alike: int = 0
) -> str:
    """Returns the line of a retrieved memory; `form` is the key of the text to show. Without a finite `now`
    it says nothing of the memory's age. `alike` is how many memories say much the same.
    """
    metadata = memory.get("metadata", {})
    line = harmless(str(memory.get(form, memory.get("document", ""))))
    if metadata.get("superseded_by"):
        line = f"({config.sentence('no_longer_holds')}) {line}"
    if not math.isfinite(now) or metadata.get("timestamp", TIMELESS) <= TIMELESS:
        return f"- {line}"
    occurrences = metadata.get(OCCURRENCES) or {}
    count = occurrences.get("count", metadata.get("repeat_count", 1))
    last = max([metadata["timestamp"], *occurrences.get("times", [])])
    when = when_text(config, now, last, count, alike)
    return f"- ({when}) {line}"


def tiered_memories(config: MemoryConfig, tiered: Mapping[str, Any], now: float) -> str:
    """Returns the memories of RAGMemory.retrieve_tiered() as text: a heading for each tier that has some, and
    a line for each memory.
    """
    parts = []
    for tier, heading in _TIERS.items():
        lines = [memory_line(config, memory, "rendered_text", now) for memory in tiered.get(tier, [])]
        if lines:
            parts.append("\n".join([config.sentence(heading), *lines]))
    return "\n\n".join(parts)


def likeness_key(event_type: str, importance: int, text: str) -> tuple[str, ...]:
    """Returns a key that memories share which say much the same: of everyday things, with other numbers."""
    return (event_type, *dedup_key(_NUMBER.sub("", text))) if importance <= EVERYDAY else ("", text)


def when_text(config: MemoryConfig, now: float, last: float, count: int, alike: int) -> str:
    """Returns when something happened last, and how often; `alike` is how many memories say much the same."""
    when = age(config, max(0.0, now - last))
    if alike:
        return config.sentence("much_the_same", age=when, often=config.often(alike + count - 1))
    if count == 1:
        return when
    return config.sentence("repeated", often=config.often(count), date=date_text(config, last), age=when)

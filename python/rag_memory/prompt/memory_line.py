"""Memories as harmless lines of a prompt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rag_memory.config.wording import Wording
from rag_memory.memory.memory_view import age
from rag_memory.text.harmless import harmless

_TIERS = {"pinned": "tier_pinned", "important": "tier_important", "relevant": "tier_relevant"}
"""The lists of RAGMemory.retrieve_tiered() in their order, and the keys of their headings."""


def memory_line(config: Wording, memory: Mapping[str, Any], form: str, now: float) -> str:
    """Returns the line of a retrieved memory; `form` is the key of the text to show. Without a finite `now`
    it says nothing of the memory's age.
    """
    metadata = memory.get("metadata", {})
    line = harmless(str(memory.get(form, memory.get("document", ""))))
    if metadata.get("superseded_by"):
        line = f"({config.sentence('no_longer_holds')}) {line}"
    if not math.isfinite(now) or "timestamp" not in metadata:
        return f"- {line}"
    return f"- ({age(config, now - metadata['timestamp'])}) {line}"


def tiered_memories(config: Wording, tiered: Mapping[str, Any], now: float) -> str:
    """Returns the memories of RAGMemory.retrieve_tiered() as text: a heading for each tier that has some, and
    a line for each memory.
    """
    parts = []
    for tier, heading in _TIERS.items():
        lines = [memory_line(config, memory, "rendered_text", now) for memory in tiered.get(tier, [])]
        if lines:
            parts.append("\n".join([config.sentence(heading), *lines]))
    return "\n\n".join(parts)

"""The numbers of a relationship in words, and how the NPC is to behave because of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rag_memory.config.sentences import ENGLISH
from rag_memory.config.wording import Wording

_LOWEST = -math.inf
_SENTENCES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "trust": (
        (90, "trust_with_life"),
        (70, "trust_deeply"),
        (60, "trust_well"),
        (40, ""),
        (20, "trust_warily"),
        (0, "trust_hardly"),
        (_LOWEST, "trust_not"),
    ),
    "respect": (
        (70, "respect_admired"),
        (50, "respect_well"),
        (0, ""),
        (-40, "respect_little"),
        (_LOWEST, "respect_despised"),
    ),
    "affection": (
        (80, "affection_dear"),
        (50, "affection_fond"),
        (35, "affection_liked"),
        (-19, ""),
        (-50, "affection_disliked"),
        (_LOWEST, "affection_hated"),
    ),
    "fear": ((75, "fear_terrified"), (40, "fear_afraid"), (20, "fear_uneasy"), (_LOWEST, "")),
    "familiarity": (
        (80, "familiarity_family"),
        (60, "familiarity_well"),
        (30, "familiarity_known"),
        (_LOWEST, "familiarity_hardly"),
    ),
}
"""By dimension: from which number on, and the key of the sentence; the largest number first. The middle of a
dimension goes without saying."""


def relationship_sentences(relationship: Mapping[str, Any], config: Wording) -> list[str]:
    """Return a sentence for every dimension of a relationship that is worth one."""
    sentences = []
    for dimension, steps in _SENTENCES.items():
        value = relationship.get(dimension)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            continue
        key = next(key for least, key in steps if value >= least)
        if key:
            sentences.append(config.sentence(key))
    return sentences


def guidance(relationship: Mapping[str, Any], config: Wording) -> list[str]:
    """Return the lines on how the NPC behaves, by the status of the relationship and whether they met."""
    keys = ["guidance_always"]
    by_status = f"guidance_{relationship.get('status', '')}"
    if by_status in ENGLISH:
        keys.insert(0, by_status)
    if not relationship.get("met", True):
        keys.insert(0, "guidance_stranger")
    return [config.sentence(key) for key in keys]

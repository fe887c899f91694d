"""The types of interaction a language model may report."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable

_LOG = logging.getLogger("rag_memory")
DEFAULT = "casual_conversation"

MEANINGS = {
    "casual_conversation": "Friendly talk about nothing in particular",
    "quest_related": "Talk about a quest or one of its objectives",
    "gift_given": "The player gave the NPC something",
    "emotional_support": "The player comforted or helped the NPC",
    "romantic_gesture": "Flirting, compliments or romantic interest",
    "threat_made": "Hostility or intimidation",
    "secret_shared": "Private information was revealed",
    "betrayal": "Trust or a promise was broken",
    "life_saved": "Somebody was rescued from danger",
    "romance_confession": "A declaration of romantic feelings",
}


def resembling(type: str, valid: Iterable[str], threshold: float) -> list[str]:
    """The valid types that are more alike to `type` than the threshold (0..1)."""
    return [other for other in valid if _bigram_similarity(type, other) > threshold]


@functools.lru_cache(256)
def warn_of_invalid_types(name: str, types: tuple[str, ...], valid: tuple[str, ...]) -> None:
    """Warn of types in a list of MemoryConfig that no memory ever gets. The same list is warned of once,
    because a config is validated for every NPC.
    """
    unreachable = [type for type in types if type not in valid]
    if unreachable:
        _LOG.warning(
            "MemoryConfig.%s has %s, which valid_interaction_types has not, so that no memory ever gets it. "
            "Add it there.",
            name,
            ", ".join(map(repr, unreachable)),
        )


def _bigram_similarity(left: str, right: str) -> float:
    """Shared pairs of neighbouring letters, 0..1 (Sorensen-Dice, as Godot's String.similarity())."""
    if left == right:
        return 1.0
    if len(left) < 2 or len(right) < 2:
        return 0.0
    left_pairs = [left[i : i + 2] for i in range(len(left) - 1)]
    right_pairs = [right[i : i + 2] for i in range(len(right) - 1)]
    total = len(left_pairs) + len(right_pairs)
    shared = 0
    for pair in left_pairs:
        if pair in right_pairs:
            right_pairs.remove(pair)
            shared += 1
    return 2.0 * shared / total

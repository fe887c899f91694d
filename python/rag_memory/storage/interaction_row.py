"""An entry of the log of interactions as a row of a table: the columns but the NPC's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.memory.interaction import FELT_AT, NO_EMOTION, REPEATED_THROUGH, THROUGH, Emotion, Interaction
from rag_memory.validation import list_in, mapping_in, to_json

COLUMNS = (
    *("interaction", "kind", "timestamp", "stored_at", "source_id", "source_name", "action", "content"),
    *("details", "sentiment", "strength", "reason", "known_since", "emotion"),
)

PRUNING_SLACK = 50
"""So many entries more than wished are waited for before old ones are pruned."""

_DETAIL_TYPES: Mapping[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("memory_id", "kind", "why", "description"), str),
    FELT_AT: (int, float),
    THROUGH: int,
    REPEATED_THROUGH: int,
}


def row_of(interaction: Interaction) -> tuple[Any, ...]:
    """The values of COLUMNS but the first."""
    return (
        *interaction[1:8],
        to_json(interaction.details),
        *interaction[9:13],
        "" if interaction.emotion == NO_EMOTION else to_json(interaction.emotion),
    )


def interaction_of(row: Sequence[Any]) -> Interaction:
    """An entry; what its damaged file no longer tells is empty."""
    key, kind, timestamp, stored_at, *texts, details, sentiment, strength, reason, known_since, emotion = row
    source_id, source_name, action, content = map(_text, texts)
    return Interaction(
        key,
        _text(kind),
        _number(timestamp),
        _number(stored_at),
        source_id,
        source_name,
        action,
        content,
        _details(_text(details)),
        _number(sentiment),
        max(0.0, min(100.0, _number(strength, 50.0))),
        _text(reason),
        _number(known_since),
        _emotion(_text(emotion)),
    )


def _details(text: str) -> dict[str, Any]:
    return {
        name: value
        for name, value in mapping_in(text).items()
        if isinstance(value, _DETAIL_TYPES.get(name, object))
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any, otherwise: float = 0.0) -> float:
    return value if isinstance(value, int | float) and math.isfinite(value) else otherwise


def _emotion(text: str) -> Emotion:
    match list_in(text) if text else []:
        case [str(mood), intensity, str(reason), since, until] if all(
            isinstance(number, int | float) and math.isfinite(number) for number in (intensity, since, until)
        ):
            return Emotion(mood, max(0.0, min(100.0, intensity)), reason, since, until)
    return NO_EMOTION

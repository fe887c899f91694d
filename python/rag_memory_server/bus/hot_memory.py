"""An NPC's hot memory: what others may know of her at once, in the structure that all zones share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.npc.npc_mind import NpcMind
from rag_memory.validation import to_json

MOST_INTERACTIONS = 30

_WAKING_SECONDS = 300.0
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "npcId": str,
    "emotional": dict,
    "dispositions": dict,
    "recentInteractions": list,
    "nearbyNpcs": list,
    "loadedAt": (int, float),
    "ttl": (int, float),
}


def hot_memory(
    npc_id: str, mind: NpcMind, nearby: Sequence[str], now: float, real_time: float, ttl_seconds: int
) -> dict[str, Any]:
    """The hot memory of an NPC, from her save. Times in it are milliseconds: `loadedAt` of the real clock,
    the others of the game's, as which it is `now`.
    """
    return {
        "npcId": npc_id,
        "emotional": _emotional(mind.feelings.get_emotion(), now),
        "dispositions": {
            id: {
                "feeling": feeling["feeling"],
                "strength": feeling["strength"],
                "lastInteractionAt": _milliseconds(feeling["last_interaction_at"]),
            }
            for id, feeling in mind.feelings.get_dispositions().items()
        },
        "recentInteractions": [
            _interaction(interaction)
            for interaction in reversed(mind.get_interactions("", MOST_INTERACTIONS))
        ],
        "nearbyNpcs": list(nearby),
        "loadedAt": _milliseconds(real_time),
        "ttl": ttl_seconds,
    }


def written(memory: Mapping[str, Any]) -> bytes:
    """A hot memory as the server keeps it."""
    return to_json(memory).encode("utf-8")


def read(payload: Any) -> dict[str, Any] | None:
    """A hot memory that the server had; None when it is none."""
    try:
        memory = json.loads(payload)
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(memory, dict):
        return None
    fits = all(isinstance(memory.get(key), kind) for key, kind in _KEYS.items())
    return memory if fits else None


def _emotional(emotion: Mapping[str, Any], now: float) -> dict[str, Any]:
    if not emotion["intensity"]:
        # As the document has it of one whom nothing moves.
        emotion = {
            "mood": "neutral",
            "intensity": 50,
            "reason": "just woke up",
            "expires_at": now + _WAKING_SECONDS,
        }
    return {
        "mood": emotion["mood"],
        "intensity": emotion["intensity"],
        "reason": emotion["reason"],
        "expiresAt": _milliseconds(emotion["expires_at"]),
    }


def _interaction(entry: Mapping[str, Any]) -> dict[str, Any]:
    interaction = {
        "timestamp": _milliseconds(entry["timestamp"]),
        "sourceId": entry["source_id"],
        "sourceName": entry["source_name"],
        "action": entry["action"],
    }
    return interaction | ({"content": entry["content"]} if entry["content"] else {})


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000.0)

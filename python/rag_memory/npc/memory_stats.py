"""The number of an NPC's memories, by kind."""

from __future__ import annotations

from typing import Any

from rag_memory.config.memory_config import TIER_IMPORTANT, TIER_PINNED, TIER_REGULAR, MemoryConfig
from rag_memory.retrieval.candidates import protected_slots
from rag_memory.storage.protocol import Storage

_NONE: dict[str, Any] = {
    "total": 0,
    "average_importance": 0.0,
    "oldest": 0.0,
    "newest": 0.0,
    "milestones": 0,
    "superseded": 0,
}


def memory_stats(store: Storage, npc: int | None, npc_id: str, config: MemoryConfig) -> dict[str, Any]:
    """Counts over all memories of an NPC: total, pinned, important, regular, milestones, superseded,
    protected, event_types {type: count}; average_importance; oldest and newest as timestamps (0 without
    memories).
    """
    of_all = _NONE if npc is None else store.browsing.statistics(npc)
    tiers = {} if npc is None else store.browsing.counts_by(npc, "memory_tier")
    slots = {} if npc is None else store.browsing.counts_by(npc, "slot_type")
    return {
        "npc_id": npc_id,
        **of_all,
        "pinned": tiers.get(TIER_PINNED, 0),
        "important": tiers.get(TIER_IMPORTANT, 0),
        "regular": tiers.get(TIER_REGULAR, 0),
        "protected": sum(slot in slots for slot in protected_slots(config)),
        "event_types": {} if npc is None else store.browsing.counts_by(npc, "event_type"),
    }

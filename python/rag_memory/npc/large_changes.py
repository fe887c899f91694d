"""Large changes of a disposition, recorded as events of the world that only the NPC knows of."""

from __future__ import annotations

from collections.abc import Callable

from rag_memory.searchable.records import OwnedRecords
from rag_memory.world.world import World

_IMPORTANCE = 7


def record_large_changes(records: OwnedRecords, world: World) -> Callable[[str, float], None]:
    """Make the function that is called with the character and the change of a disposition."""

    def record(other_id: str, change: float) -> None:
        least = world.config.relationship_event_threshold
        if not least or abs(change) < least:
            return
        key = "relationship_better" if change > 0 else "relationship_worse"
        npc, other = (
            world.characters.get_character(id).get("name") or id for id in (records.npc_id, other_id)
        )
        world.events.record_event(
            {
                "event_type": "relationship_changed",
                "summary": records.config.sentence(key, npc=npc, other=other),
                "actor": records.npc_id,
                "towards": other_id,
                "visibility": "private",
                "importance": _IMPORTANCE,
            }
        )

    return record

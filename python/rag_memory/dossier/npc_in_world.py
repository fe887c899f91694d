"""An NPC as a game asks her: her memory, her conversations, and what she knows of the world."""

from __future__ import annotations

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.dossier.dossiers import Dossiers
from rag_memory.searchable.save_context import SaveContext
from rag_memory.world.world import World

_IMPORTANCE = 7


class NpcInWorld(Dossiers):
    """The memory of one NPC, with the world around her."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig, world: World) -> None:
        super().__init__(save, npc_id, config)
        self._world = world
        self._retrieval.seeded_relationship = lambda: world.profiles.initial_relationship(npc_id)
        self.mind.on_disposition = self._tell_of_disposition

    def _tell_of_disposition(self, other_id: str, change: float) -> None:
        """Record a large change of what she feels as an event that she alone knows of."""
        least = self._world.config.relationship_event_threshold
        if not least or abs(change) < least:
            return
        key = "relationship_better" if change > 0 else "relationship_worse"
        npc, other = (
            self._world.characters.get_character(id).get("name") or id for id in (self.npc_id, other_id)
        )
        self._world.events.record_event(
            {
                "event_type": "relationship_changed",
                "summary": self.config.sentence(key, npc=npc, other=other),
                "actor": self.npc_id,
                "towards": other_id,
                "visibility": "private",
                "importance": _IMPORTANCE,
            }
        )

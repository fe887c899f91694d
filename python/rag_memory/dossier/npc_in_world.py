"""An NPC as a game asks her: her memory, her conversations, and what she knows of the world."""

from __future__ import annotations

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.dossier.dossiers import Dossiers
from rag_memory.npc.save_context import SaveContext
from rag_memory.world.world import World


class NpcInWorld(Dossiers):
    """The memory of one NPC, with the world around her."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig, world: World) -> None:
        super().__init__(save, npc_id, config)
        self._world = world
        self._retrieval.seeded_relationship = lambda: world.initial_relationship(npc_id)

"""The NPCs of a save, as the world needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.npc.archive import Archive
from rag_memory.npc.memories import Memories
from rag_memory.npc.npc_mind import NpcMind


class WorldNpc(Protocol):
    """One NPC, as the world uses it; implemented by `dossier.npc.Npc`."""

    @property
    def config(self) -> MemoryConfig:
        """The settings by which its memories are stored and worded."""

    @property
    def memories(self) -> Memories:
        """Its memories."""

    @property
    def archive(self) -> Archive:
        """Its archive, which lets memories fade."""

    @property
    def mind(self) -> NpcMind:
        """Its mind."""

    def reload(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""


NpcFunction = Callable[[str], WorldNpc]
"""Returns an NPC by its id."""

"""The owner of records: an NPC, the world or the lore."""

from __future__ import annotations

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.searchable.save_context import SaveContext


class RecordOwner:
    """State shared by the objects that read, search and write one owner's records."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig) -> None:
        self.save = save
        self.store = save.store
        self.npc_id = npc_id
        self.config = config
        self._number = self.store.npcs.number(npc_id)

    @property
    def number(self) -> int | None:
        """The owner's number in the save; None before its first memory. Raises a StoreError once the save is
        closed.
        """
        self.save.check_open()
        return self._number

    @number.setter
    def number(self, number: int | None) -> None:
        self._number = number

"""The stored memories, as a conflict rule reads them while a new one is written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_memory.memory.record import Record
from rag_memory.searchable.save_context import SaveContext
from rag_memory.searchable.search_index import PLAYER_NAME_SLOT, names_of_player
from rag_memory.storage.sql.records import newest_in_slot, of_info
from rag_memory.text.gazetteer import name_words
from rag_memory.text.participants import Narrator


class ConflictView:
    """Reads the memories of one owner; see memory.conflicts.StoredMemories."""

    def __init__(self, save: SaveContext, npc_id: str) -> None:
        self._save = save
        self._npc_id = npc_id
        self._records = save.store.records

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        """Every memory in a slot, in the order in which they were stored."""
        return self._records.in_slot(npc, slot_type)

    def get(self, npc: int, id: str) -> Record | None:
        """The memory with this id."""
        return self._records.get(npc, id)

    def of_info(self, npc: int, info_type: str) -> list[Record]:
        """Every memory with this info_type, in the order in which they were stored."""
        return self._records.find(npc, of_info(info_type))

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        """The memories of an event type that nothing has superseded, dated `until` or earlier."""
        return self._records.valid_of_event(npc, event_type, until)

    def event_types(self, npc: int) -> Sequence[str]:
        """The event types of the NPC's memories."""
        return list(self._save.store.browsing.counts_by(npc, "event_type"))

    def narrator(self, npc: int) -> Narrator:
        """The names of the NPC and of the player."""
        name = self._records.first(npc, newest_in_slot(PLAYER_NAME_SLOT))
        return Narrator(names_of_player(name), name_words([self._npc_id]))

    def similarities(self, record: Record, others: Sequence[Record]) -> list[float]:
        """The cosine of a stored memory and each of the others; 0 for one without a vector."""
        keys = [record.key, *(other.key for other in others)]
        vectors = self._save.store.vectors.of(keys, self._save.model)
        own = vectors.get(record.key)
        if own is None:
            return [0.0] * len(others)
        return [
            float(np.vecdot(own, vectors[other.key])) if other.key in vectors else 0.0 for other in others
        ]

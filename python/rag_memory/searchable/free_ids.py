"""Ids for new memories: readable, and never those of another."""

from __future__ import annotations

from rag_memory.memory.record import Record
from rag_memory.storage.protocol import Storage


class FreeIds:
    """The ids of one NPC: her name, the time and the event type, and a number where that is taken."""

    def __init__(self, store: Storage, npc_id: str) -> None:
        self._store = store
        self._npc_id = npc_id
        self._next_suffix: dict[str, int] = {}

    def forget(self) -> None:
        """Ids that were taken may be free again."""
        self._next_suffix.clear()

    def of(self, npc: int, record: Record) -> str:
        """An id for a record that neither a memory nor the archive has."""
        base = f"{self._npc_id}_{int(record.timestamp)}_{record.event_type}"
        number = self._next_suffix.get(base)
        if number is None:
            if not self._store.records.is_used(npc, base):
                return base
            # Many memories may share one moment: gallop past them instead of trying every number.
            number = 2
            while self._store.records.is_used(npc, f"{base}_{number}"):
                number *= 2
            taken = number // 2
            while number - taken > 1:
                middle = (taken + number) // 2
                if self._store.records.is_used(npc, f"{base}_{middle}"):
                    taken = middle
                else:
                    number = middle
        while self._store.records.is_used(npc, f"{base}_{number}"):
            number += 1
        self._next_suffix[base] = number + 1
        return f"{base}_{number}"

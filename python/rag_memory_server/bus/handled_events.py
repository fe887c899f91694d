"""Which events of the bus an NPC has perceived: noted in her save, together with what came of them."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.memory.document import HANDLED_EVENT, Document
from rag_memory.storage.protocol import Storage

KEPT_SECONDS = 3600.0
"""So long an event that was handled may come again: over another zone, or because its sender was not sure."""

_PRUNE_AFTER = 100
_PRUNED_AT_ONCE = 200


class AlreadyHandledError(Exception):
    """An event came again whose effect is in the save."""


class HandledEvents:
    """The notes of one save."""

    def __init__(self, store: Storage) -> None:
        self._store = store
        self._noted: dict[str, int] = {}

    def has(self, event_id: str) -> bool:
        """Return whether an event is in the save."""
        return self._store.documents.get(HANDLED_EVENT, event_id) is not None

    def handled(self, event_ids: Sequence[str]) -> set[str]:
        """Which of these events are in the save."""
        return self._store.documents.ids(HANDLED_EVENT, event_ids)

    def note(self, event_id: str, npc_id: str, at: float, real_time: float) -> None:
        """Note an event. Inside the transaction that writes what came of it; `real_time` in seconds.

        Raises:
            AlreadyHandledError: it is noted.
        """
        if self.has(event_id):
            raise AlreadyHandledError(event_id)
        self.note_new(event_id, npc_id, at, real_time)

    def note_new(self, event_id: str, npc_id: str, at: float, real_time: float) -> None:
        """note(), of an event that known() did not find in the same transaction."""
        content = {"at": round(real_time)}
        self._store.documents.write(Document(0, HANDLED_EVENT, event_id, npc_id, content, at, at))
        self._noted[npc_id] = self._noted.get(npc_id, 0) + 1

    def prune(self, npc_id: str, before: float) -> None:
        """Forget what was noted of an NPC before a moment of real time, when there may be much of it."""
        if self._noted.get(npc_id, 0) < _PRUNE_AFTER:
            return
        self._noted[npc_id] = 0
        with self._store.transaction():
            while True:
                oldest = self._store.documents.find(HANDLED_EVENT, npc_id, 0, _PRUNED_AT_ONCE)
                old = [event.id for event in oldest if _time_of(event) < before]
                self._store.documents.forget(HANDLED_EVENT, old)
                if len(old) < _PRUNED_AT_ONCE:
                    return


def _time_of(document: Document) -> float:
    at = document.content.get("at", 0)
    return float(at) if isinstance(at, int | float) else 0.0

"""What is kept in memory of the events of a save, so that a question about them goes through few."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from rag_memory.memory.document import Document
from rag_memory.vectors import Keys
from rag_memory.world.who_knows import ToldEvents, Window, channels

FIRST_HAND = 1.0
NO_KEY = -1
"""Of an event without a memory, which nothing finds."""


class EventIndex:
    """Which event is told through which channel, who heard of it, and when it expires."""

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        self._told = ToldEvents()
        self._expires: dict[str, float] = {}
        self._heard: dict[str, dict[str, float]] = {}

    def put(self, document: Document, key: int) -> None:
        """Note an event, whose memory has this key."""
        id = document.id
        self._keys[id] = key
        self._told.put(id, document.timestamp, document.content)
        self._expires.pop(id, None)
        if document.content["expires_day"] >= 0.0:
            self._expires[id] = document.content["expires_day"]

    def heard(self, event_id: str, heard: Mapping[str, float]) -> None:
        """Note who heard of an event, and how much each believes it."""
        for npc_id, confidence in heard.items():
            self._heard.setdefault(npc_id, {})[event_id] = confidence

    def is_witness(self, event: Document, listened: Collection[Window]) -> bool:
        """Whether somebody who listens to these knows of an event for sure."""
        told = channels(event.content)
        return any(window.channel in told and window.has(event.timestamp) for window in listened)

    def confidence(self, npc_id: str, event: Document, listened: Collection[Window]) -> float:
        """How sure an NPC is of an event; 0 when she does not know of it."""
        if self.is_witness(event, listened):
            return FIRST_HAND
        return self._heard.get(npc_id, {}).get(event.id, 0.0)

    def ids(self, npc_id: str, listened: Collection[Window], today: float) -> set[str]:
        """The events that an NPC knows of."""
        known = self._told.ids(listened)
        known.update(self._heard.get(npc_id, ()))
        known.difference_update([id for id, day in self._expires.items() if day < today])
        return known

    def keys(self, ids: Iterable[str]) -> Keys:
        """The keys of the memories of these events."""
        return np.array([self._keys[id] for id in ids], dtype=np.int64)

"""An index in memory of the events of a save, so that a question looks at few of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from rag_memory.memory.document import Document
from rag_memory.vectors import Keys
from rag_memory.world.who_knows import EventChannels, Window, channels

FIRST_HAND = 1.0
NO_KEY = -1
"""The key of an event without a searched text."""


class EventIndex:
    """Channels, hearers and expiry of each event."""

    def __init__(self) -> None:
        self._keys: dict[str, int] = {}
        self._channels = EventChannels()
        self._expires: dict[str, float] = {}
        self._heard: dict[str, dict[str, float]] = {}

    def put(self, document: Document, key: int) -> None:
        """Add or replace an event; `key` is that of its searched text."""
        id = document.id
        self._keys[id] = key
        self._channels.put(id, document.timestamp, document.content)
        self._expires.pop(id, None)
        if document.content["expires_day"] >= 0.0:
            self._expires[id] = document.content["expires_day"]

    def heard(self, event_id: str, heard: Mapping[str, float]) -> None:
        """Set who heard of an event, and how sure each hearer is of it."""
        for npc_id, confidence in heard.items():
            self._heard.setdefault(npc_id, {})[event_id] = confidence

    def is_witness(self, event: Document, listened: Collection[Window]) -> bool:
        """Return whether an event is known for sure through these windows."""
        event_channels = channels(event.content)
        return any(window.channel in event_channels and window.has(event.timestamp) for window in listened)

    def confidence(self, npc_id: str, event: Document, listened: Collection[Window]) -> float:
        """How sure an NPC is of an event, 0 to 1; 0 when it does not know of it."""
        if self.is_witness(event, listened):
            return FIRST_HAND
        return self._heard.get(npc_id, {}).get(event.id, 0.0)

    def ids(self, npc_id: str, listened: Collection[Window], today: float) -> set[str]:
        """The ids of the events that an NPC knows of."""
        ids = self._channels.ids(listened)
        ids.update(self._heard.get(npc_id, ()))
        ids.difference_update([id for id, day in self._expires.items() if day < today])
        return ids

    def keys(self, ids: Iterable[str]) -> Keys:
        """The keys of the searched texts of these events."""
        return np.array([self._keys[id] for id in ids], dtype=np.int64)

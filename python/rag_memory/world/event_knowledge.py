"""The knowledge that NPCs have of events. Nothing else decides who knows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.vectors import Keys
from rag_memory.world.event import EVENT, RUMOR, has_expired
from rag_memory.world.whereabouts import WHEREABOUTS
from rag_memory.world.who_knows import EventChannels, Window, channels, windows
from rag_memory.world.world_context import WorldContext

FIRST_HAND = 1.0
_NO_KEY = -1
"""The key of an event without a searched text."""


class EventKnowledge:
    """The knowledge that characters have of the events of a save.

    An index in memory, loaded when it is first needed, has the channels, the hearers and the expiry of each
    event, so that a question looks at few of them.
    """

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        context.call_on_reload(self._forget)
        self._forget()

    def _forget(self) -> None:
        self._is_loaded: bool = False
        self._keys: dict[str, int] = {}
        self._channels = EventChannels()
        self._expires: dict[str, float] = {}
        self._heard: dict[str, dict[str, float]] = {}

    def knows(self, npc_id: str, event_id: str) -> bool:
        """Return True if an NPC knows of an event."""
        event = self._context.all(EVENT).get(event_id)
        return (
            event is not None
            and not has_expired(event.content, self._context.day())
            and self.confidence(npc_id, event) > 0.0
        )

    def confidence(self, npc_id: str, event: Document) -> float:
        """Return how sure an NPC is of an event, 0 to 1; 0 when it does not know of it."""
        return self._confidence(npc_id, event, self._windows(npc_id))

    def ids(self, npc_id: str) -> set[str]:
        """The ids of the events that an NPC knows of."""
        self._load()
        ids = self._channels.ids(self._windows(npc_id))
        ids.update(self._heard.get(npc_id, ()))
        today = self._context.day()
        ids.difference_update([id for id, day in self._expires.items() if day < today])
        return ids

    def keys(self, ids: Iterable[str]) -> Keys:
        """The keys of the searched texts of these events."""
        self._load()
        return np.array([self._keys[id] for id in ids], dtype=np.int64)

    def views(self, events: Iterable[Document], npc_id: str) -> list[dict[str, Any]]:
        """Events as an NPC tells them; with "" as a tool shows them."""
        if not npc_id:
            today = self._context.day()
            return [
                {
                    **event.content,
                    "text": event.content["summary"],
                    "confidence": FIRST_HAND,
                    "expired": has_expired(event.content, today),
                }
                for event in events
            ]
        windows, wording = self._windows(npc_id), self._context.npc(npc_id).config
        return [
            {
                **event.content,
                "text": event.content["summary"]
                if _is_witness(event, windows)
                else wording.sentence("rumor_heard", event=event.content["summary"]),
                "confidence": self._confidence(npc_id, event, windows),
            }
            for event in events
        ]

    def note_event(self, id: str, key: int) -> None:
        """Add an event that was written to the index; `key` is that of its searched text."""
        if self._is_loaded:
            self._put(self._context.all(EVENT)[id], key)

    def note_hearers(self, event_id: str, heard: Mapping[str, float]) -> None:
        """Set in the index who heard of an event, and how sure the hearers are of it."""
        if self._is_loaded:
            self._put_hearers(event_id, heard)

    def _confidence(self, npc_id: str, event: Document, listened: Iterable[Window]) -> float:
        self._load()
        if _is_witness(event, listened):
            return FIRST_HAND
        return self._heard.get(npc_id, {}).get(event.id, 0.0)

    def _windows(self, npc_id: str) -> list[Window]:
        return windows(npc_id, self._context.content(WHEREABOUTS, npc_id) or {})

    def _load(self) -> None:
        if self._is_loaded:
            return
        events, keys = self._context.all(EVENT), self._context.searched(WORLD).keys()
        for event in events.values():
            self._put(event, keys.get(event.id, _NO_KEY))
        for rumor in self._context.all(RUMOR).values():
            if rumor.id in events:
                self._put_hearers(rumor.id, rumor.content["heard"])
        self._is_loaded = True

    def _put(self, event: Document, key: int) -> None:
        self._keys[event.id] = key
        self._channels.put(event.id, event.timestamp, event.content)
        self._expires.pop(event.id, None)
        if event.content["expires_day"] >= 0.0:
            self._expires[event.id] = event.content["expires_day"]

    def _put_hearers(self, event_id: str, heard: Mapping[str, float]) -> None:
        for npc_id, confidence in heard.items():
            self._heard.setdefault(npc_id, {})[event_id] = confidence


def _is_witness(event: Document, listened: Iterable[Window]) -> bool:
    """Return True if an event happened within one of these windows, so that the NPC is sure of it."""
    event_channels = channels(event.content)
    return any(window.channel in event_channels and window.has(event.timestamp) for window in listened)

"""The knowledge that NPCs have of events. Nothing else decides who knows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.vectors import Keys
from rag_memory.world.event import EVENT, RUMOR, has_expired
from rag_memory.world.event_index import FIRST_HAND, NO_KEY, EventIndex
from rag_memory.world.whereabouts import WHEREABOUTS
from rag_memory.world.who_knows import Window, windows
from rag_memory.world.world_context import WorldContext


class EventKnowledge:
    """The knowledge that characters have of the events of a save."""

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        self._loaded: EventIndex | None = None
        context.call_on_reload(self._forget)

    def knows(self, npc_id: str, event_id: str) -> bool:
        """Return whether an NPC knows of an event."""
        event = self._context.all(EVENT).get(event_id)
        return (
            event is not None
            and not has_expired(event.content, self._context.day())
            and self.confidence(npc_id, event) > 0.0
        )

    def confidence(self, npc_id: str, event: Document) -> float:
        """How sure an NPC is of an event, 0 to 1; 0 when it does not know of it."""
        return self._index().confidence(npc_id, event, self._windows(npc_id))

    def ids(self, npc_id: str) -> set[str]:
        """The ids of the events that an NPC knows of."""
        return self._index().ids(npc_id, self._windows(npc_id), self._context.day())

    def keys(self, ids: Iterable[str]) -> Keys:
        """The keys of the searched texts of these events."""
        return self._index().keys(ids)

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
        index, windows, wording = self._index(), self._windows(npc_id), self._context.npc(npc_id).config
        return [
            {
                **event.content,
                "text": event.content["summary"]
                if index.is_witness(event, windows)
                else wording.sentence("rumor_heard", event=event.content["summary"]),
                "confidence": index.confidence(npc_id, event, windows),
            }
            for event in events
        ]

    def note_event(self, id: str, key: int) -> None:
        """Add an event that was written to the index; `key` is that of its searched text."""
        if self._loaded is not None:
            self._loaded.put(self._context.all(EVENT)[id], key)

    def note_hearers(self, event_id: str, heard: Mapping[str, float]) -> None:
        """Set in the index who heard of an event, and how sure each hearer is of it."""
        if self._loaded is not None:
            self._loaded.heard(event_id, heard)

    def _windows(self, npc_id: str) -> list[Window]:
        return windows(npc_id, self._context.content(WHEREABOUTS, npc_id) or {})

    def _index(self) -> EventIndex:
        if self._loaded is None:
            events, keys = self._context.all(EVENT), self._context.searched(WORLD).keys()
            self._loaded = EventIndex()
            for event in events.values():
                self._loaded.put(event, keys.get(event.id, NO_KEY))
            for rumor in self._context.all(RUMOR).values():
                if rumor.id in events:
                    self._loaded.heard(rumor.id, rumor.content["heard"])
        return self._loaded

    def _forget(self) -> None:
        self._loaded = None

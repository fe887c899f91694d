"""The knowledge that NPCs have of events and facts. Nothing else decides who knows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.memory.document import Document
from rag_memory.memory.owners import WORLD
from rag_memory.vectors import Keys
from rag_memory.world.characters import CHARACTER
from rag_memory.world.event import EVENT, RUMOR, has_expired
from rag_memory.world.facts import FACT, FLAG, FORMER_OF, fact_record_id
from rag_memory.world.flag_condition import Flags
from rag_memory.world.whereabouts import WHEREABOUTS, Ties, ties
from rag_memory.world.who_knows import (
    EVERYONE,
    Channels,
    Window,
    conditions_of,
    event_conditions,
    is_known,
    windows,
)
from rag_memory.world.world_context import WorldContext

FIRST_HAND = 1.0
FORGOTTEN = "forgotten"
"""The kind of the documents that say what an NPC has forgotten of the world: {ids: Array}."""
_NO_KEY = -1
"""The key of something without a searched text."""


class Knowledge:
    """The knowledge that characters have of the events, the facts and the lore of a save.

    An index in memory, loaded when it is first needed, has the channels, the hearers and the expiry of each
    event and fact, so that a question looks at few of them.
    """

    def __init__(self, context: WorldContext) -> None:
        self._context = context
        context.call_on_reload(self._forget)
        self._forget()

    def _forget(self) -> None:
        self._is_loaded: bool = False
        self._keys: dict[str, int] = {}
        self._channels = Channels()
        self._facts = Channels()
        self._formers: dict[str, str] = {}
        """The ids of former versions of facts, the last one last, and those of the facts."""
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

    def forget(self, npc_id: str, record_id: str) -> None:
        """Let an NPC no longer know what has this id: an event, the record of a fact, or a chunk of lore."""
        ids = sorted(self.forgotten(npc_id) | {record_id})
        self._context.write(FORGOTTEN, npc_id, {"ids": ids})

    def learn(self, npc_id: str, record_id: str) -> None:
        """Let an NPC know again what it has forgotten."""
        if record_id in self.forgotten(npc_id):
            ids = sorted(self.forgotten(npc_id) - {record_id})
            self._context.write(FORGOTTEN, npc_id, {"ids": ids} if ids else {})

    def forgotten(self, npc_id: str) -> frozenset[str]:
        """The ids of what an NPC has forgotten of the world and the lore."""
        document = self._context.all(FORGOTTEN).get(npc_id)
        return frozenset(() if document is None else document.content["ids"])

    def confidence(self, npc_id: str, event: Document) -> float:
        """Return how sure an NPC is of an event, 0 to 1; 0 when it does not know of it."""
        return self._confidence(npc_id, event, self.windows(npc_id), self.flags())

    def ids(self, npc_id: str) -> set[str]:
        """The ids of the events that an NPC knows of."""
        known_ids = self._witnessed(npc_id) | self._heard.get(npc_id, {}).keys()
        return self._current(known_ids - self.forgotten(npc_id))

    def witnessed(self, npc_id: str) -> list[Document]:
        """The events that an NPC knows of without having heard of them."""
        events = self._context.all(EVENT)
        return [events[id] for id in self._current(self._witnessed(npc_id))] if events else []

    def facts(self, npc_id: str) -> list[str]:
        """The ids of the facts that an NPC knows."""
        self._load()
        listened, flags, forgotten = self.windows(npc_id), self.flags(), self.forgotten(npc_id)
        ids = self._facts.ids(listened, flags)
        if not self._formers.keys().isdisjoint(ids):
            # Of what it no longer hears of, it knows the last version that it heard.
            ids -= (
                self._facts.ids([window for window in listened if window.is_open], flags)
                & self._formers.keys()
            )
            ids -= {id for id, base in self._formers.items() if base in ids}
            last = {self._formers[id]: id for id in self._formers if id in ids}
            ids -= self._formers.keys() - set(last.values())
        return sorted(id for id in ids if fact_record_id(id) not in forgotten)

    def former_facts(self, npc_id: str) -> list[dict[str, Any]]:
        """Return the former versions of facts that an NPC knows, because it left while they held."""
        facts = self._context.all(FACT)
        return [dict(facts[id].content) for id in self.facts(npc_id) if id in self._formers]

    def search_facts(self, call: str, npc_id: str, query: str, limit: int) -> list[dict[str, Any]]:
        """Return the facts that an NPC knows, with their `relevance` to a question, the best first."""
        records = {fact_record_id(id): id for id in self.facts(npc_id)}
        hits = self._context.searched(WORLD).find(call, query, limit, self.keys(records)) if records else []
        facts = self._context.all(FACT)
        return [{**facts[records[hit.id]].content, "relevance": hit.relevance} for hit in hits]

    def shared_keys(self, npc_id: str) -> Keys:
        """The keys of the searched texts of all that an NPC knows without a memory of its own: the facts, and
        the events but those that it only heard of.
        """
        events, facts = self._current(self._witnessed(npc_id)), self.facts(npc_id)
        return np.sort(self.keys([*events, *map(fact_record_id, facts)]))

    def keys(self, ids: Iterable[str]) -> Keys:
        """The keys of these searched texts."""
        self._load()
        return np.array([self._keys.get(id, _NO_KEY) for id in ids], dtype=np.int64)

    def is_known(self, npc_id: str, known_by: Sequence[Any], time: float) -> bool:
        """Return True if an NPC may know what was told at this time to these owners."""
        return is_known(known_by, time, self.windows(npc_id), self.flags())

    def windows(self, npc_id: str) -> list[Window]:
        """The windows of an NPC."""
        return windows(npc_id, self.ties(npc_id))

    def ties(self, npc_id: str) -> Ties:
        """The places and groups of an NPC over time."""
        left = self._context.all(WHEREABOUTS).get(npc_id)
        character = self._context.all(CHARACTER).get(npc_id)
        return ties(
            {} if character is None else character.content,
            {} if left is None else left.content.get("left_at", {}),
        )

    def flags(self) -> Flags:
        """The flags of the story."""
        return {name: flag.content["value"] for name, flag in self._context.all(FLAG).items()}

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
        listened, flags, wording = self.windows(npc_id), self.flags(), self._context.npc(npc_id).config
        return [
            {
                **event.content,
                "text": event.content["summary"]
                if self._channels.has(event.id, listened, flags)
                else wording.sentence("rumor_heard", event=event.content["summary"]),
                "confidence": self._confidence(npc_id, event, listened, flags),
            }
            for event in events
        ]

    def note_event(self, id: str, key: int) -> None:
        """Add an event that was written to the index; `key` is that of its searched text."""
        if self._is_loaded:
            self._put_event(self._context.all(EVENT)[id], key)

    def note_fact(self, id: str, key: int) -> None:
        """Add a fact that was written to the index, or remove it when it is gone."""
        if not self._is_loaded:
            return
        fact = self._context.all(FACT).get(id)
        if fact is None:
            self._facts.remove(id)
            self._formers.pop(id, None)
        else:
            self._put_fact(fact, key)

    def note_hearers(self, event_id: str, heard: Mapping[str, float]) -> None:
        """Set in the index who heard of an event, and how sure the hearers are of it."""
        if self._is_loaded:
            self._put_hearers(event_id, heard)

    def _witnessed(self, npc_id: str) -> set[str]:
        self._load()
        return self._channels.ids(self.windows(npc_id), self.flags()) - self.forgotten(npc_id)

    def _current(self, ids: set[str]) -> set[str]:
        """The events that have not expired."""
        today = self._context.day()
        return ids.difference([id for id, day in self._expires.items() if day < today])

    def _confidence(self, npc_id: str, event: Document, listened: Sequence[Window], flags: Flags) -> float:
        self._load()
        if event.id in self.forgotten(npc_id):
            return 0.0
        if self._channels.has(event.id, listened, flags):
            return FIRST_HAND
        return self._heard.get(npc_id, {}).get(event.id, 0.0)

    def _load(self) -> None:
        if self._is_loaded:
            return
        events, keys = self._context.all(EVENT), self._context.searched(WORLD).keys()
        for event in events.values():
            self._put_event(event, keys.get(event.id, _NO_KEY))
        for fact in self._context.all(FACT).values():
            self._put_fact(fact, keys.get(fact_record_id(fact.id), _NO_KEY))
        for rumor in self._context.all(RUMOR).values():
            if rumor.id in events:
                self._put_hearers(rumor.id, rumor.content["heard"])
        self._is_loaded = True

    def _put_event(self, event: Document, key: int) -> None:
        self._keys[event.id] = key
        self._channels.put(event.id, event.timestamp, event_conditions(event.content))
        self._expires.pop(event.id, None)
        if event.content["expires_day"] >= 0.0:
            self._expires[event.id] = event.content["expires_day"]

    def _put_fact(self, fact: Document, key: int) -> None:
        self._keys[fact_record_id(fact.id)] = key
        known_by = fact.content.get("known_by") or [EVERYONE]
        self._facts.put(fact.id, fact.timestamp, conditions_of(known_by))
        if FORMER_OF in fact.content:
            self._formers[fact.id] = fact.content[FORMER_OF]

    def _put_hearers(self, event_id: str, heard: Mapping[str, float]) -> None:
        for npc_id, confidence in heard.items():
            self._heard.setdefault(npc_id, {})[event_id] = confidence

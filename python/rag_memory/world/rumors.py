"""Rumors: spreading an event by word of mouth."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.game_call import game_call
from rag_memory.memory.document import Document
from rag_memory.memory.kind import FACT
from rag_memory.memory.owners import is_npc
from rag_memory.validation import shown, validate_text
from rag_memory.world.characters import CHARACTER, is_player
from rag_memory.world.event import EVENT, RUMOR, has_expired
from rag_memory.world.knowledge import FIRST_HAND, Knowledge
from rag_memory.world.whereabouts import name_key
from rag_memory.world.world_context import WorldContext

RUMOR_HEARD = "rumor_heard"
"""The event type of the memory of a rumor."""
_LOG = logging.getLogger("rag_memory")


class Rumors:
    """Spreads events by word of mouth."""

    def __init__(self, context: WorldContext, knowledge: Knowledge) -> None:
        self._context = context
        self._knowledge = knowledge

    @game_call(writes=True)
    def spread_rumor(self, event_id: str, to: str, teller: str = "") -> list[str]:
        """Spreads an event by word of mouth, and returns the ids of those who learned of it now. Emits
        `rumor_spread`.

        The rumor becomes a memory of each hearer, with the `event_id`, `heard_from` (the teller) and the
        `confidence`. Every way to ask for memories finds it, and `how_sure()` counts the confidence. Every
        retelling is believed less, by `MemoryWorldConfig.rumor_decay`. When the confidence would fall
        below `MemoryWorldConfig.rumor_min_confidence`, the rumor does not spread, and a warning says so. An
        event of any visibility can be spread.

        Args:
            to: the id of a character, else a place (who is there now hears it) or a faction (its members do).
            teller: the id of the teller, who has to know of the event. If left out, it is whoever heard of it
                last.

        Raises:
            InvalidArgumentError: there is no such event, nobody has that name, or the teller does not know of
                it.
        """
        with self._context.transaction():
            return self._spread("spread_rumor()", event_id, to, teller)

    def is_current(self, rumor: Mapping[str, Any]) -> bool:
        """Return True if the event of a rumor, given the metadata of its memory, is still what was heard."""
        event = self._context.all(EVENT).get(str(rumor.get("event_id", "")))
        if event is None:  # An NPC of another world tells of it.
            return True
        says_so = event.content["summary"] == rumor.get("statement")
        return says_so and not has_expired(event.content, self._context.day())

    def _spread(self, call: str, event_id: str, to: str, teller: str) -> list[str]:
        event = self._event(call, event_id)
        hearers = self._hearers(call, to)
        rumor = self._context.content(RUMOR, event_id) or {"confidence": FIRST_HAND, "heard": {}}
        certainty = self._teller_confidence(call, event, teller) if teller else rumor["confidence"]
        confidence = certainty * self._context.config.rumor_decay
        too_faint = confidence <= 0.0 or confidence < self._context.config.rumor_min_confidence
        if too_faint or has_expired(event.content, self._context.day()):
            _LOG.warning(
                "%s: %s does not spread, because %s",
                call,
                event_id,
                "it has expired"
                if has_expired(event.content, self._context.day())
                else f"it would be believed with {confidence:.2f}, less than rumor_min_confidence",
            )
            return []
        new = [npc_id for npc_id in hearers if self._knowledge.confidence(npc_id, event) < confidence]
        if new:
            heard = {**rumor["heard"], **dict.fromkeys(new, confidence)}
            self._context.write(RUMOR, event_id, {"confidence": confidence, "heard": heard})
            self._knowledge.note_hearers(event_id, heard)
            for npc_id in new:
                self._knowledge.learn(npc_id, event_id)
                self._remember(npc_id, event, teller, confidence)
            self._context.emit("rumor_spread", (event_id, to))
        return new

    def _remember(self, npc_id: str, event: Document, teller: str, confidence: float) -> None:
        """Store a memory of a rumor, unless the hearer is a player or of another process."""
        if is_player(self._context, npc_id):
            return
        with self._context.transaction([npc_id]):
            npc, summary = self._context.npc(npc_id), event.content["summary"]
            if not self._context.store.owners.owns(npc_id):
                return
            name = str((self._context.content(CHARACTER, teller) or {}).get("name") or teller)
            key = "rumor_heard_from" if teller else "rumor_heard"
            people = [teller, event.content["actor"], event.content["target"]]
            data = {
                "event_type": RUMOR_HEARD,
                "kind": FACT,
                "participants": [id for id in dict.fromkeys(people) if id],
                "event_id": event.id,
                "heard_from": teller,
                "confidence": confidence,
                "statement": summary,
                "check_names": False,
            }
            npc.memories.store(
                npc.config.sentence(key, teller=name, event=summary), event.content["importance"], data
            )

    def _event(self, call: str, id: Any) -> Document:
        id = validate_text(call, "event_id", id)
        event = self._context.all(EVENT).get(id)
        if event is None:
            raise InvalidArgumentError(
                f"{call}: the event_id is {shown(id)}",
                "there is no such event",
                "Pass what record_event() returned",
            )
        return event

    def _hearers(self, call: str, to: Any) -> list[str]:
        name = validate_text(call, "to", to)
        if name in self._context.all(CHARACTER):
            return [name]
        key = name_key(name)
        if self._is_place_or_group(key):
            return [
                id
                for id in self._context.all(CHARACTER)
                if any(
                    name == key and until == math.inf for (_, name), until in self._knowledge.ties(id).items()
                )
            ]
        if name in self._context.store.npcs.ids() and is_npc(name):
            return [name]
        raise InvalidArgumentError(
            f"{call}: to is {shown(name)}",
            "no character, place or faction is called so",
            "Register who is to hear it with register_character()",
        )

    def _is_place_or_group(self, key: str) -> bool:
        """Return True if a name is that of a place or a group of any character or event."""
        if not key:
            return False
        return any(
            key == name for id in self._context.all(CHARACTER) for _, name in self._knowledge.ties(id)
        ) or any(
            key == name_key(event.content[name])
            for event in self._context.all(EVENT).values()
            for name in ("location", "actor_faction", "target_faction")
        )

    def _teller_confidence(self, call: str, event: Document, teller: Any) -> float:
        teller = validate_text(call, "teller", teller)
        confidence = self._knowledge.confidence(teller, event)
        if not confidence:
            raise InvalidArgumentError(
                f"{call}: the teller is {shown(teller)}",
                f"she does not know of the event {event.id}",
                "Pass somebody who knows of it, or nobody",
            )
        return confidence

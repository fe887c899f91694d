"""News that goes from mouth to mouth."""

from __future__ import annotations

import logging
import math
from typing import Any

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import Document
from rag_memory.memory.owners import is_npc
from rag_memory.npc.game_call import game_call
from rag_memory.validation import shown, validate_text
from rag_memory.world.characters import CHARACTER
from rag_memory.world.event import has_expired
from rag_memory.world.event_index import FIRST_HAND
from rag_memory.world.events import EVENT, RUMOR, Events
from rag_memory.world.whereabouts import WHEREABOUTS, last_at, memberships, name_key

_LOG = logging.getLogger("rag_memory")


class Rumors(Events):
    """The call that tells an event on."""

    @game_call(writes=True)
    def spread_rumor(self, event_id: str, to: str, teller: str = "") -> list[str]:
        """Tells of an event by word of mouth, and returns the ids of those who learned of it now. Emits
        `rumor_spread`.

        Each time it is told on, it is believed less, by `MemoryWorldConfig.rumor_decay`. When it would be
        believed less than `MemoryWorldConfig.rumor_min_confidence`, nobody is told, and a warning says so. An
        event of any visibility can be told on.

        Args:
            to: the id of a character, else a place (who is there now hears it) or a faction (its members do).
            teller: the id of who tells it; she has to know of it. Left out: whoever heard of it last.

        Raises:
            InvalidArgumentError: there is no such event, nobody is called so, or the teller does not know of
                it.
        """
        with self._transaction():
            return self._spread("spread_rumor()", event_id, to, teller)

    def _spread(self, where: str, event_id: str, to: str, teller: str) -> list[str]:
        event = self._event(where, event_id)
        hearers = self._hearers(where, to)
        rumor = self._content(RUMOR, event_id) or {"confidence": FIRST_HAND, "heard": {}}
        told_by = self._teller_confidence(where, event, teller) if teller else rumor["confidence"]
        confidence = told_by * self.config.rumor_decay
        too_faint = confidence <= 0.0 or confidence < self.config.rumor_min_confidence
        if too_faint or has_expired(event.content, self._day()):
            _LOG.warning(
                "%s: nobody is told of %s, because %s",
                where,
                event_id,
                "it has expired"
                if has_expired(event.content, self._day())
                else f"it would be believed with {confidence:.2f}, less than rumor_min_confidence",
            )
            return []
        new = [each for each in hearers if self._confidence(each, event) < confidence]
        if new:
            heard = {**rumor["heard"], **dict.fromkeys(new, confidence)}
            index = self._index()
            self._write(RUMOR, event_id, {"confidence": confidence, "heard": heard})
            index.heard(event_id, heard)
            self._emit("rumor_spread", (event_id, to))
        return new

    def _hearers(self, where: str, to: Any) -> list[str]:
        name = validate_text(where, "to", to)
        if name in self._all(CHARACTER):
            return [name]
        key = name_key(name)
        everybody = {id: each.content for id, each in self._all(WHEREABOUTS).items()}
        places = {id: last_at(each) for id, each in everybody.items()}
        factions = {id: memberships(each) for id, each in everybody.items()}
        if self._is_place_or_faction(key):
            return [
                id
                for id in everybody
                if places[id].get(key) == math.inf
                or any(stay.name == key and stay.until == math.inf for stay in factions[id])
            ]
        if name in self._save.store.npc_ids() and is_npc(name):
            return [name]
        raise InvalidArgumentError(
            f"{where}: to is {shown(name)}",
            "no character, place or faction is called so",
            "Register who is to hear it with register_character()",
        )

    def _is_place_or_faction(self, key: str) -> bool:
        """Whether a character was there or belonged to it, or an event is about it."""
        keys = ("location", "actor_faction", "target_faction")
        return (
            any(
                key in last_at(each.content) or any(key == stay.name for stay in memberships(each.content))
                for each in self._all(WHEREABOUTS).values()
            )
            or any(key == name_key(each.content[name]) for each in self._all(EVENT).values() for name in keys)
        ) and key != ""

    def _teller_confidence(self, where: str, event: Document, teller: Any) -> float:
        teller = validate_text(where, "teller", teller)
        confidence = self._confidence(teller, event)
        if not confidence:
            raise InvalidArgumentError(
                f"{where}: the teller is {shown(teller)}",
                f"she does not know of the event {event.id}",
                "Pass somebody who knows of it, or nobody",
            )
        return confidence

"""How one NPC stands to the player, or to another character, now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag_memory.config.relationship_scales import DIMENSIONS
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import Record
from rag_memory.mind.relationship import (
    YIELDS_TO_PROFILE,
    status_label,
    usual_relationship,
    validate_relationship,
)
from rag_memory.mind.relationship_header import header_record
from rag_memory.mind.relationship_memory import PLAYER_SLOT, relationship_of, slot_of
from rag_memory.searchable.records import OwnedRecords
from rag_memory.storage.sql.exchanges import MOST_UNDOABLE


class PlayerRelationship:
    """Combines what the game has set with the stored relationship and the one that an NPC begins with.

    `initial_from_profile` returns the relationship that the NPC's profile begins with. `is_acquainted`
    returns whether the NPC and another one know of each other, although no memory tells of a meeting.
    """

    def __init__(
        self,
        records: OwnedRecords,
        initial_from_profile: Callable[[], Mapping[str, Any]],
        is_acquainted: Callable[[str], bool],
    ) -> None:
        self.set_by_game: dict[str, Any] = {}
        """From set_relationship_state()."""
        self.initial_by_game: dict[str, Any] = {}
        """From set_initial_relationship()."""
        self._set_by_exchanges: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        """What the game had set before an exchange changed it, and what the exchange made of it, by id."""
        self._records = records
        self._initial_from_profile = initial_from_profile
        self._is_acquainted = is_acquainted

    def initial(self) -> dict[str, Any]:
        """Return the relationship before anything was stored or set."""
        from_profile = self._initial_from_profile()
        if self.initial_by_game.get(YIELDS_TO_PROFILE):
            return {**self.initial_by_game, **from_profile}
        return {**from_profile, **self.initial_by_game}

    def set_by_exchange(self, exchange: str, relationship: dict[str, Any]) -> None:
        """Change what the game has set by an exchange, so that take_back() of the last one can undo it."""
        while len(self._set_by_exchanges) >= MOST_UNDOABLE:
            del self._set_by_exchanges[next(iter(self._set_by_exchanges))]
        self._set_by_exchanges[exchange] = (self.set_by_game, relationship)
        self.set_by_game = relationship

    def take_back(self, exchange: str) -> None:
        """Put back what the game had set before an exchange, if nothing has changed it since."""
        former, relationship = self._set_by_exchanges.pop(exchange, ({}, None))
        if self.set_by_game == relationship:
            self.set_by_game = former

    def begin_with(self, state: Mapping[str, Any]) -> None:
        """Set the relationship to a player whom the NPC has never met."""
        self.initial_by_game = validate_relationship("set_initial_relationship()", state)

    def stored(self, id: str = PLAYER) -> dict[str, Any]:
        """Return the stored relationship; where nothing is stored yet, the dimensions that it begins with."""
        stored = relationship_of(self._records.in_slot(slot_of("", id)))
        if stored or id != PLAYER:
            return stored
        initial = self.initial()
        return {name: initial[name] for name in DIMENSIONS if name in initial}

    def current(self) -> dict[str, Any]:
        """Return the dimensions and the status as they are now; {} while nothing was stored or set."""
        changed = {**relationship_of(self._records.in_slot(PLAYER_SLOT)), **self.set_by_game}
        if not any(name in changed for name in DIMENSIONS):
            return {}
        relationship = {**usual_relationship(), **self.initial(), **changed}
        numbers = {name: relationship[name] for name in DIMENSIONS}
        return {**numbers, "status": status_label(numbers)}

    def header(self, now: float, id: str = PLAYER) -> Record:
        """Make the relationship header."""
        if id != PLAYER:
            return self._header_of_other(now, id)
        initial = self.initial()
        stored = relationship_of(self._records.in_slot(PLAYER_SLOT))
        relationship = {**initial, **stored, **self.set_by_game}
        if relationship.get("familiarity") == initial.get("familiarity"):
            # How the NPC stands to a stranger is no sign of a meeting.
            relationship.setdefault("met", False)
        records = self._records
        return header_record(records.npc_id, records.config, relationship, records.first_meeting(), now)

    def _header_of_other(self, now: float, id: str) -> Record:
        records = self._records
        first = records.first_meeting(id)
        relationship = {"met": first is None and self._is_acquainted(id), **self.stored(id)}
        return header_record(records.npc_id, records.config, relationship, first, now)

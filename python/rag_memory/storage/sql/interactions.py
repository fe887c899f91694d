"""The table of interactions: events between NPCs and others, and the feelings that each left behind."""

from __future__ import annotations

from rag_memory.memory.interaction import EVENT, PRUNED, REFLECTION, Interaction
from rag_memory.storage.filter import Condition
from rag_memory.storage.interaction_row import COLUMNS, PRUNING_SLACK, interaction_of, row_of
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.query import Query, Selection, where

_COLUMNS = ", ".join(COLUMNS)
_SELECT = Selection("interactions", _COLUMNS, "interaction")
_LAST = "interaction DESC"
_NEWEST_OF_SOURCES = (
    f"SELECT {_COLUMNS} FROM $interactions WHERE npc = :npc AND interaction IN "
    "(SELECT max(interaction) FROM $interactions WHERE npc = :npc AND source_id <> '' GROUP BY source_id) "
    "ORDER BY interaction"
)
# Counting reads the index alone; ordering would sort all of them each time.
_COUNT = "SELECT count(*) FROM $interactions WHERE npc = :npc AND kind <> :pruned"
_OLDEST_TO_KEEP = (
    "SELECT interaction FROM $interactions WHERE npc = :npc AND kind <> :pruned "
    "ORDER BY interaction DESC LIMIT 1 OFFSET :offset"
)
_FORGET_OLD = (
    "DELETE FROM interactions WHERE $own AND npc = :npc AND interaction < :oldest AND interaction NOT IN "
    "(SELECT max(interaction) FROM $interactions WHERE npc = :npc AND interaction < :oldest "
    "AND (source_id <> '' OR kind = :reflection) "
    "GROUP BY source_id, CASE WHEN kind = :event OR action <> '' THEN 1 ELSE 0 END)"
)
# Every pruned event has an action, so that it can be told from a change by the game.
_SHORTEN_OLD = (
    "UPDATE interactions SET kind = :pruned, content = '', details = '{}', "
    "action = CASE WHEN kind = :event AND action = '' THEN kind ELSE action END "
    "WHERE $own AND npc = :npc AND interaction < :oldest AND kind NOT IN (:pruned, :reflection)"
)


_REPLACE = (
    f"UPDATE interactions SET {', '.join(f'{name} = :{name}' for name in COLUMNS[1:])} "
    "WHERE $own AND interaction = :key"
)
NEWEST = where(Condition("kind", "!=", PRUNED), order=_LAST)
"""The query whose first entry is the newest of all, which has the emotion."""


def newest_of_kind(kind: str) -> Query:
    """The query whose first entry is the newest of a kind."""
    return where(kind=kind, order=_LAST)


def newest_events(count: int, source_id: str = "") -> Query:
    """The query for the newest events, of one source or ("") of all, newest first."""
    of_source = {"source_id": source_id} if source_id else {}
    return where(kind=EVENT, order=_LAST, limit=count, **of_source)


def newest_of_source(source_id: str, count: int) -> Query:
    """The query for the newest entries of a source, of every kind, newest first."""
    return where(source_id=source_id, order=_LAST, limit=count)


def earliest_event_of(source_id: str) -> Query:
    """The query whose first entry is the event of a source that happened first, of those that are stored."""
    return where(kind=EVENT, source_id=source_id, order="timestamp")


def pruned_event_of(source_id: str) -> Query:
    """The query whose first entry is what is left of the events of a source that were pruned."""
    return where(Condition("action", "!=", ""), kind=PRUNED, source_id=source_id, order="timestamp")


_COUNTED_AFTER = 50
"""Entries: those that an import or a rollback brings back are counted then."""


class Interactions:
    """The log of events between NPCs and others, with the feelings that they left behind."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._room: dict[tuple[int, int], int] = {}
        """How many calls of prune(), by its arguments, find nothing to forget: to count takes a statement."""

    def add(self, npc: int, interaction: Interaction) -> int:
        """Add an entry, and return its key. Inside a transaction."""
        values = dict(zip(COLUMNS[1:], row_of(interaction), strict=True))
        values["exchange_id"] = self._database.exchange_id
        return self._database.add("interactions", "interaction", {"npc": npc, **values})

    def replace(self, interaction: Interaction) -> None:
        """Replace the entry with this key. Inside a transaction."""
        values = dict(zip(COLUMNS[1:], row_of(interaction), strict=True))
        self._database.write(_REPLACE, key=interaction.key, **values)

    def find(self, npc: int, query: Query = Query()) -> list[Interaction]:  # noqa: B008
        """The entries of an NPC that a query selects; every one without a query, in the order of storing."""
        statement, values = _SELECT.statement(query)
        return [interaction_of(row) for row in self._database.rows(statement, npc=npc, **values)]

    def first(self, npc: int, query: Query) -> Interaction | None:
        """The first entry of an NPC that a query selects."""
        entries = self.find(npc, query._replace(limit=1))
        return entries[0] if entries else None

    def newest_of_sources(self, npc: int) -> list[Interaction]:
        """The newest entry of every source, which has the NPC's disposition to it."""
        return [interaction_of(row) for row in self._database.rows(_NEWEST_OF_SOURCES, npc=npc)]

    def prune(self, npc: int, count: int) -> int:
        """Forget all but the newest `count` entries, once there are clearly more; how many. Of each source
        the newest that is forgotten stays as a pruned one, so that a rollback finds the disposition; so
        do its newest event, which tells that the two have met, and the last reflection. Inside a
        transaction.
        """
        room = self._room.pop((npc, count), 0)
        if not room:
            stored = self._database.number(_COUNT, npc=npc, pruned=PRUNED)
            room = min(count + PRUNING_SLACK - stored + 1, _COUNTED_AFTER)
        if room > 0:
            self._room[npc, count] = room - 1
            return 0
        oldest = self._database.number(_OLDEST_TO_KEEP, npc=npc, pruned=PRUNED, offset=count - 1)
        values = {"npc": npc, "oldest": oldest, "reflection": REFLECTION, "event": EVENT}
        deleted = self._database.count_written(_FORGET_OLD, **values)
        self._database.write(_SHORTEN_OLD, pruned=PRUNED, **values)
        return deleted

    def forget(self, npc: int) -> None:
        """Delete all entries of an NPC. Inside a transaction."""
        self._database.write("DELETE FROM interactions WHERE $own AND npc = :npc", npc=npc)

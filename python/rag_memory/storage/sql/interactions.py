"""The table of interactions: events between NPCs and others, and the feelings that each left behind."""

from __future__ import annotations

from typing import Any

from rag_memory.memory.interaction import EVENT, PRUNED, REFLECTION, Interaction
from rag_memory.storage.interaction_row import COLUMNS, PRUNING_SLACK, interaction_of, row_of
from rag_memory.storage.sql.database import Database

_OF_NPC = f"SELECT {', '.join(COLUMNS)} FROM $interactions WHERE npc = :npc"
_NEWEST = f"{_OF_NPC} AND kind = :kind ORDER BY interaction DESC LIMIT :count"
_NEWEST_OF_SOURCE = (
    f"{_OF_NPC} AND kind = :kind AND source_id = :source_id ORDER BY interaction DESC LIMIT :count"
)
_EARLIEST_OF_SOURCE = f"{_OF_NPC} AND kind = :kind AND source_id = :source_id ORDER BY timestamp LIMIT 1"
_NEWEST_OF_SOURCES = (
    f"{_OF_NPC} AND interaction IN (SELECT max(interaction) FROM $interactions "
    "WHERE npc = :npc AND source_id <> '' GROUP BY source_id) ORDER BY interaction"
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
    "AND (source_id <> '' OR kind = :reflection) GROUP BY source_id)"
)
_SHORTEN_OLD = (
    "UPDATE interactions SET kind = :pruned, content = '', details = '{}' WHERE $own AND npc = :npc "
    "AND interaction < :oldest AND kind NOT IN (:pruned, :reflection)"
)


class Interactions:
    """The log of events between NPCs and others, with the feelings that they left behind."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, npc: int, interaction: Interaction) -> int:
        """Add an entry, and return its key. Inside a transaction."""
        values = dict(zip(COLUMNS[1:], row_of(interaction), strict=True))
        return self._database.add("interactions", "interaction", {"npc": npc, **values})

    def newest(self, npc: int, source_id: str, count: int) -> list[Interaction]:
        """The newest events, of one source or ("") of all, newest first."""
        statement = _NEWEST_OF_SOURCE if source_id else _NEWEST
        return self._read(statement, npc=npc, kind=EVENT, source_id=source_id, count=count)

    def earliest(self, npc: int, source_id: str) -> Interaction | None:
        """The event of this source that happened first, of those that are kept."""
        events = self._read(_EARLIEST_OF_SOURCE, npc=npc, kind=EVENT, source_id=source_id)
        return events[0] if events else None

    def all(self, npc: int) -> list[Interaction]:
        """Every entry, in the order in which they were stored."""
        return self._read(f"{_OF_NPC} ORDER BY interaction", npc=npc)

    def newest_of_sources(self, npc: int) -> list[Interaction]:
        """The newest entry of every source, which has the NPC's disposition to it."""
        return self._read(_NEWEST_OF_SOURCES, npc=npc)

    def last(self, npc: int, kind: str = "") -> Interaction | None:
        """The newest entry of all, or of a kind; the first of all has the emotion."""
        of_kind = "kind = :kind" if kind else "kind <> :kind"
        newest = f"SELECT max(interaction) FROM $interactions WHERE npc = :npc AND {of_kind}"
        entries = self._read(f"{_OF_NPC} AND interaction = ({newest})", npc=npc, kind=kind or PRUNED)
        return entries[0] if entries else None

    def prune(self, npc: int, count: int) -> int:
        """Forget all but the newest `count` entries, once there are clearly more; how many. Of each source the newest
        that is forgotten stays as a pruned one, so that a rollback finds the disposition; so does the last
        reflection. Inside a transaction.
        """
        if self._database.number(_COUNT, npc=npc, pruned=PRUNED) <= count + PRUNING_SLACK:
            return 0
        oldest = self._database.number(_OLDEST_TO_KEEP, npc=npc, pruned=PRUNED, offset=count - 1)
        values = {"npc": npc, "oldest": oldest, "reflection": REFLECTION}
        deleted = self._database.count_written(_FORGET_OLD, **values)
        self._database.write(_SHORTEN_OLD, pruned=PRUNED, **values)
        return deleted

    def forget(self, npc: int) -> None:
        """Delete all entries of an NPC. Inside a transaction."""
        self._database.write("DELETE FROM interactions WHERE $own AND npc = :npc", npc=npc)

    def _read(self, statement: str, **values: Any) -> list[Interaction]:
        return [interaction_of(row) for row in self._database.rows(statement, **values)]

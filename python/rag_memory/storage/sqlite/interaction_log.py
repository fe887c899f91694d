"""The table of interactions: what happened between NPCs and others, and what they feel since then."""

from __future__ import annotations

import sqlite3

from rag_memory.memory.interaction import EVENT, PRUNED, Interaction
from rag_memory.memory.interaction import REFLECTION as REFLECTION_ENTRY
from rag_memory.memory.kind import FACT, REFLECTION
from rag_memory.storage.interaction_row import COLUMNS, PRUNING_SLACK, interaction_of, row_of
from rag_memory.storage.sqlite.connected import Connected

_COLUMNS = ", ".join(COLUMNS)
_OF_NPC = f"SELECT {_COLUMNS} FROM interactions WHERE npc = ?"
_NEWEST_OF_SOURCES = (
    f"SELECT {_COLUMNS} FROM interactions WHERE interaction IN "
    "(SELECT max(interaction) FROM interactions WHERE npc = ? AND source_id <> '' GROUP BY source_id)"
)


class InteractionLog(Connected):
    """See storage.protocol.Interactions."""

    def add_interaction(self, npc: int, interaction: Interaction) -> int:
        """Add an entry; its key. Inside a transaction."""
        values = row_of(interaction)
        places = ", ".join("?" for _ in values)
        columns = _COLUMNS.removeprefix("interaction, ")
        sql = f"INSERT INTO interactions (write_order, npc, {columns}) VALUES (?, ?, {places})"
        return int(self._write(sql, (self._orders.current, npc, *values)).lastrowid or 0)

    def interactions(self, npc: int, source_id: str, count: int) -> list[Interaction]:
        """The newest events, of one source or ("") of all, newest first."""
        of_source = " AND source_id = ?" if source_id else ""
        values = [npc, EVENT, *([source_id] if source_id else []), count]
        rows = self._rows(f"{_OF_NPC} AND kind = ?{of_source} ORDER BY interaction DESC LIMIT ?", values)
        return [interaction_of(row) for row in rows]

    def all_interactions(self, npc: int) -> list[Interaction]:
        """Every entry, in the order in which they were stored."""
        return [interaction_of(row) for row in self._rows(f"{_OF_NPC} ORDER BY interaction", [npc])]

    def newest_of_sources(self, npc: int) -> list[Interaction]:
        """The newest entry of every source: her disposition to each."""
        return [interaction_of(row) for row in self._rows(_NEWEST_OF_SOURCES, [npc])]

    def newest_entry(self, npc: int, kind: str = "") -> Interaction | None:
        """The newest entry of all, or of a kind; the first of all tells the emotion."""
        of_kind = "kind = ?" if kind else "kind <> ?"
        newest = f"SELECT max(interaction) FROM interactions WHERE npc = ? AND {of_kind}"
        sql = f"SELECT {_COLUMNS} FROM interactions WHERE interaction = ({newest})"
        row = self._row(sql, [npc, kind or PRUNED])
        return None if row is None else interaction_of(row)

    def prune_interactions(self, npc: int, kept: int) -> int:
        """Forget all but the newest entries, once there are clearly more; how many. Of each source the newest
        that is forgotten stays as a pruned one, so that a rollback finds her disposition; so does the last
        reflection. Inside a transaction.
        """
        # Counting reads the index alone; ordering would sort all of them each time.
        (count,) = self._row(
            "SELECT count(*) FROM interactions WHERE npc = ? AND kind <> ?", [npc, PRUNED]
        ) or (0,)
        if count <= kept + PRUNING_SLACK:
            return 0
        (oldest,) = self._row(
            "SELECT interaction FROM interactions WHERE npc = ? AND kind <> ? ORDER BY interaction DESC "
            "LIMIT 1 OFFSET ?",
            [npc, PRUNED, kept - 1],
        ) or (0,)
        deleted = self._write(
            "DELETE FROM interactions WHERE npc = ?1 AND interaction < ?2 AND interaction NOT IN (SELECT "
            "max(interaction) FROM interactions WHERE npc = ?1 AND interaction < ?2 "
            "AND (source_id <> '' OR kind = ?3) GROUP BY source_id)",
            (npc, oldest, REFLECTION_ENTRY),
        )
        self._write(
            "UPDATE interactions SET kind = ?, content = '', details = '{}' "
            "WHERE npc = ? AND interaction < ? AND kind NOT IN (?1, ?)",
            (PRUNED, npc, oldest, REFLECTION_ENTRY),
        )
        return deleted.rowcount

    def forget_interactions(self, npc: int) -> None:
        """Delete all entries of an NPC. Inside a transaction."""
        self._write("DELETE FROM interactions WHERE npc = ?", (npc,))

    def last_key(self, npc: int) -> int:
        """The highest key of the NPC's memories; 0 without any."""
        row = self._row("SELECT coalesce(max(rowid), 0) FROM memories WHERE npc = ?", [npc])
        return 0 if row is None else int(row[0])

    def importance_after(self, npc: int, key: int) -> int:
        """The sum of the importances of the memories with later keys, without reflections and facts."""
        # The "+" keeps SQLite from reading what other NPCs have stored since.
        row = self._row(
            "SELECT coalesce(sum(importance), 0) FROM memories WHERE npc = ? AND +rowid > ? "
            "AND kind NOT IN (?, ?)",
            [npc, key, REFLECTION, FACT],
        )
        return 0 if row is None else int(row[0])


def roll_back(connection: sqlite3.Connection, moment: float) -> None:
    """Forget the entries that were stored later. Inside a transaction.

    A pruned one stays when it is the earliest that is known of somebody she knew already.
    """
    connection.execute(
        "DELETE FROM interactions WHERE stored_at > ?1 AND NOT (kind = ?2 AND known_since <= ?1 AND NOT "
        "EXISTS (SELECT 1 FROM interactions earlier WHERE earlier.npc = interactions.npc "
        "AND earlier.source_id = interactions.source_id AND earlier.stored_at <= ?1))",
        (moment, PRUNED),
    )

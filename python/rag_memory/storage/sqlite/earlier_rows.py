"""Marks, and the rows as they were at each: the first change after a mark copies the row as it was.

The tables `earlier_...` hold these copies; triggers fill them (schema.py). What a row was at a mark is its
copy for that mark or for the first later mark that has one. A row without such a copy has not changed. A row
whose order number is greater than a mark's was added after it. When marks end, the copies that only they need
go with them: see _end_marks().
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from rag_memory.memory.document import TIMELESS
from rag_memory.memory.owners import RESERVED
from rag_memory.storage.mark import CERTAIN_MARKS, MOST_MARKS, Mark, Rollback
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import DELETE_LATER_MARKS, HAS_ID, MARK_COUNT, SET_REVISION
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.storage.sqlite.write_ahead_log import synced_commits

_KEYS = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}
_IS_LATER = "(write_order > :mark AND stored_at > :timeless)"
_CHANGED = (
    f"SELECT npc, id FROM memories WHERE {_IS_LATER} "
    "UNION SELECT npc, id FROM memories WHERE memory IN "
    "(SELECT memory FROM earlier_memories WHERE mark >= :mark)"
)
_ACCESSED = (
    "SELECT DISTINCT npc FROM memories WHERE memory IN "
    "(SELECT memory FROM earlier_accesses WHERE mark >= :mark)"
)

_OLDEST = "mark NOT IN (SELECT mark FROM marks WHERE is_reachable = 1 ORDER BY mark DESC LIMIT ?)"
_HAS_NO_MARK = "mark >= 0 AND mark NOT IN (SELECT mark FROM marks)"
"""The condition of copies whose mark has ended. Exchanges have copies under negative numbers."""
_LABEL = "(SELECT max(mark) FROM marks WHERE marks.mark <= copied.mark)"
"""The mark that a copy is for: the last one before something changed."""


class EarlierRows:
    """The marks of an open database, and its rows as they were at each; see storage.sql.marks.EarlierRows."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save

    def add_mark(self, code: str, timestamp: float) -> None:
        """Mark the save as it is now; it is on the disk afterwards. Outside a transaction."""
        connection = self._save.connection
        with self._save.errors("write"), synced_commits(connection), self._save.transaction():
            number = self._save.orders.current
            sql = "INSERT INTO marks (mark, timestamp, is_reachable, code) VALUES (?, ?, 1, ?)"
            connection.execute(sql, (number, timestamp, code))
            connection.execute("UPDATE write_orders SET marked = ?", (number,))
            if self._save.statements.number(MARK_COUNT) > MOST_MARKS:
                _end_marks(connection, _OLDEST, (CERTAIN_MARKS,))

    def end_marks_after(self, moment: float) -> None:
        """End the marks of later moments. Inside a transaction."""
        _end_marks(self._save.connection, "timestamp > ?", (moment,))

    def purge(self) -> None:
        """Write the file anew, without what was deleted. Outside a transaction."""
        save = self._save
        with save.transaction():
            save.connection.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
        with save.errors("write"):
            if save.log is not None:
                save.log.prepare()
                save.log.begin()
            save.connection.execute("VACUUM")
            if save.log is not None:
                save.log.checkpoint()

    def return_to(self, mark: Mark) -> Rollback:
        """Make all rows what they were at a mark. Inside a transaction."""
        connection, statements = self._save.connection, self._save.statements
        values = {"mark": mark.number, "timeless": TIMELESS}
        before = set(connection.execute(_CHANGED, values))
        npcs = {int(npc) for npc, _ in before}
        sql = "SELECT DISTINCT npc FROM earlier_memories WHERE mark >= :mark AND write_order <= :mark"
        npcs |= {int(npc) for (npc,) in connection.execute(sql, values)}
        accessed = {int(npc) for (npc,) in connection.execute(_ACCESSED, values)}
        # Nothing of what follows is a change that a later rollback takes back.
        connection.execute("UPDATE write_orders SET marked = -1")
        for table, key in _KEYS.items():
            connection.execute(f"DELETE FROM {table} WHERE {_IS_LATER}", values)
            _put_earlier_rows(connection, table, key, values)
        _put_vectors_and_accesses(connection, values)
        _delete_later_npcs(connection, values)
        statements.write(DELETE_LATER_MARKS, mark=mark.number)
        for table in (*_KEYS, "vectors", "accesses"):
            connection.execute(f"DELETE FROM earlier_{table} WHERE mark >= :mark", values)
        connection.execute("UPDATE write_orders SET marked = :mark", values)
        gone = {(npc, id) for npc, id in before if not statements.row(HAS_ID, npc=npc, id=id)}
        for npc in npcs:
            statements.write(SET_REVISION, npc=npc, revision=new_revision())
        return Rollback(Counter(npc for npc, _ in gone), frozenset(npcs | accessed))


def _end_marks(connection: sqlite3.Connection, condition: str, values: Sequence[float]) -> None:
    """Delete marks, and all copies of rows that no other mark needs. Inside a transaction.

    Of several copies of a row for one mark, the first one is what the row was at that mark.
    """
    sql = f"DELETE FROM marks WHERE is_reachable = 0 OR {condition}"
    if not connection.execute(sql, values).rowcount:
        return
    for table, key in (*_KEYS.items(), ("vectors", "memory"), ("accesses", "memory")):
        is_later = f"write_order > {_LABEL}" if table in _KEYS else "FALSE"
        connection.execute(
            f"DELETE FROM earlier_{table} AS copied WHERE {_HAS_NO_MARK} AND "
            f"({_LABEL} IS NULL OR {is_later} OR EXISTS (SELECT 1 FROM earlier_{table} AS former "
            f"WHERE former.{key} = copied.{key} AND former.mark < copied.mark AND former.mark >= {_LABEL}))"
        )
        connection.execute(f"UPDATE earlier_{table} AS copied SET mark = {_LABEL} WHERE {_HAS_NO_MARK}")
    connection.execute("UPDATE write_orders SET marked = coalesce((SELECT max(mark) FROM marks), -1)")


def _chosen(table: str, key: str) -> str:
    """The earlier rows that are the table's at the mark."""
    return (
        f"(SELECT * FROM earlier_{table} AS earlier WHERE mark = (SELECT min(mark) "
        f"FROM earlier_{table} AS one WHERE one.{key} = earlier.{key} AND one.mark >= :mark))"
    )


def _put_earlier_rows(connection: sqlite3.Connection, table: str, key: str, values: dict[str, float]) -> None:
    """Give rows that were changed what they held at the mark, and add those that were deleted."""
    columns = [str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})")]
    changes = ", ".join(f"{name} = chosen.{name}" for name in columns if name != key)
    # In place: the vector of a memory, which depends on its row, stays.
    connection.execute(
        f"UPDATE {table} SET {changes} FROM {_chosen(table, key)} AS chosen "
        f"WHERE {table}.{key} = chosen.{key} AND chosen.write_order <= :mark",
        values,
    )
    names = ", ".join(columns)
    connection.execute(
        f"INSERT INTO {table} ({names}) SELECT {names} FROM {_chosen(table, key)} AS chosen "
        f"WHERE write_order <= :mark AND NOT EXISTS (SELECT 1 FROM {table} AS present "
        f"WHERE present.{key} = chosen.{key})",
        values,
    )


def _put_vectors_and_accesses(connection: sqlite3.Connection, values: dict[str, float]) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO vectors (memory, model, embedding) SELECT memory, model, embedding "
        f"FROM {_chosen('vectors', 'memory')} AS chosen "
        "WHERE EXISTS (SELECT 1 FROM memories WHERE memories.memory = chosen.memory)",
        values,
    )
    connection.execute(
        "UPDATE memories SET last_accessed = chosen.last_accessed "
        f"FROM {_chosen('accesses', 'memory')} AS chosen WHERE memories.memory = chosen.memory",
        values,
    )


def _delete_later_npcs(connection: sqlite3.Connection, values: dict[str, float]) -> None:
    """Delete the NPCs that had nothing at the mark."""
    reserved = ", ".join(f"'{name}'" for name in sorted(RESERVED))
    connection.execute(f"DELETE FROM npcs WHERE write_order > :mark AND npc_id NOT IN ({reserved})", values)

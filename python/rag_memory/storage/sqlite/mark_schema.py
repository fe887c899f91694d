"""The order number of the write that added a row, and how rows were at each mark if they changed after it.

See marks.py. The tables for earlier rows have no rowids, so they are not taken for others when a damaged save
is read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

MARK_TABLES = """
CREATE TABLE write_orders (
    reserved INTEGER NOT NULL,
    marked INTEGER NOT NULL
);
INSERT INTO write_orders VALUES (0, -1);

CREATE TABLE marks (
    mark INTEGER PRIMARY KEY,
    timestamp REAL NOT NULL,
    is_reachable INTEGER NOT NULL,
    code TEXT NOT NULL UNIQUE
);
CREATE INDEX marks_by_time ON marks (timestamp);

CREATE TABLE earlier_vectors (
    mark INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    model INTEGER NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY (memory, mark)
) WITHOUT ROWID;

CREATE TABLE earlier_accesses (
    mark INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    last_accessed REAL NOT NULL,
    PRIMARY KEY (memory, mark)
) WITHOUT ROWID;
"""
WATCHED = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}
"""Tables with earlier rows, and their keys."""
_MARKED = "(SELECT marked FROM write_orders)"
_WAS_MARKED = f"old.write_order <= {_MARKED} AND old.stored_at > -9.0e15"
_VECTOR_TRIGGER = f"""
CREATE TRIGGER memories_{{name}} BEFORE {{event}} ON memories WHEN {_WAS_MARKED}{{condition}} BEGIN
    INSERT OR IGNORE INTO earlier_vectors (mark, memory, model, embedding)
    SELECT {_MARKED}, memory, model, embedding FROM vectors WHERE memory = old.memory;
END"""
_ACCESS_TRIGGER = f"""
CREATE TRIGGER memories_{{name}} BEFORE {{event}} ON memories WHEN {_WAS_MARKED} BEGIN
    INSERT OR IGNORE INTO earlier_accesses (mark, memory, last_accessed)
    VALUES ({_MARKED}, old.memory, old.last_accessed);
END"""


def create_marks(connection: sqlite3.Connection) -> None:
    """Create the tables for earlier rows, and the triggers that fill them."""
    for table, key in WATCHED.items():
        _create_earlier(connection, table, key)
    # An access is frequent, and small: it has a table of its own.
    connection.execute(_ACCESS_TRIGGER.format(name="accessed", event="UPDATE OF last_accessed"))
    connection.execute(_ACCESS_TRIGGER.format(name="accesses_deleted", event="DELETE"))
    is_changed = " AND old.document_full <> new.document_full"
    connection.execute(
        _VECTOR_TRIGGER.format(name="vector_changed", event="UPDATE OF document_full", condition=is_changed)
    )
    connection.execute(_VECTOR_TRIGGER.format(name="vector_deleted", event="DELETE", condition=""))


def _create_earlier(connection: sqlite3.Connection, table: str, key: str) -> None:
    """The table for earlier states of a table's rows, and the triggers that fill it."""
    types = {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({table})")}
    columns = ", ".join(f"{name} {kind}" for name, kind in types.items())
    connection.execute(
        f"CREATE TABLE earlier_{table} (mark INTEGER NOT NULL, {columns}, PRIMARY KEY ({key}, mark)) "
        "WITHOUT ROWID"
    )
    watched = ", ".join(watched_columns(table, key, list(types)))
    for name, event in (("changed", f"UPDATE OF {watched}"), ("deleted", "DELETE")):
        connection.execute(
            f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} WHEN {_WAS_MARKED} BEGIN "
            f"INSERT OR IGNORE INTO earlier_{table} (mark, {', '.join(types)}) "
            f"VALUES ({_MARKED}, {', '.join(f'old.{column}' for column in types)}); END"
        )


def watched_columns(table: str, key: str, columns: Sequence[str]) -> list[str]:
    """The columns of a table whose change is a change of the row: what follows from the text is made anew
    without one, and accesses have a table of their own.
    """
    unwatched = {key, "npc", "write_order", "keywords", "digest"}
    unwatched |= {"last_accessed"} if table == "memories" else set()
    return [name for name in columns if name not in unwatched]

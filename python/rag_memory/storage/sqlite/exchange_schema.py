"""What schema 2 adds: which transactions an exchange wrote, and the rows as they were before and after each.

The copies lie in the tables of earlier rows, under a negative `mark`; see storage/sql/exchanges.py.
"""

from __future__ import annotations

import sqlite3

from rag_memory.storage.sqlite.mark_schema import WATCHED, watched_columns

_TABLES = """
ALTER TABLE write_orders ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0;
CREATE TABLE exchange_writes (
    write_order INTEGER PRIMARY KEY,
    exchange_id TEXT NOT NULL,
    npc_id TEXT NOT NULL,
    timestamp REAL NOT NULL
);
CREATE INDEX exchange_writes_by_exchange ON exchange_writes (exchange_id);
CREATE INDEX exchange_writes_by_npc ON exchange_writes (npc_id);
"""
_RECORDED = "(SELECT recorded FROM write_orders)"
_IS_RECORDED = f"{_RECORDED} > 0 AND old.write_order <> {_RECORDED}"
_LABEL = f"-2 * {_RECORDED}"
_VECTOR = (
    "INSERT OR IGNORE INTO earlier_vectors (mark, memory, model, embedding) "
    f"SELECT {_LABEL}, memory, model, embedding FROM vectors WHERE memory = old.memory;"
)
_ACCESS = (
    "INSERT OR IGNORE INTO earlier_accesses (mark, memory, last_accessed) "
    f"VALUES ({_LABEL}, old.memory, old.last_accessed);"
)


def add_exchanges(connection: sqlite3.Connection) -> None:
    """Bring a save from schema 1 to schema 2."""
    for statement in _TABLES.strip().split(";\n"):
        connection.execute(statement)
    for table in WATCHED:
        connection.execute(
            f"CREATE INDEX {table}_by_exchange ON {table} (exchange_id) WHERE exchange_id <> ''"
        )
    for table in (*WATCHED, "vectors", "accesses"):
        connection.execute(f"CREATE INDEX earlier_{table}_by_mark ON earlier_{table} (mark)")
    for table, key in WATCHED.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        body = (
            f"INSERT OR IGNORE INTO earlier_{table} (mark, {', '.join(columns)}) "
            f"VALUES ({_LABEL}, {', '.join(f'old.{column}' for column in columns)});"
        )
        watched = ", ".join(watched_columns(table, key, columns))
        _create_trigger(connection, table, "recorded_change", f"UPDATE OF {watched}", body)
        _create_trigger(connection, table, "recorded_deletion", "DELETE", body)
    _create_trigger(connection, "memories", "recorded_access", "UPDATE OF last_accessed", _ACCESS)
    _create_trigger(connection, "memories", "recorded_vector", "UPDATE OF document_full", _VECTOR)
    _create_trigger(connection, "memories", "recorded_loss", "DELETE", _VECTOR)


def _create_trigger(connection: sqlite3.Connection, table: str, name: str, event: str, body: str) -> None:
    connection.execute(
        f"CREATE TRIGGER {table}_{name} BEFORE {event} ON {table} WHEN {_IS_RECORDED} BEGIN {body} END"
    )

"""Is the content of a save's file what it should be, beyond what SQLite notices by itself?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from rag_memory.storage.sqlite.mark_schema import WATCHED
from rag_memory.storage.sqlite.schema import HIGHEST_KEY
from rag_memory.storage.sqlite.sqlite_failure import damage
from rag_memory.storage.sqlite.write_orders import check_orders

_WHOLLY_CHECKED_BYTES = 64 << 20
_SMALL_TABLES = ("meta", "npcs", "embedding_models", "write_orders", "marks")


def is_large(file: Path) -> bool:
    """Return True if checking the whole file would take seconds."""
    return file.exists() and file.stat().st_size > _WHOLLY_CHECKED_BYTES


def check_whole(connection: sqlite3.Connection, is_trusted: bool = False) -> None:
    """Raise the DatabaseError of a damaged file. Of one that `is_trusted`, only the small tables are checked:
    damage elsewhere shows when it is read. A large file is trusted, because reading all of it would take
    seconds, and so is one whose pages have the right checksums.

    Indexes are compared with their tables: one changed bit in the order of an index hides a hundred memories,
    and no statement fails.
    """
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    small = [f"integrity_check('{table}')" for table in _SMALL_TABLES if table in present]
    for check in small if is_trusted else ("integrity_check(1)",):
        (result,) = connection.execute(f"PRAGMA {check}").fetchone()
        if result != "ok":
            raise damage(result)
    if not is_trusted:
        _check_types(connection)
        _check_keys(connection)
    check_orders(connection, is_trusted)


def _check_types(connection: sqlite3.Connection) -> None:
    """Raise the DatabaseError of a value whose type is not its column's: one changed bit makes bytes of a
    text, and SQLite sees nothing wrong in that.
    """
    for table in (
        *("npcs", "embedding_models", "memories", "archived_memories", "vectors", "documents", "marks"),
    ):
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        strange = [f"typeof({name}) NOT IN ('{kind.lower()}', 'null')" for _, name, kind, *_ in columns]
        if (
            columns
            and connection.execute(f"SELECT 1 FROM {table} WHERE {' OR '.join(strange)} LIMIT 1").fetchone()
        ):
            raise damage(f"a value in its table {table} has another type than its column")


def _check_keys(connection: sqlite3.Connection) -> None:
    """Raise the DatabaseError of rows whose numbers cannot be, or that refer to rows that are gone."""
    for table, key in WATCHED.items():
        if connection.execute(f"SELECT 1 FROM {table} WHERE {key} > ?", (HIGHEST_KEY,)).fetchone():
            raise damage(f"its table {table} has a row with a number that was never given")
    if (row := connection.execute("PRAGMA foreign_key_check").fetchone()) is not None:
        raise damage(f"its table {row[0]} refers to a row of the table {row[2]} that is gone")

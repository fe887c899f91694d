"""Saves as older versions wrote them, made of current ones."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path


def make_version_5(path: Path) -> None:
    """Make a current save, or a snapshot, one of version 5: it has no documents, and no marks."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        rows = connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        for kind, name in rows:
            if kind == "trigger" and not name.startswith("memories_fts"):
                connection.execute(f"DROP TRIGGER {name}")
        for kind, name in rows:
            if kind == "table" and (name.startswith("earlier_") or name in ("marks", "write_orders")):
                connection.execute(f"DROP TABLE {name}")
        for table in ("npcs", "memories", "archived_memories", "interactions"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN write_order")
        connection.execute("DROP TABLE documents")
        connection.execute("PRAGMA user_version = 5")

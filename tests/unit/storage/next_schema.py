"""A schema that follows the newest one: it shows what happens to saves when the schema changes."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

import pytest

from rag_memory.storage.sqlite import (
    database,
    leftover_logs,
    salvage,
    save_contents,
    schema,
    snapshots,
    store,
)

NEXT_VERSION = schema.SCHEMA_VERSION + 1
_USERS = (database, leftover_logs, salvage, save_contents, schema, snapshots, store)


@contextlib.contextmanager
def next_schema() -> Iterator[None]:
    """Inside, NEXT_VERSION is the newest schema: NPCs have one more column."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(schema.MIGRATIONS, NEXT_VERSION, _add_column)
        for module in _USERS:
            patch.setattr(module, "SCHEMA_VERSION", NEXT_VERSION)
        yield


def _add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE npcs ADD COLUMN age INTEGER NOT NULL DEFAULT 0")

"""The database under a save, for tests of what only SQLite does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from rag_memory.storage.protocol import Storage
from rag_memory.storage.sqlite.store import Store


@contextmanager
def reading(store: Storage) -> Iterator[sqlite3.Connection]:
    """The connection; an error of SQLite inside becomes a StoreError."""
    assert isinstance(store, Store)
    with store._save.errors("read"):
        yield store._save.connection

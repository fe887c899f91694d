"""The database under a save, for tests of what only SQLite does."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager

from rag_memory.storage.protocol import Storage
from rag_memory.storage.sqlite.store import Store


def reading(store: Storage) -> AbstractContextManager[sqlite3.Connection]:
    """The connection; an error of SQLite inside becomes a StoreError."""
    assert isinstance(store, Store)
    return store._reading()

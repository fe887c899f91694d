"""The database under a save, for tests of what only SQLite does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from rag_memory.storage.protocol import Storage
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.storage.sqlite.store import Store


def opened(store: Storage) -> OpenSave:
    """The open file of a store."""
    assert isinstance(store, Store)
    return store._save


@contextmanager
def reading(store: Storage) -> Iterator[sqlite3.Connection]:
    """The connection; an error of SQLite inside becomes a StoreError."""
    save = opened(store)
    with save.errors("read"):
        yield save.connection

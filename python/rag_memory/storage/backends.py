"""The storage backends there are: one package and one entry each. Nothing else knows which one it uses."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from rag_memory.errors import SaveError
from rag_memory.server_part import why_missing
from rag_memory.storage.postgres_storage import MemoryPostgresStorage
from rag_memory.storage.sqlite.save_files import SqliteFiles

if TYPE_CHECKING:
    from rag_memory.storage.protocol import Storage
    from rag_memory.storage.save_files import SaveFiles, ServerSaves

SQLITE = "sqlite"
POSTGRES = "postgres"

SAVE_FILES: SaveFiles = SqliteFiles()


def open_storage(
    path: str, backend: str = SQLITE, where: MemoryPostgresStorage | None = None, is_read_only: bool = False
) -> Storage:
    """Open a save, or create it.

    Args:
        path: a file, or one of fleeting_paths.py; on a server the name of the save.
        backend: one of BACKENDS.
        where: where the server is, for a backend on one.
        is_read_only: on a server, whether nothing is written, and no NPC taken.

    Raises:
        SaveError: it cannot be opened.
    """
    return BACKENDS[backend](path, where, is_read_only)


# Imported when a save is opened: a game that shows its menu needs none of it.
def _open_sqlite(path: str, where: MemoryPostgresStorage | None, is_read_only: bool) -> Storage:
    from rag_memory.storage.sqlite.store import Store

    return Store(path)


def _open_postgres(path: str, where: MemoryPostgresStorage | None, is_read_only: bool) -> Storage:
    with _client_for(f"The save {path} cannot be opened"):
        from rag_memory_server.postgres.store import Store
    return Store(path, where or MemoryPostgresStorage(), is_read_only)


def server_saves(where: MemoryPostgresStorage) -> ServerSaves:
    """The saves on a server.

    Raises:
        SaveError: there is no client for it.
    """
    with _client_for(f"The saves on {where} cannot be used"):
        from rag_memory_server.postgres.server_saves import ServerSaves
    return ServerSaves(where)


@contextlib.contextmanager
def _client_for(what: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        why, remedy = why_missing(error)
        raise SaveError(what, why, remedy) from error


BACKENDS: Mapping[str, Callable[[str, MemoryPostgresStorage | None, bool], Storage]] = {
    SQLITE: _open_sqlite,
    POSTGRES: _open_postgres,
}
"""What opens a save, by the backend's name."""

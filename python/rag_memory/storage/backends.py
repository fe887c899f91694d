"""The storage backends there are: one package and one entry each. Nothing else knows which one it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rag_memory.storage.sqlite.save_files import SqliteFiles

if TYPE_CHECKING:
    from rag_memory.storage.protocol import Storage
    from rag_memory.storage.save_files import SaveFiles

SQLITE = "sqlite"
IN_MEMORY = "in_memory"

SAVE_FILES: SaveFiles = SqliteFiles()


def open_storage(path: str, backend: str = SQLITE) -> Storage:
    """Open a save, or create it.

    Args:
        path: a file, or one of fleeting_paths.py.
        backend: one of BACKENDS.

    Raises:
        SaveError: it cannot be opened.
    """
    return BACKENDS[backend](path)


# Imported when a save is opened: a game that shows its menu needs none of it.
def _open_sqlite(path: str) -> Storage:
    from rag_memory.storage.sqlite.store import Store

    return Store(path)


def _open_in_memory(path: str) -> Storage:
    from rag_memory.storage.in_memory.store import Store

    return Store(path)


BACKENDS: Mapping[str, Callable[[str], Storage]] = {SQLITE: _open_sqlite, IN_MEMORY: _open_in_memory}
"""What opens a save, by the backend's name."""

"""The storage backend of saves in files, or in memory. Nothing else knows which one it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag_memory.storage.sqlite.save_files import SqliteFiles

if TYPE_CHECKING:
    from rag_memory.storage.protocol import Storage
    from rag_memory.storage.save_files import SaveFiles

SAVE_FILES: SaveFiles = SqliteFiles()


def open_storage(path: str) -> Storage:
    """Open a save, or create it.

    Args:
        path: a file, or one of fleeting_paths.py.

    Raises:
        SaveError: it cannot be opened.
    """
    # Imported when a save is opened: a game that shows its menu needs none of it.
    from rag_memory.storage.sqlite.store import Store

    return Store(path)

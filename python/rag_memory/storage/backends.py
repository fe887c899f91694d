"""The storage backend of saves in files, or in memory. Nothing else knows which one it is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from rag_memory.memory.document import Document
from rag_memory.storage.sqlite.save_files import SqliteFiles

if TYPE_CHECKING:
    from rag_memory.storage.protocol import SaveState, Storage
    from rag_memory.storage.save_files import SaveFiles

SAVE_FILES: SaveFiles = SqliteFiles()


def open_storage(
    path: str, mend: Callable[[Document], Document | None] = lambda document: document
) -> Storage:
    """Open a save, or create it.

    Args:
        path: a file, or one of fleeting_paths.py.
        mend: returns a document that somebody has changed with what its readers need, or None when it says
            nothing any more.

    Raises:
        SaveError: it cannot be opened.
    """
    # Imported when a save is opened: a game that shows its menu needs none of it.
    from rag_memory.storage.sqlite.store import Store

    return Store(path, mend)


def read_storage(path: Path) -> AbstractContextManager[SaveState]:
    """The save in a closed file, to be read.

    Raises:
        SaveError: it is damaged or was written by a newer version.
    """
    from rag_memory.storage.sqlite.snapshots import opened_file

    return opened_file(path)

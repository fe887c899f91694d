"""A save whose file disappears while it is open: deleted, or moved with its folder."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
from pathlib import Path

from rag_memory.errors import StoreError
from rag_memory.storage.sqlite.save_paths import unused

_LOG = logging.getLogger("rag_memory")


class OpenFile:
    """The file of an open save, as it was when it was opened."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file = os.stat(path)
        self._rescued: Path | None = None
        self._is_gone = False

    def check(self, connection: sqlite3.Connection) -> None:
        """See that the file is still where it was; otherwise write all of it to another one, once.

        Raises:
            StoreError: it is gone.
        """
        if not self._is_gone:
            if not self._has_moved():
                return
            self._is_gone = True
            self._rescued = self._written(connection)
        outcome = (
            f"everything in it is in {self._rescued} now"
            if self._rescued
            else "what is in it could not be written to another file"
        )
        raise StoreError(
            f"The file of the save {self._path} has gone while it was open",
            f"it was deleted, moved or replaced; {outcome}",
            "Close the save, give the rescued file the name of the save, and open it again",
        )

    def _has_moved(self) -> bool:
        """Whether another file, or none, has its name now. Takes a microsecond or two."""
        try:
            return not os.path.samestat(os.stat(self._path), self._file)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            # A drive that does not answer has not lost it.
            return False

    def _written(self, connection: sqlite3.Connection) -> Path | None:
        target = unused(f"{self._path}.rescued")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(target)) as copy:
                connection.backup(copy)
        except (OSError, sqlite3.Error) as error:
            _LOG.error("The save %s has gone and could not be written to %s: %s", self._path, target, error)
            return None
        return target

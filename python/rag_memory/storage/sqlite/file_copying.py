"""Copying the file of a save while it is open."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator
from io import FileIO
from pathlib import Path

from rag_memory.errors import StoreError
from rag_memory.step import Step
from rag_memory.storage.sqlite.copying import copy_content_steps, sync_steps
from rag_memory.storage.sqlite.log_record import renew_record
from rag_memory.storage.sqlite.open_save import OpenSave


class FileCopying:
    """Copies the file of an open save."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._main_file: FileIO | None = None

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """See storage.protocol.Storage.copy_steps()."""
        save = self._save
        assert save.log is not None, "a save in memory is not copied"
        save.check_file()
        if self._main_file is None:
            # Kept open until the database is closed: POSIX drops all of a process's locks on a file with the
            # first handle to it that is closed.
            self._main_file = open(save.path, "rb", buffering=0)  # noqa: SIM115
        with save.errors("write"):
            save.log.empty()
        if save.log.is_behind:
            # Another copy is being made, so what is in the log cannot be put into the file.
            save.sync()
            yield from self._whole_steps(target)
            return
        # The main file holds still while nothing is moved into it from the write-ahead log.
        with save.log.held(), open(target, "wb", buffering=0) as copy:
            for step in copy_content_steps(self._main_file, copy):
                yield step
                if self._main_file.closed:
                    raise StoreError(
                        f"The save {save.name} could not be copied",
                        "it was closed meanwhile",
                        "Wait until the copy is made, then close the save",
                    )
            renew_record(target)
            yield from sync_steps(copy)

    def _whole_steps(self, target: Path) -> Generator[Step, None, None]:
        """As copy_steps(), of the file and the log, all at once."""
        target.unlink(missing_ok=True)
        with self._save.errors("write"), contextlib.closing(sqlite3.connect(target)) as copy:
            self._save.connection.backup(copy)
        renew_record(target)
        with open(target, "r+b", buffering=0) as written:
            yield from sync_steps(written)

    def close(self) -> None:
        """Close the file that was read; after the database."""
        if self._main_file is not None:
            self._main_file.close()

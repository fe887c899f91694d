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

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """See storage.protocol.Storage.copy_steps()."""
        save = self._save
        save.check_file()
        assert save.log is not None and save.file is not None, "a save in memory is not copied"
        main_file = save.file.stream
        with save.errors("write"):
            save.log.empty()
        if save.log.is_behind:
            # Another copy is being made, so what is in the log cannot be put into the file.
            save.sync()
            yield from self._whole_steps(target)
            return
        # The main file holds still while nothing is moved into it from the write-ahead log.
        with save.log.held(), open(target, "wb", buffering=0) as copy:
            for step in copy_content_steps(main_file, copy):
                yield step
                self._check_open(main_file)
            save.check_file()
            self._check_open(main_file)
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

    def _check_open(self, main_file: FileIO) -> None:
        if main_file.closed:
            raise StoreError(
                f"The save {self._save.name} could not be copied",
                "it was closed, or another program has replaced its file meanwhile",
                "Make the copy again, and wait until it is made before the save is closed",
            )

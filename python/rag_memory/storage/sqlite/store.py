"""The SQLite side of a save: one open database.

Its parts hold the statements that read and write memories; those on what is no longer in force are in
archive.py, capture.py and rollback.py.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from io import FileIO
from pathlib import Path
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.step import Step
from rag_memory.storage.comparison import ComparedRow
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.ownership import OnlyOwner
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.sqlite import snapshots
from rag_memory.storage.sqlite.archiving import Archiving
from rag_memory.storage.sqlite.copying import copy_content_steps, sync_steps
from rag_memory.storage.sqlite.lists import Lists
from rag_memory.storage.sqlite.log_record import renew_record
from rag_memory.storage.sqlite.marks import MarkTable
from rag_memory.storage.sqlite.npc_numbers import NpcNumbers
from rag_memory.storage.sqlite.record_reading import RecordReading
from rag_memory.storage.sqlite.save_contents import contents
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, migrate
from rag_memory.storage.sqlite.snapshots import OpenedSnapshot, compared_rows
from rag_memory.storage.sqlite.term_index import TermIndex
from rag_memory.storage.sqlite.vector_table import VectorTable


class Store(
    OnlyOwner,
    NpcNumbers,
    RecordReading,
    Archiving,
    VectorTable,
    TermIndex,
    Lists,
    MarkTable,
):
    """One open database. Everything is written in transactions; what a method has written survives a killed
    process.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._main_file: FileIO | None = None

    comparing = None

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""
        with self._reading() as connection:
            return connection.total_changes - (0 if self._log is None else self._log.change_count)

    def versions(self) -> dict[str, Any]:
        """The versions of the tables and of SQLite."""
        return {"schema_version": SCHEMA_VERSION, "sqlite_version": sqlite3.sqlite_version}

    def folder(self, ending: str) -> Path | None:
        """A folder beside the save for what belongs to it; None for a save in memory."""
        is_file = self.path not in (MEMORY_PATH, TEMPORARY_PATH)
        return Path(f"{self.path.removesuffix(SAVE_SUFFIX)}{ending}") if is_file else None

    def close(self) -> None:
        """Put everything into the main file and release it."""
        try:
            with self._errors("close"):
                try:
                    self._check_file()
                finally:
                    self._database.close()
        finally:
            if self._main_file is not None:
                self._main_file.close()

    @property
    def is_current(self) -> bool:
        """Always: an older save becomes a current one when it is opened."""
        return True

    def compared_rows(self) -> Iterator[ComparedRow]:
        """Every memory, as it is compared with another state of the save."""
        with self._reading() as connection:
            yield from compared_rows(connection)

    def replace_all(self, source: SaveState) -> None:
        """Become a copy of another save, all of it or nothing. One of an older schema version becomes a
        current one afterwards.
        """
        assert isinstance(source, Store | OpenedSnapshot), "a save in another backend is not copied"
        with self._errors("write"):
            (version,) = source._connection.execute("PRAGMA user_version").fetchone()
            self._read.clear()
            if self._log is not None:
                # The copy brings the record that the other save has.
                self._log.prepare()
                self._log.begin()
            source._connection.backup(self._connection)
            migrate(self._connection, version)
            self._orders.reload()
            if self._log is not None:
                # What stays in the log is as safe, only the log is long.
                with contextlib.suppress(sqlite3.Error):
                    self._log.checkpoint()

    def snapshot_steps(self, slot: Any) -> Generator[Step, None, None]:
        """Copy the save as it is now into a slot; see snapshots.write_steps()."""
        return snapshots.write_steps(self.folder(snapshots.ENDING), slot, self.copy_steps)

    def snapshots(self) -> list[str]:
        """The slots that hold a snapshot, in alphabetical order."""
        return snapshots.slots(self.folder(snapshots.ENDING))

    def delete_snapshot(self, slot: Any) -> None:
        """Delete the snapshot in a slot; see snapshots.delete()."""
        snapshots.delete(self.folder(snapshots.ENDING), slot)

    def contents(self) -> dict[str, Any]:
        """What is in the save, in numbers; see save_contents.contents()."""
        with self._reading() as connection:
            return contents(connection)

    def opened_snapshot(self, where: str, slot: Any) -> AbstractContextManager[OpenedSnapshot]:
        """The snapshot in a slot, to be read; see snapshots.opened()."""
        return snapshots.opened(where, self.folder(snapshots.ENDING), slot)

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """Write a copy of the whole database as it is now, in slices; it is on the disk at the end.

        Raises:
            OSError: the copy could not be written.
            StoreError: the save itself could not be, its file has gone, or it was closed meanwhile.
        """
        assert self._log is not None, "a save in memory is not copied"
        self._check_file()
        if self._main_file is None:
            # Kept open until the database is closed: POSIX drops all of a process's locks on a file with the
            # first handle to it that is closed.
            self._main_file = open(self.path, "rb", buffering=0)  # noqa: SIM115
        with self._errors("write"):
            self._log.empty()
        if self._log.is_behind:
            # Another copy is being made, so what is in the log cannot be put into the file.
            yield from self._whole_copy_steps(target)
            return
        # The main file holds still while nothing is moved into it from the write-ahead log.
        with self._log.held(), open(target, "wb", buffering=0) as copy:
            for step in copy_content_steps(self._main_file, copy):
                yield step
                if self._main_file.closed:
                    raise StoreError(
                        f"The save {self.name} could not be copied",
                        "it was closed meanwhile",
                        "Wait until the copy is made, then close the save",
                    )
            renew_record(target)
            yield from sync_steps(copy)

    def _whole_copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """As copy_steps(), of the file and the log, all at once."""
        target.unlink(missing_ok=True)
        with self._errors("write"), contextlib.closing(sqlite3.connect(target)) as copy:
            self._connection.backup(copy)
        renew_record(target)
        with open(target, "r+b", buffering=0) as written:
            yield from sync_steps(written)

"""The SQLite side of a save: one open database."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rag_memory.errors import SaveDamagedError, SaveError, StoreError
from rag_memory.step import Step
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.ownership import OnlyOwner
from rag_memory.storage.protocol import SaveState
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.browsing import Browsing, stored_contents
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.exchanges import Exchanges
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.lists import Lists
from rag_memory.storage.sql.marks import Marks
from rag_memory.storage.sql.npcs import Npcs
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sqlite.clauses import Clauses
from rag_memory.storage.sqlite.earlier_rows import EarlierRows
from rag_memory.storage.sqlite.file_copying import FileCopying
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.storage.sqlite.recorded_rows import RecordedRows
from rag_memory.storage.sqlite.save_header import SAVE_SUFFIX
from rag_memory.storage.sqlite.save_paths import SNAPSHOTS
from rag_memory.storage.sqlite.schema import SCHEMA_VERSION, migrate
from rag_memory.storage.sqlite.snapshots import OpenedSnapshot, Snapshots
from rag_memory.storage.sqlite.sqlite_failure import tells_damage
from rag_memory.storage.sqlite.terms import Terms
from rag_memory.storage.sqlite.value_mending import MendFunction, mend_values
from rag_memory.storage.sqlite.vectors import Vectors


class Store:
    """One open database; see storage.protocol.Storage. Everything is written in transactions; what a method
    has written survives a killed process.
    """

    comparing = None

    def __init__(self, path: str, mend: MendFunction = lambda document: document) -> None:
        """`mend`: mends documents that somebody has changed; see value_mending.py."""
        self.path = path
        self._mend = mend
        self._save = OpenSave(path)
        try:
            if not self._save.was_as_written:
                mend_values(self._save, mend)
        except StoreError as error:
            self._save.close()
            is_damaged = isinstance(error.__cause__, sqlite3.Error) and tells_damage(error.__cause__)
            raise (SaveDamagedError if is_damaged else SaveError)(
                error.what, error.why, error.remedy
            ) from error
        except BaseException:
            self._save.close()
            raise
        self._copying = FileCopying(self._save)
        statements = self._save.statements
        self.owners = OnlyOwner()
        self.npcs = Npcs(statements)
        self.records = Records(statements, self._save.cache)
        self.vectors = Vectors(self._save)
        self.terms = Terms(self._save)
        self.lists = Lists(statements, Clauses())
        self.browsing = Browsing(statements)
        self.documents = Documents(statements)
        self.interactions = Interactions(statements)
        self.archive = Archive(statements, self.records)
        self.exchanges = Exchanges(statements, self.records, RecordedRows(self._save))
        rows = EarlierRows(self._save)
        self.marks = Marks(statements, self.records, self.archive, rows, self.exchanges)
        self.snapshots = Snapshots(self.folder(SNAPSHOTS), self._copying.copy_steps)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._save.name

    @property
    def change_count(self) -> int:
        """A number that grows with everything that is written."""
        with self._save.errors("read"):
            return self._save.change_count

    @property
    def is_current(self) -> bool:
        """Always: an older save becomes a current one when it is opened."""
        return True

    def versions(self) -> dict[str, Any]:
        """The versions of the tables and of SQLite."""
        return {"schema_version": SCHEMA_VERSION, "sqlite_version": sqlite3.sqlite_version}

    def suspect(self) -> None:
        """Note that the file is damaged, for whoever opens it next."""
        self._save.suspect()

    def folder(self, ending: str) -> Path | None:
        """A folder beside the save for what belongs to it; None for a save in memory."""
        is_file = self.path not in (MEMORY_PATH, TEMPORARY_PATH)
        return Path(f"{self.path.removesuffix(SAVE_SUFFIX)}{ending}") if is_file else None

    def transaction(self) -> AbstractContextManager[None]:
        """See OpenSave.transaction()."""
        return self._save.transaction()

    def sync(self) -> None:
        """See storage.protocol.Storage.sync()."""
        self._save.sync()

    def close(self) -> None:
        """Put everything into the main file and release it."""
        self._save.close()

    def replace_all(self, source: SaveState | None) -> None:
        """Become a copy of another save, or empty, all of it or nothing. One of an older schema version
        becomes a current one afterwards.
        """
        if source is None:
            with contextlib.closing(Store(TEMPORARY_PATH)) as nothing:
                self.replace_all(nothing)
            return
        assert isinstance(source, Store | OpenedSnapshot), "a save in another backend is not copied"
        save = self._save
        save.check_file()
        origin = source._save.connection if isinstance(source, Store) else source.connection
        with save.errors("write"):
            (version,) = origin.execute("PRAGMA user_version").fetchone()
            self.records.forget_cached()
            if save.log is not None:
                # The copy brings the record that the other save has.
                save.log.prepare()
                save.log.begin()
            _copy_into(origin, save.connection)
            migrate(save.connection, version)
            save.orders.reload()
            mend_values(save, self._mend)
            if save.log is not None:
                # What stays in the log is as safe, only the log is long.
                with contextlib.suppress(sqlite3.Error):
                    save.log.checkpoint()

    def copy_steps(self, target: Path) -> Generator[Step, None, None]:
        """Write a copy of the whole database as it is now, in slices; it is on the disk at the end.

        Raises:
            OSError: the copy could not be written.
            StoreError: the save itself could not be, its file has gone, or it was closed meanwhile.
        """
        return self._copying.copy_steps(target)

    def contents(self) -> dict[str, Any]:
        """The contents of the save in numbers; see storage.protocol.Storage.contents()."""
        return stored_contents(self._save.statements, SCHEMA_VERSION)


def _copy_into(source: sqlite3.Connection, target: sqlite3.Connection) -> None:
    """Make one database a copy of another one, also of one with smaller or larger pages."""
    (page_bytes,), (wanted,) = (
        database.execute("PRAGMA page_size").fetchone() for database in (source, target)
    )
    if page_bytes == wanted:
        source.backup(target)
        return
    with (
        tempfile.TemporaryDirectory(prefix="rag_memory") as folder,
        contextlib.closing(sqlite3.connect(Path(folder) / "copy", isolation_level=None)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute(f"PRAGMA page_size = {int(wanted)}")
        copy.execute("VACUUM")
        copy.backup(target)

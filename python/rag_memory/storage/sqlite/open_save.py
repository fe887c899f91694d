"""One open database file: its transactions, its errors and what happens when the file goes away."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from rag_memory.errors import SaveError, StoreError, in_words
from rag_memory.memory.record import Record
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.sqlite.database import open_database
from rag_memory.storage.sqlite.open_file import OpenFile
from rag_memory.storage.sqlite.save_paths import suspicion_of
from rag_memory.storage.sqlite.sqlite_failure import cause, remedy, tells_damage
from rag_memory.storage.sqlite.statements import Statements
from rag_memory.storage.sqlite.write_orders import WriteOrders


class OpenSave:
    """An open database, for the parts of the store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = open_database(path)
        self.connection = self._database.connection
        self.log = self._database.log
        self.cache: dict[int, Record] = {}
        """Records that were read, by key."""
        is_file = path not in (MEMORY_PATH, TEMPORARY_PATH)
        try:
            with self._opening():
                self._file = OpenFile(path) if is_file else None
                self.orders = WriteOrders(self.connection)
        except BaseException:
            # Also its lock, which would keep the next one out.
            self._database.close()
            raise
        self.statements = Statements(self.connection, self.orders, self.failure, self.suspect)

    @contextlib.contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            why = cause(error) if isinstance(error, sqlite3.Error) else in_words(error)
            raise SaveError(
                f"The save {self.name} cannot be opened", why, "Check its drive, then open the save again"
            ) from error

    @property
    def name(self) -> str:
        """What messages call it."""
        return "in a temporary file" if self.path == TEMPORARY_PATH else self.path

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self.errors("write"):
            is_part = self.connection.in_transaction
            if is_part:
                yield
                return
            self.check_file()
            if self.log is not None:
                self.log.prepare()
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                if self.log is not None:
                    self.log.tie()
                self.orders.begin()
                yield
                self.connection.execute("COMMIT")
                if self.log is not None:
                    self.log.committed()
            except BaseException:
                self.cache.clear()
                self.orders.undo()
                # On a full disk SQLite has rolled back by itself.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Inside, errors of SQLite become a StoreError that says what the save could not do."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.failure(doing, error) from error

    def sync(self) -> None:
        """Bring what was committed to the disk. Outside a transaction."""
        with self.errors("write"):
            self.check_file()
            if self.log is not None:
                self.log.sync()

    def close(self) -> None:
        """Put everything into the main file and release it."""
        with self.errors("close"):
            try:
                self.check_file()
            finally:
                self._database.close()

    def check_file(self) -> None:
        """See that the file has not gone; see OpenFile.check()."""
        if self._file is not None:
            self._file.check(self.connection)

    def suspect(self) -> None:
        """Note that the file is damaged, for whoever opens it next."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                suspicion_of(Path(self.path)).touch()

    def failure(self, doing: str, error: sqlite3.Error) -> StoreError:
        """The error to raise of what the save could not do; a damaged file is suspected from now on."""
        if tells_damage(error):
            self.suspect()
        what_next = remedy(error, is_temporary=self.path == TEMPORARY_PATH)
        return StoreError(f"The save {self.name} could not {doing}", cause(error), what_next)

"""What every part of the SQLite store has: the connection, the records read lately, and errors told."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rag_memory.errors import SaveError, StoreError, in_words
from rag_memory.memory.record import Record
from rag_memory.storage.fleeting_paths import MEMORY_PATH, TEMPORARY_PATH
from rag_memory.storage.sql.browsing import Browsing
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sqlite.database import open_database
from rag_memory.storage.sqlite.open_file import OpenFile
from rag_memory.storage.sqlite.save_paths import suspicion_of
from rag_memory.storage.sqlite.sqlite_failure import cause, remedy, tells_damage
from rag_memory.storage.sqlite.statements import Statements
from rag_memory.storage.sqlite.write_orders import WriteOrders

# IN lists come in a few lengths only, so that their statements stay prepared.
_IN_LENGTHS = (1, 4, 8, 16, 24, 32, 48, 64, 128, 256)


class Connected:
    """An open database, for the parts of the store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._database = open_database(path)
        self._connection = self._database.connection
        self._log = self._database.log
        self._read: dict[int, Record] = {}
        """Records kept after they were read."""
        is_file = path not in (MEMORY_PATH, TEMPORARY_PATH)
        try:
            with self._opening():
                self._file = OpenFile(path) if is_file else None
                self._orders = WriteOrders(self._connection)
                self._statements = Statements(self._connection, self._orders, self._failed, self.suspect)
                self.records = Records(self._statements)
                self.browsing = Browsing(self._statements)
                self.documents = Documents(self._statements)
                self.interactions = Interactions(self._statements)
        except BaseException:
            # Also its lock, which would keep the next one out.
            self._database.close()
            raise

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
        with self._errors("write"):
            is_part = self._connection.in_transaction
            if is_part:
                yield
                return
            self._check_file()
            if self._log is not None:
                self._log.prepare()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                if self._log is not None:
                    self._log.tie()
                self._orders.begin()
                yield
                self._connection.execute("COMMIT")
                if self._log is not None:
                    self._log.committed()
            except BaseException:
                self._read.clear()
                self._orders.undo()
                # On a full disk SQLite has rolled back by itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that only read."""
        with self._errors("read"):
            yield self._connection

    def _record(self, sql: str, values: Sequence[Any]) -> Record | None:
        row = self._row(sql, values)
        return None if row is None else Record._make(row)

    def _records(self, sql: str, values: Sequence[Any]) -> list[Record]:
        return [Record._make(row) for row in self._rows(sql, values)]

    def _row(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> tuple[Any, ...] | None:
        try:
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise self._failed("read", error) from error
        return row

    def _rows(self, sql: str, values: Sequence[Any] | dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._failed("read", error) from error

    def _rows_in(self, select: str, rowids: Sequence[int], order: str = "") -> list[tuple[Any, ...]]:
        """What `select`, which ends with a rowid, finds of these, some at a time, each part in this order."""
        found: list[tuple[Any, ...]] = []
        for start in range(0, len(rowids), _IN_LENGTHS[-1]):
            part = list(rowids[start : start + _IN_LENGTHS[-1]])
            length = next(each for each in _IN_LENGTHS if each >= len(part))
            places = "?" + ",?" * (length - 1)
            part += [-1] * (length - len(part))
            found += self._rows(f"{select} IN ({places}) {order}", part)
        return found

    def _write(self, sql: str, values: Iterable[Any]) -> sqlite3.Cursor:
        return self._connection.execute(sql, tuple(values))

    @contextlib.contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failed(doing, error) from error

    def _check_file(self) -> None:
        """See that the file has not gone; see OpenFile.check()."""
        if self._file is not None:
            self._file.check(self._connection)

    def suspect(self) -> None:
        """Note that the file is damaged, for whoever opens it next."""
        if self._file is not None:
            with contextlib.suppress(OSError):
                suspicion_of(Path(self.path)).touch()

    def _failed(self, doing: str, error: sqlite3.Error) -> StoreError:
        if tells_damage(error):
            self.suspect()
        what_next = remedy(error, is_temporary=self.path == TEMPORARY_PATH)
        return StoreError(f"The save {self.name} could not {doing}", cause(error), what_next)

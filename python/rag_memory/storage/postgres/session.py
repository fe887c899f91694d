"""The connection of one open save: it has the save to itself, and is made again when it drops.

A statement outside a transaction only reads, so it is run again. A transaction whose connection drops fails
as a whole. When it drops while the server commits, nobody knows what has become of it; the server is then
asked, by the number that it gave the transaction.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg

from rag_memory.errors import SaveError, SaveLockedError, SaveUnreachableError, StoreError
from rag_memory.storage.postgres.connecting import connected
from rag_memory.storage.postgres.postgres_failure import cause, remedy
from rag_memory.storage.postgres_storage import PostgresStorage

Rows = psycopg.Cursor[tuple[Any, ...]]

_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 1.0


class Session:
    """A connection, the number of its save, and whether a transaction is open."""

    def __init__(self, name: str, where: PostgresStorage) -> None:
        """
        Raises:
            SaveLockedError: another process, or another storage of this one, has the save open.
            SaveError: the server cannot be reached, refuses, or has what this version cannot use.
        """
        self.name = name
        self.where = where
        self.is_in_transaction = False
        self._mark = f"rag_memory {uuid.uuid4().hex[:12]}"
        """By which the server's other side of the connection is found again."""
        self._is_closed = False
        self._is_lost = False
        """Whether the last attempt to connect again has failed: the next one does not wait."""
        try:
            self._connection = connected(where, self._mark)
            try:
                self.save = self._found()
                if not self._locks():
                    raise SaveLockedError(
                        f"The save {self} is locked",
                        "another process, or another open_save() of this one, has it open",
                        "Close it there, then try again",
                    )
                self._opened = self._note_opening()
            except BaseException:
                self._connection.close()
                raise
        except psycopg.Error as error:
            told = f"The save {self} cannot be opened"
            raise SaveUnreachableError(told, cause(error), remedy(error)) from error

    def __str__(self) -> str:
        return f"{self.name} on {self.where}"

    @property
    def server_version(self) -> str:
        """Such as 18.6."""
        number = self._connection.info.server_version
        return f"{number // 10000}.{number % 10000}"

    def execute(self, statement: str, values: Mapping[str, Any]) -> Rows:
        """Run one statement; outside a transaction one that only reads."""
        try:
            return self._execute(statement, values)
        except psycopg.OperationalError:
            if self.is_in_transaction or not self._is_broken:
                raise
        self._connect_again()
        return self._execute(statement, values)

    def execute_many(self, statement: str, values: list[dict[str, Any]]) -> None:
        """Run one statement with each of these values. Inside a transaction."""
        with self._connection.cursor() as cursor:
            cursor.executemany(statement.encode(), values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside become one commit, or none of them when an exception leaves it."""
        self._begin()
        self.is_in_transaction = True
        try:
            yield
            number = self._transaction_number()
        except BaseException:
            self.is_in_transaction = False
            with contextlib.suppress(psycopg.Error):
                self._connection.execute("ROLLBACK", prepare=False)
            raise
        self.is_in_transaction = False
        try:
            self._connection.execute("COMMIT", prepare=False)
        except psycopg.OperationalError:
            if not self._is_broken or number is None:
                raise
            self._connect_again()
            if not self._is_committed(number):
                raise

    @classmethod
    @contextlib.contextmanager
    def unopened(cls, name: str, where: PostgresStorage) -> Iterator[Session]:
        """A connection for a save that it does not open, and that may be open elsewhere. All its statements
        are one transaction.

        Raises:
            SaveUnreachableError: the server cannot be reached, or refuses.
        """
        made = object.__new__(cls)
        made.name, made.where = name, where
        made._is_closed = made.is_in_transaction = True
        try:
            made._connection = connected(where, f"rag_memory {uuid.uuid4().hex[:12]}")
            with made._connection, made._connection.transaction():
                made._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                yield made
        except psycopg.Error as error:
            told = f"The saves on {where} cannot be used"
            raise SaveUnreachableError(told, cause(error), remedy(error)) from error

    @contextlib.contextmanager
    def beside(self) -> Iterator[Session]:
        """A second connection that sees the save as it is now, whatever is written meanwhile. All its
        statements are one transaction.
        """
        other = object.__new__(Session)
        other.__dict__.update(self.__dict__)
        other._connection = connected(self.where, f"{self._mark} beside")
        try:
            with other._connection.transaction():
                other._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                other.is_in_transaction = True
                yield other
        finally:
            other._connection.close()

    def close(self) -> None:
        """Give the save back."""
        self._is_closed = True
        self._connection.close()

    @property
    def _is_broken(self) -> bool:
        """Whether the connection has dropped by itself."""
        return self._connection.closed and not self._is_closed

    def _execute(self, statement: str, values: Mapping[str, Any]) -> Rows:
        return self._connection.execute(statement.encode(), values, binary=True)

    def _begin(self) -> None:
        try:
            self._connection.execute("BEGIN", prepare=False)
        except psycopg.OperationalError:
            if not self._is_broken:
                raise
            self._connect_again()
            self._connection.execute("BEGIN", prepare=False)

    def _transaction_number(self) -> str | None:
        """The server's number of the open transaction; None when it has written nothing."""
        (number,) = self._connection.execute("SELECT pg_current_xact_id_if_assigned()::text").fetchone() or (
            None,
        )
        return None if number is None else str(number)

    def _is_committed(self, number: str) -> bool:
        # The server's other side was ended before: it is not in progress any more.
        (state,) = self._connection.execute(
            "SELECT pg_xact_status(%(number)s::text::xid8)", {"number": number}
        ).fetchone() or (None,)
        return bool(state == "committed")

    def _connect_again(self) -> None:
        """Connect again, and take the save again, within the time that a call may wait.

        Raises:
            StoreError: somebody else has the save, or had it meanwhile.
            psycopg.Error: the server cannot be reached.
        """
        until = time.monotonic() + (0.0 if self._is_lost else self.where.timeout_seconds)
        wait = _FIRST_WAIT_SECONDS
        while True:
            self._is_lost = True
            is_late = time.monotonic() + wait > until
            try:
                self._connection = connected(self.where, self._mark)
                if self._takes_again():
                    self._is_lost = False
                    return
                self._connection.close()
                if is_late:
                    raise self._taken("another process has it open")
            except SaveError as error:
                raise StoreError(error.what, error.why, error.remedy) from error
            except psycopg.OperationalError:
                if is_late:
                    raise
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _takes_again(self) -> bool:
        """Whether the save is this session's again.

        Raises:
            StoreError: somebody else had it meanwhile, and may have changed it.
        """
        # What the server has of the old connection may not know yet that it dropped, and hold the lock.
        self._connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = %(mark)s AND pid <> pg_backend_pid()",
            {"mark": self._mark},
        )
        if not self._locks():
            return False
        (opened,) = self._connection.execute(
            "SELECT opened FROM saves WHERE save = %(save)s", {"save": self.save}
        ).fetchone() or (None,)
        if opened != self._opened:
            self._connection.close()
            raise self._taken("another process had it open while the connection was lost")
        return True

    def _taken(self, why: str) -> StoreError:
        return StoreError(f"The save {self} is this game's no more", why, "Close it, and open it again")

    def _found(self) -> int:
        """The number of the save of this name; a new one when there is none."""
        values = {"name": self.name}
        self._connection.execute(
            "INSERT INTO saves (name, slot) VALUES (%(name)s, '') ON CONFLICT DO NOTHING", values
        )
        row = self._connection.execute(
            "SELECT save FROM saves WHERE name = %(name)s AND slot = ''", values
        ).fetchone()
        assert row is not None, "it was just written"
        return int(row[0])

    def _locks(self) -> bool:
        """Take the save for this connection: a dead process has none."""
        (is_locked,) = self._connection.execute(
            "SELECT pg_try_advisory_lock(hashtextextended(%(what)s, 0))",
            {"what": f"rag_memory {self.where.schema} {self.save}"},
        ).fetchone() or (False,)
        return bool(is_locked)

    def _note_opening(self) -> int:
        """Count the times that the save was opened, so that whoever lost it sees that others had it."""
        row = self._connection.execute(
            "UPDATE saves SET opened = opened + 1 WHERE save = %(save)s RETURNING opened", {"save": self.save}
        ).fetchone()
        assert row is not None, "it is locked"
        return int(row[0])

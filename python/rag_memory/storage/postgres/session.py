"""The connection of one open save: it has the save to itself, and one transaction at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
from psycopg.types import TypeInfo

from rag_memory.errors import SaveError, SaveLockedError
from rag_memory.storage.postgres.postgres_failure import cause, remedy
from rag_memory.storage.postgres.postgres_types import adapt
from rag_memory.storage.postgres.schema import enter_schema
from rag_memory.storage.postgres_storage import PostgresStorage

Rows = psycopg.Cursor[tuple[Any, ...]]

_CONNECT_SECONDS = 10
_LOCK_WAIT = "10s"
"""After this long a statement gives up waiting for rows that somebody else changes."""


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
        with self._opening():
            self._connection = self._connected()
            try:
                self.save = self._found()
                self._lock()
            except BaseException:
                self._connection.close()
                raise

    def __str__(self) -> str:
        return f"{self.name} on {self.where}"

    @property
    def server_version(self) -> str:
        number = self._connection.info.server_version
        return f"{number // 10000}.{number % 10000}"

    def execute(self, statement: str, values: Mapping[str, Any]) -> Rows:
        """Run one statement."""
        return self._connection.execute(statement.encode(), values, binary=True)

    def execute_many(self, statement: str, values: list[dict[str, Any]]) -> None:
        """Run one statement with each of these values."""
        with self._connection.cursor() as cursor:
            cursor.executemany(statement.encode(), values)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements inside become one commit, or none of them when an exception leaves it."""
        with self._connection.transaction():
            self.is_in_transaction = True
            try:
                yield
            finally:
                self.is_in_transaction = False

    @contextlib.contextmanager
    def beside(self) -> Iterator[Session]:
        """A second connection that sees the save as it is now, whatever is written meanwhile. All its
        statements are one transaction.
        """
        other = object.__new__(Session)
        other.name, other.where, other.save = self.name, self.where, self.save
        other.is_in_transaction = False
        other._connection = self._connected()
        try:
            other._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            with other.transaction():
                yield other
        finally:
            other._connection.close()

    def close(self) -> None:
        """Give the save back."""
        self._connection.close()

    @contextlib.contextmanager
    def _opening(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise SaveError(f"The save {self} cannot be opened", cause(error), remedy(error)) from error

    def _connected(self) -> psycopg.Connection[tuple[Any, ...]]:
        where = self.where
        connection = psycopg.connect(
            host=where.host,
            port=where.port,
            dbname=where.database,
            user=where.user,
            password=where.password(),
            sslmode=where.used_sslmode,
            connect_timeout=_CONNECT_SECONDS,
            application_name="rag_memory",
            autocommit=True,
        )
        try:
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (_LOCK_WAIT,))
            enter_schema(connection, where.schema)
            info = TypeInfo.fetch(connection, "vector")
            assert info is not None, "enter_schema() has looked for it"
            adapt(connection, info)
        except BaseException:
            connection.close()
            raise
        return connection

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

    def _lock(self) -> None:
        # Held by the connection: a dead process has none.
        (is_locked,) = self._connection.execute(
            "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))",
            (f"rag_memory {self.where.schema} {self.save}",),
        ).fetchone() or (False,)
        if not is_locked:
            raise SaveLockedError(
                f"The save {self} is locked",
                "another process, or another open_save() of this one, has it open",
                "Close it there, then try again",
            )

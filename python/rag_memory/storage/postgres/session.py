"""The connection of one open save: it shares the save with those of other processes, has NPCs of its own, and
is made again when it drops.

A statement outside a transaction only reads, so it is run again. A transaction whose connection drops fails
as a whole. When it drops while the server commits, the server is asked what has become of it, by the number
that it gave the transaction. Where it cannot tell, the call fails, and what is in memory is read anew.
"""

from __future__ import annotations

import contextlib
import random
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg

from rag_memory.errors import SaveError, SaveLockedError, SaveNotFoundError, StoreError
from rag_memory.storage.ownership import Ownership
from rag_memory.storage.postgres.connecting import connected
from rag_memory.storage.postgres.npc_locks import NpcLocks
from rag_memory.storage.postgres.postgres_failure import cause, remedy
from rag_memory.storage.postgres_storage import PostgresStorage

Rows = psycopg.Cursor[tuple[Any, ...]]

_KEY = "hashtextextended(%(lock)s::text, 0)"
_CHANGED = "SELECT changed FROM saves WHERE save = %(save)s"
_CHANGE = "UPDATE saves SET changed = changed + 1 WHERE save = %(save)s RETURNING changed"
_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 1.0
_NO_CRASH_SINCE = "(SELECT stats_reset::text FROM pg_stat_wal)"
"""A server that has crashed gives numbers once more: those of transactions that did not come to its disk."""
_FATE = f"""
SELECT CASE WHEN %(number)s::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
    THEN pg_xact_status(%(number)s::text::xid8) ELSE 'aborted' END,
    {_NO_CRASH_SINCE} = %(no_crash_since)s
"""


class Session:
    """A connection, the number of its save, and whether a transaction is open."""

    def __init__(self, name: str, where: PostgresStorage, is_read_only: bool = False) -> None:
        """
        Raises:
            SaveLockedError: another process, or another storage of this one, is changing the whole save.
            SaveNotFoundError: there is none, and this one is only to be read.
            SaveError: the server cannot be reached, refuses, or has what this version cannot use.
        """
        self.name = name
        self.where = where
        self.is_read_only = is_read_only
        self.is_in_transaction = False
        self.writer = random.getrandbits(63)
        """What this session is called where sessions count what they write."""
        self.losses = 0
        """How often what is in memory may have become older than the save: somebody else has changed all of
        it while the connection was lost, or nobody knows what was written.
        """
        self.is_alone = False
        """Whether no other session has the save."""
        self._mark = f"rag_memory {uuid.uuid4().hex[:12]}"
        """By which the server's other side of the connection is found again."""
        self._is_closed = False
        self._is_lost = False
        """Whether the last attempt to connect again has failed: the next one does not wait."""
        try:
            self._connection = connected(where, self._mark)
            try:
                self.save = self._found()
                self._lock = f"rag_memory {where.schema} {self.save}"
                self._npcs = NpcLocks(self, self._lock)
                self._wait_for_lock()
                self._changed = self._changes()
            except BaseException:
                self._connection.close()
                raise
        except psycopg.Error as error:
            raise SaveError(f"The save {self} cannot be opened", cause(error), remedy(error)) from error

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
            if not self._is_committed(*number):
                raise

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

    def owns(self, npc_id: str) -> bool:
        """See Owning."""
        return self.is_alone or self._npcs.owns(npc_id)

    def own(self, npc_id: str) -> Ownership:
        """See Owning."""
        is_owned, state = self._npcs.own(npc_id)
        return Ownership(is_owned, (self.losses, *state))

    @property
    def npcs(self) -> NpcLocks:
        """Whom this session has."""
        return self._npcs

    def next_number(self, what: str) -> int:
        """The next number of a kind; see schema.NUMBERED. A transaction that fails does not take it back."""
        row = self._connection.execute(f"SELECT nextval('{what}_numbers')".encode()).fetchone()
        assert row is not None
        return int(row[0])

    @contextlib.contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Inside, no other session has the save; see Owning."""
        if self.is_read_only:
            raise StoreError(f"{what} changes the save {self}", "it was opened to be read only", "")
        self.execute(_CHANGED, {"save": self.save})  # Connects again, when that is needed.
        if not self._locks(is_shared=False):
            raise SaveLockedError(
                f"{what} changes all of the save {self}",
                "other game servers have it open",
                "Close it there, then try again",
            )
        self.is_alone = True
        try:
            self._changed = self._changes(_CHANGE)
            yield
        finally:
            self.is_alone = False
            with contextlib.suppress(psycopg.Error):
                self._connection.execute(f"SELECT pg_advisory_unlock({_KEY})".encode(), {"lock": self._lock})

    def close(self) -> None:
        """Give the save back, and its NPCs."""
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

    def _transaction_number(self) -> tuple[str, str] | None:
        """The server's number of the open transaction, and since when it has not crashed; None when nothing
        is written.
        """
        number, no_crash_since = self._connection.execute(
            f"SELECT pg_current_xact_id_if_assigned()::text, {_NO_CRASH_SINCE}".encode()
        ).fetchone() or (None, None)
        return None if number is None else (str(number), str(no_crash_since))

    def _is_committed(self, number: str, no_crash_since: str) -> bool:
        """Connect again, and look whether a transaction was committed.

        Raises:
            StoreError: nobody knows, or somebody else has the save.
        """
        why = "the server crashed while it wrote"
        try:
            self._connect_again()
            # The server's other side was ended before: it is not in progress any more.
            values = {"number": number, "no_crash_since": no_crash_since}
            state, is_same = self._connection.execute(_FATE.encode(), values).fetchone() or (None, None)
            if state is not None and (is_same or state != "committed"):
                return bool(state == "committed")
        except psycopg.Error as error:
            why = cause(error)
        self.losses += 1
        raise StoreError(
            f"The save {self} has perhaps written this, and perhaps not",
            why,
            "Look whether it is there before you do it again",
        )

    def _connect_again(self) -> None:
        """Connect again, and take the save again, within the time that a call may wait.

        Raises:
            StoreError: somebody else is changing all of the save, or has changed it meanwhile.
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
                    raise StoreError(
                        f"The save {self} cannot be used now",
                        "another process is changing all of it",
                        "Wait until it is done, then do it again",
                    )
            except SaveError as error:
                raise StoreError(error.what, error.why, error.remedy) from error
            except psycopg.OperationalError:
                if is_late:
                    raise
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _takes_again(self) -> bool:
        """Whether the save can be used again, by all that this session had of it.

        Raises:
            StoreError: somebody else has changed the whole save meanwhile. It can be used again.
        """
        # What the server has of the old connection may not know yet that it dropped, and hold the locks.
        self._connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE application_name = %(mark)s AND pid <> pg_backend_pid()",
            {"mark": self._mark},
        )
        if not self._locks() or (self.is_alone and not self._locks(is_shared=False)):
            return False
        self._npcs.take_again(self._connection)
        changed = self._changes()
        if changed != self._changed:
            self._changed, self._is_lost = changed, False
            self.losses += 1
            self._npcs.forget(self._connection)
            raise StoreError(
                f"The save {self} is another one now",
                "another process has changed all of it while the connection was lost",
                "Do it again: what was in memory is read anew",
            )
        return True

    def _found(self) -> int:
        """The number of the save of this name; a new one when there is none."""
        values = {"name": self.name}
        if not self.is_read_only:
            self._connection.execute(
                "INSERT INTO saves (name, slot) VALUES (%(name)s, '') ON CONFLICT DO NOTHING", values
            )
        row = self._connection.execute(
            "SELECT save FROM saves WHERE name = %(name)s AND slot = ''", values
        ).fetchone()
        if row is None:
            raise SaveNotFoundError(
                f"There is no save {self}",
                "one that is opened to be read only has to be there",
                "Open it without read_only first",
            )
        return int(row[0])

    def _wait_for_lock(self) -> None:
        """Share the save, once nobody changes all of it."""
        until = time.monotonic() + self.where.timeout_seconds
        while not self._locks():
            if time.monotonic() > until:
                raise SaveLockedError(
                    f"The save {self} is locked",
                    "another process is changing all of it",
                    "Wait until it is done, then try again",
                )
            time.sleep(_FIRST_WAIT_SECONDS)

    def _locks(self, is_shared: bool = True) -> bool:
        """Take the save for this connection, with others or alone: a dead process has none."""
        how = "pg_try_advisory_lock_shared" if is_shared else "pg_try_advisory_lock"
        (is_locked,) = self._connection.execute(
            f"SELECT {how}({_KEY})".encode(), {"lock": self._lock}
        ).fetchone() or (False,)
        return bool(is_locked)

    def _changes(self, statement: str = _CHANGED) -> int:
        """How often all of the save was changed at once, which whoever lost it has to see."""
        row = self._execute(statement, {"save": self.save}).fetchone()
        assert row is not None, "it is locked"
        return int(row[0])

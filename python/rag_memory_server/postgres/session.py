"""The connection of one open save: it shares the save with those of other processes, has NPCs of its own, and
is made again when it drops.

A statement outside a transaction only reads, so it is run again. A transaction whose connection drops fails
as a whole. When it drops while the server commits, the server is asked what has become of it, by the number
that it gave the transaction. Where it cannot tell, the call fails, and what is in memory is read anew.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg

from rag_memory.errors import SaveError, SaveLockedError, SaveUnreachableError, StoreError
from rag_memory.storage.ownership import Ownership
from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.commit_fate import is_committed, number_in
from rag_memory_server.postgres.connecting import connect_seconds, connected
from rag_memory_server.postgres.npc_locks import NpcLocks
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.save_row import changes, number_of
from rag_memory_server.postgres.world_locks import WorldLocks
from rag_memory_server.postgres.write_orders import order_statement

Rows = psycopg.Cursor[tuple[Any, ...]]

_KEY = "hashtextextended(%(lock)s::text, 0)"
TAKEN_AHEAD = ("interaction", "document")
"""Whose numbers may be taken before they are needed: no statement of the server's own takes one between."""
_MOST_NUMBERS = 64
_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 1.0
_SLOW_SECONDS = 1.0
_PAUSE_SECONDS = 5.0


class Session:
    """A connection, the number of its save, and whether a transaction is open."""

    def __init__(self, name: str, where: PostgresConfig, is_read_only: bool = False) -> None:
        """
        Raises:
            SaveLockedError: another process, or another storage of this one, is changing the whole save.
            SaveNotFoundError: there is none, and this one is only to be read; or it is deleted just now.
            SaveError: the server cannot be reached, refuses, or has what this version cannot use.
        """
        self.name = name
        self.where = where
        self.is_read_only = is_read_only
        self.is_in_transaction = False
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
        self._is_patient = False
        """Whether the last attempt to connect again has failed: the next one does not wait."""
        self._again_at = 0.0
        """Until then nobody tries it: the last attempt has waited for a server that said nothing."""
        self._why_lost = ""
        try:
            self._connection = connected(where, self._mark, is_patient=True)
            try:
                self._connection.is_patient = False
                self.save = number_of(self._connection, name, str(self), is_read_only)
                self._lock = f"rag_memory {where.schema} {self.save}"
                self._npcs = NpcLocks(self, self._lock)
                self._wait_for_lock()
                self.world = WorldLocks(self._lock, self.save)
                if not is_read_only:
                    self.world.take_number(self._connection)
                self._changed = self._changes()
            except BaseException:
                self._connection.close()
                raise
        except psycopg.Error as error:
            failure = f"The save {self} cannot be opened"
            raise SaveUnreachableError(failure, cause(error), remedy(error)) from error

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

    def attempt(self, statement: str, values: Mapping[str, Any]) -> None:
        """Run one statement, unless the connection has dropped: what it would undo went with it."""
        with contextlib.suppress(psycopg.Error):
            self._execute(statement, values)

    @contextlib.contextmanager
    def transaction(self, is_mark: bool = False) -> Iterator[None]:
        """All statements inside become one commit, or none of them when an exception leaves it. Rows that are
        added have its order number. `is_mark`: wait until no other transaction writes to the save.
        """
        self._begin()
        self.is_in_transaction = True
        self._numbers: dict[str, list[int]] = {}
        self._numbers_at_once: dict[str, int] = {}
        try:
            # What only writes is sent and not waited for; the next answer, or the end, shows its errors.
            with self._connection.pipeline() as pipeline:
                self._pipeline = pipeline
                self._connection.execute(*order_statement(self._lock, is_mark))
                yield
                number = number_in(self._connection)
        except BaseException:
            self.is_in_transaction = False
            with contextlib.suppress(psycopg.Error):
                self._connection.execute("ROLLBACK", prepare=False)
            self._npcs.undo()
            raise
        self.is_in_transaction = False
        try:
            self._connection.execute("COMMIT", prepare=False)
        except psycopg.Error:
            if not self._is_broken or number is None or not self._is_committed(*number):
                self._npcs.undo()
                raise
        self._npcs.confirm()

    @classmethod
    @contextlib.contextmanager
    def unopened(cls, name: str, where: PostgresConfig) -> Iterator[Session]:
        """A connection for a save that it does not open, and that may be open elsewhere. All its statements
        are one transaction.

        Raises:
            SaveUnreachableError: the server cannot be reached, or refuses.
        """
        made = object.__new__(cls)
        made.name, made.where = name, where
        made._is_closed = made.is_in_transaction = True
        try:
            made._connection = connected(where, f"rag_memory {uuid.uuid4().hex[:12]}", is_patient=True)
            with made._connection, made._connection.transaction():
                made._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                yield made
        except psycopg.Error as error:
            failure = f"The saves on {where} cannot be used"
            raise SaveUnreachableError(failure, cause(error), remedy(error)) from error

    @contextlib.contextmanager
    def beside(self) -> Iterator[Session]:
        """A second connection that sees the save as it is now, whatever is written meanwhile. All its
        statements are one transaction.
        """
        other = object.__new__(Session)
        other.__dict__.update(self.__dict__)
        other._connection = connected(self.where, f"{self._mark} beside", is_patient=True)
        try:
            with other._connection.transaction():
                other._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                other.is_in_transaction = True
                yield other
        finally:
            other._connection.close()

    def owns(self, npc_id: str) -> bool:
        """See Owners."""
        return self.is_alone or self._npcs.owns(npc_id)

    def own(self, npc_id: str) -> Ownership:
        """See Owners."""
        is_owned, state = self._npcs.own(npc_id)
        return Ownership(is_owned, (self.losses, *state))

    @property
    def npcs(self) -> NpcLocks:
        """Whom this session has."""
        return self._npcs

    def next_number(self, what: str) -> int:
        """The next number of a kind; see schema.NUMBERED. A transaction that fails does not take it back.
        Inside a transaction.
        """
        numbers = self._numbers.setdefault(what, [])
        if not numbers:
            # Each time twice as many: few ways to the server, and few that are taken for nothing.
            count = self._numbers_at_once.get(what, 1)
            self._numbers_at_once[what] = min(2 * count, _MOST_NUMBERS) if what in TAKEN_AHEAD else 1
            statement = f"SELECT nextval('{what}_numbers') FROM generate_series(1, %(count)s) ORDER BY 1"
            rows = self._connection.execute(statement.encode(), {"count": count}).fetchall()
            numbers += [int(number) for (number,) in reversed(rows)]
        return numbers.pop()

    def wait(self) -> None:
        """Wait until the server has carried out what was sent. Inside a transaction."""
        self._pipeline.sync()

    @contextlib.contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Inside, no other session has the save; see Owners."""
        if self.is_read_only:
            raise StoreError(f"{what} changes the save {self}", "it was opened to be read only", "")
        # Connects again, when that is needed.
        self.execute("SELECT save FROM saves WHERE save = %(save)s", {"save": self.save})
        if not self._locks(is_shared=False):
            raise SaveLockedError(
                f"{what} changes all of the save {self}",
                "other game servers have it open",
                "Close it there, then try again",
            )
        self.is_alone = True
        try:
            self._changed = self._changes(is_one_more=True)
            with self.patience():
                yield
        finally:
            self.is_alone = False
            self.attempt(f"SELECT pg_advisory_unlock({_KEY})", {"lock": self._lock})

    @contextlib.contextmanager
    def patience(self) -> Iterator[None]:
        """Inside, a statement may take as long as it likes."""
        self._is_patient = self._connection.is_patient = True
        try:
            yield
        finally:
            self._is_patient = self._connection.is_patient = False

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

    def _is_committed(self, number: str, no_crash_since: str) -> bool:
        """Connect again, and look whether a transaction was committed.

        Raises:
            StoreError: nobody knows, or the save cannot be used now.
        """
        until = time.monotonic() + self.where.timeout_seconds
        why = "the server crashed while it wrote, or has not said in time what became of it"
        try:
            self._connect_again()
            was_committed = is_committed(self._connection, number, no_crash_since, until)
            if was_committed is not None:
                return was_committed
        except psycopg.Error as error:
            why = cause(error)
        except StoreError as error:
            why = f"{error.what}: {error.why}" if error.why else error.what
        self.losses += 1
        self._npcs.confirm()
        raise StoreError(
            f"The save {self} has perhaps written this, and perhaps not",
            why,
            "Look whether it is there before you do it again",
        )

    def _connect_again(self) -> None:
        """Connect again, and take the save again, within the time that a call may wait.

        Raises:
            StoreError: somebody else is changing all of the save, has changed it meanwhile or deleted it.
            psycopg.Error: the server cannot be reached.
        """
        if time.monotonic() < self._again_at:
            raise psycopg.OperationalError(self._why_lost)
        until = time.monotonic() + (0.0 if self._is_lost else self.where.timeout_seconds)
        wait = _FIRST_WAIT_SECONDS
        while True:
            self._is_lost = True
            began = time.monotonic()
            try:
                if self._takes_anew():
                    self._is_lost = False
                    return
                if time.monotonic() + wait > until:
                    raise StoreError(
                        f"The save {self} cannot be used now",
                        "another process is changing all of it",
                        "Wait until it is done, then do it again",
                    )
            except SaveError as error:
                raise StoreError(error.what, error.why, error.remedy) from error
            except psycopg.OperationalError as error:
                now = time.monotonic()
                if now + wait > until:
                    if now - began > _SLOW_SECONDS:
                        # Not every call has to wait for it.
                        self._again_at, self._why_lost = now + _PAUSE_SECONDS, str(error)
                    raise
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _takes_anew(self) -> bool:
        """_takes_again() on a new connection, which stays only when the save can be used."""
        self._connection = connected(self.where, self._mark, self.is_alone or self._is_patient)
        try:
            is_taken = self._takes_again()
        except (psycopg.Error, SaveError):
            self._connection.close()
            raise
        if not is_taken:
            self._connection.close()
        return is_taken

    def _takes_again(self) -> bool:
        """Whether the save can be used again, by all that this session had of it.

        Raises:
            StoreError: somebody else has changed the whole save meanwhile. It can be used again.
        """
        # What the server has of the old connection may not know yet that it dropped, and hold the locks.
        # Others see the mark and may call themselves so, but they are other users. One that does not end now
        # keeps its NPCs, who count as lost, and what it was committing is in progress.
        self._connection.execute(
            "SELECT pg_terminate_backend(pid, %(milliseconds)s) FROM pg_stat_activity "
            "WHERE application_name = %(mark)s AND usename = current_user AND pid <> pg_backend_pid()",
            {"mark": self._mark, "milliseconds": 1000 * connect_seconds(self.where)},
        )
        if not self._locks() or (self.is_alone and not self._locks(is_shared=False)):
            return False
        self._npcs.take_again(self._connection)
        writer = self.world.writer
        if not self.is_read_only:
            self.world.take_number(self._connection)
        if self.world.writer != writer:
            self.losses += 1  # Others' writes were counted by another sum.
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

    def _changes(self, is_one_more: bool = False) -> int:
        return changes(self._connection, self.save, str(self), is_one_more)

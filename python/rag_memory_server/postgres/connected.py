"""What every part of the store has: the session, the save that every statement names, and errors told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg

from rag_memory.errors import StoreError
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record
from rag_memory.storage.sql.browsing import Browsing
from rag_memory.storage.sql.database import Row
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sql.rollback import new_revision
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.session import Session
from rag_memory_server.postgres.translation import insert_statement, translated

FIELDS = tuple("memory" if name == "key" else name for name in Record._fields)
"""The columns of a memory, in the order of a Record."""
UNREAD = "write_order, exchange_id"
"""Columns of every versioned row that a Record, an Interaction or a Document does not have."""
UNREAD_OF_MEMORIES = f"{UNREAD}, occurrences, last_told, checksum"

_CHANGED = (
    "UPDATE npcs SET changed = changed + 1, "
    "revision = CASE WHEN npc = ANY(%(touched)s::bigint[]) THEN %(revision)s ELSE revision END "
    "WHERE save = %(save)s AND npc = ANY(%(npcs)s::bigint[])"
)
_WRITES = (
    "INSERT INTO writers (save, writer, writes) VALUES (%(save)s, %(writer)s, 1) "
    "ON CONFLICT (save, writer) DO UPDATE SET writes = writers.writes + 1 WHERE writers.save = %(save)s"
)


class Connected:
    """An open save, for the parts of the store."""

    def __init__(self, session: Session, save: int) -> None:
        self._session = session
        self._save = save
        self._written = 0
        self._npc_ids: dict[int, str] = {}
        """Of the NPCs who were written for."""
        self._changed: set[int] = set()
        self._touched: set[int] = set()
        """The NPCs whose memories, and whose vectors, the open transaction has changed."""
        self._changes_world = False

        self.records = Records(self)
        self.browsing = Browsing(self)
        self.documents = Documents(self)
        self.interactions = Interactions(self)

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self._session)

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """See storage.sql.database.Database, also for what follows."""
        return self._rows(translated(statement), **values)

    def row(self, statement: str, **values: Any) -> Row | None:
        return self._row(translated(statement), **values)

    def number(self, statement: str, **values: Any) -> int:
        return self._number(translated(statement), **values)

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        return iter(self.rows(statement, **values))

    def write(self, statement: str, **values: Any) -> None:
        self._write(translated(statement), **values)

    def count_written(self, statement: str, **values: Any) -> int:
        return self._count_written(translated(statement), **values)

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        number = self._next(key)
        values = {key: number, **values}
        self._write(insert_statement(table, tuple(values)), **values)
        return number

    def change_world(self) -> None:
        self._changes_world = True

    def suspect(self) -> None:
        """See storage.protocol.Storage. The server checks its own pages."""

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self._errors("write"):
            if self._session.is_in_transaction:
                yield
                return
            self._check_writable()
            try:
                with self._session.transaction():
                    yield
                    self._tell_others()
            finally:
                self._forget_changes()

    def _check_writable(self) -> None:
        if self._session.is_read_only:
            raise StoreError(
                f"The save {self.name} could not write",
                "it was opened to be read only",
                "Open it without read_only",
            )

    def _tell_others(self) -> None:
        """Note whose memories have changed, for the processes that only read them."""
        values = {"save": self._save, "writer": self._session.world.writer}
        if self._changed:
            told = {"npcs": list(self._changed), "touched": list(self._touched), "revision": new_revision()}
            self._session.execute(_CHANGED, {**values, **told})
        if self._changes_world:
            self._session.execute(_WRITES, values)

    def _forget_changes(self) -> None:
        self._changed.clear()
        self._touched.clear()
        self._changes_world = False

    def _writes_for(self, npc: int) -> None:
        """See that this process may write for an NPC. Inside a transaction.

        Raises:
            NpcLockedError: another process has her.
        """
        if npc not in self._npc_ids:
            row = self._row("SELECT npc_id FROM npcs WHERE save = %(save)s AND npc = %(npc)s", npc=npc)
            if row is None:
                return
            self._npc_ids[npc] = str(row[0])
        npc_id = self._npc_ids[npc]
        if not self._session.owns(npc_id) and not self._session.own(npc_id).is_owned:
            self._session.npcs.check_owned(npc_id)
        self._changed.add(npc)
        self._changes_world |= not is_npc(npc_id)

    def _rows(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        with self._errors("read"):
            return self._session.execute(sql, {"save": self._save, **values}).fetchall()

    def _row(self, sql: str, **values: Any) -> tuple[Any, ...] | None:
        with self._errors("read"):
            return self._session.execute(sql, {"save": self._save, **values}).fetchone()

    def _number(self, sql: str, **values: Any) -> int:
        """The one number that a statement finds; 0 for nothing."""
        row = self._row(sql, **values)
        return 0 if row is None else int(row[0] or 0)

    def _record(self, sql: str, **values: Any) -> Record | None:
        row = self._row(sql, **values)
        return None if row is None else Record._make(row)

    def _records(self, sql: str, **values: Any) -> list[Record]:
        return [Record._make(row) for row in self._rows(sql, **values)]

    def _write(self, sql: str, **values: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run a statement that changes rows. Inside a transaction: it is not run again, and an error may show
        with a later statement.
        """
        assert self._session.is_in_transaction
        if "npc" in values:
            self._writes_for(values["npc"])
        with self._errors("write"):
            cursor = self._session.execute(sql, {"save": self._save, **values})
        self._written += 1
        return cursor

    def _count_written(self, sql: str, **values: Any) -> int:
        """_write(); how many rows it has changed."""
        cursor = self._write(sql, **values)
        with self._errors("write"):
            self._session.wait()
        return cursor.rowcount

    def _write_many(self, sql: str, values: list[dict[str, Any]]) -> None:
        with self._errors("write"):
            self._session.execute_many(sql, [{"save": self._save, **each} for each in values])
        self._written += len(values)

    def _next(self, what: str) -> int:
        """A number that nothing of its kind has, had or will have, in any save."""
        with self._errors("write"):
            return self._session.next_number(what)

    @contextlib.contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(
                f"The save {self.name} could not {doing}", cause(error), remedy(error)
            ) from error

"""One save of a server: the statements on it, its transactions and its errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg

from rag_memory.errors import StoreError
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record, digest_of
from rag_memory.storage.sql.database import Row
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.vectors import FloatVector
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.postgres_types import vector_in
from rag_memory_server.postgres.session import TAKEN_AHEAD, Session
from rag_memory_server.postgres.translation import insert_statement, translated

UNREAD = "write_order"
"""Columns of every versioned row that a Record or a Document does not have."""
UNREAD_OF_INTERACTIONS = f"{UNREAD}, exchange_id"
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


class OpenSave:
    """A save of a session, or one of its snapshots; see storage.sql.database.Database."""

    derived_columns = ("terms", "digest")

    def __init__(self, session: Session, save: int) -> None:
        self.session = session
        self.save = save
        self.exchange_id = ""
        self.change_count = 0
        """A number that grows with everything that is written."""
        self._npc_ids: dict[int, str] = {}
        """Of the NPCs that were written for."""
        self._changed: set[int] = set()
        self._touched: set[int] = set()
        """The NPCs whose memories, and whose vectors, the open transaction has changed."""
        self._changes_world = False

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.session)

    def rows(self, statement: str, **values: Any) -> list[Row]:
        with self.errors("read"):
            return self.session.execute(translated(statement), {"save": self.save, **values}).fetchall()

    def row(self, statement: str, **values: Any) -> Row | None:
        with self.errors("read"):
            return self.session.execute(translated(statement), {"save": self.save, **values}).fetchone()

    def number(self, statement: str, **values: Any) -> int:
        row = self.row(statement, **values)
        return 0 if row is None else int(row[0] or 0)

    def rows_with(self, statement: str, keys: Sequence[int]) -> list[Row]:
        return self.rows(statement, keys=list(keys))

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        return iter(self.rows(statement, **values))

    def write(self, statement: str, **values: Any) -> None:
        self._write(translated(statement), values)

    def count_written(self, statement: str, **values: Any) -> int:
        cursor = self._write(translated(statement), values)
        with self.errors("write"):
            self.session.wait()
        return cursor.rowcount

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        number = values.get(key, 0) or (self.new_key(key) if key in TAKEN_AHEAD else 0)
        if number:
            columns = {**values, key: number}
            self._write(insert_statement(table, tuple(columns)), columns)
            return int(number)
        cursor = self._write(insert_statement(table, tuple(values), key), values)
        with self.errors("write"):
            row = cursor.fetchone()
        if row is None and table == "memories":
            raise StoreError(
                f"The save {self.name} could not write",
                f"the NPC has a memory with the id {values['id']!r} already",
                "Use another id",
            )
        if row is not None and table == "npcs":
            self._npc_ids[int(row[0])] = values["npc_id"]
            self._writes_for(int(row[0]))
        return 0 if row is None else int(row[0])

    def new_key(self, key: str) -> int:
        with self.errors("write"):
            return self.session.next_number(key)

    def is_free(self, table: str, key: str, number: int) -> bool:
        # A number of another server may be still to come here.
        last = self.number(f"SELECT pg_sequence_last_value('{key}_numbers') WHERE %(save)s IS NOT NULL")
        statement = f"SELECT 1 FROM ${table} WHERE {key} = :number"
        return number <= last and self.row(statement, number=number) is None

    def derived(self, npc: int, record: Record) -> dict[str, Any]:
        text = record.document_full
        terms = record.index_terms() if text else []
        return {"terms": terms, "digest": digest_of(record.event_type, text) if text else 0}

    def stored_vector(self, vector: FloatVector | None) -> FloatVector | None:
        return vector

    def read_vector(self, value: bytes | None) -> FloatVector | None:
        return None if value is None else vector_in(value)

    def touch(self, npc: int) -> None:
        self._writes_for(npc)
        self._touched.add(npc)
        self.change_count += 1

    def change_world(self) -> None:
        self._changes_world = True

    def suspect(self) -> None:
        """See storage.protocol.Storage. The server checks its own pages."""

    def forget_npcs(self) -> None:
        """Read the ids of NPCs anew, because they have other numbers now."""
        self._npc_ids.clear()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self.errors("write"):
            if self.session.is_in_transaction:
                yield
                return
            self.check_writable()
            try:
                with self.session.transaction():
                    yield
                    self._tell_others()
            finally:
                self._forget_changes()

    def check_writable(self) -> None:
        """Refuse to write to a save that was opened to be read only."""
        if self.session.is_read_only:
            raise StoreError(
                f"The save {self.name} could not write",
                "it was opened to be read only",
                "Open it without read_only",
            )

    def _tell_others(self) -> None:
        """Note whose memories have changed, for the processes that only read them."""
        values = {"save": self.save, "writer": self.session.world.writer}
        if self._changed:
            changes = {
                "npcs": list(self._changed),
                "touched": list(self._touched),
                "revision": new_revision(),
            }
            self.session.execute(_CHANGED, {**values, **changes})
        if self._changes_world:
            self.session.execute(_WRITES, values)

    def _forget_changes(self) -> None:
        self._changed.clear()
        self._touched.clear()
        self._changes_world = False

    def _writes_for(self, npc: int) -> None:
        """See that this process may write for an NPC. Inside a transaction.

        Raises:
            NpcLockedError: another process has it.
        """
        if npc not in self._npc_ids:
            row = self.row("SELECT npc_id FROM npcs WHERE save = %(save)s AND npc = %(npc)s", npc=npc)
            if row is None:
                return
            self._npc_ids[npc] = str(row[0])
        npc_id = self._npc_ids[npc]
        if not self.session.owns(npc_id) and not self.session.own(npc_id).is_owned:
            self.session.npcs.check_owned(npc_id)
        self._changed.add(npc)
        self._changes_world |= not is_npc(npc_id)

    def _write(self, statement: str, values: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        """Run a statement that changes rows. Inside a transaction: it is not run again, and an error may show
        with a later statement.
        """
        assert self.session.is_in_transaction
        if "npc" in values:
            self._writes_for(values["npc"])
        with self.errors("write"):
            cursor = self.session.execute(statement, {"save": self.save, **values})
        self.change_count += 1
        return cursor

    @contextlib.contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Inside, errors of the server become a StoreError that says what the save could not do."""
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(
                f"The save {self.name} could not {doing}", cause(error), remedy(error)
            ) from error

"""Snapshots of a save: copies of it in named slots, in the same tables."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import Any

import psycopg

from rag_memory.errors import SaveError, SaveNotFoundError
from rag_memory.step import Step
from rag_memory.storage.file_name import check_no_other_case
from rag_memory.storage.snapshot_slot import validate_slot
from rag_memory.storage.sql.browsing import Browsing
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.records import Records
from rag_memory_server.postgres.copying import copy_parts, empty
from rag_memory_server.postgres.open_save import OpenSave
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.session import Session

_OF_SLOT = "SELECT save FROM saves WHERE name = %(name)s AND slot = %(slot)s"


class State:
    """A save, or a snapshot, to be read as a whole; see storage.protocol.SaveState."""

    is_current = True
    """Opening a save makes the tables of all saves current."""

    def __init__(self, save: OpenSave) -> None:
        self.save = save
        self.records = Records(save)
        self.browsing = Browsing(save)
        self.documents = Documents(save)


class Snapshots:
    """See storage.protocol.Snapshots."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._session = save.session

    def slots(self) -> list[str]:
        rows = self._save.rows(
            "SELECT slot FROM saves WHERE name = %(name)s AND slot <> '' ORDER BY slot",
            name=self._session.name,
        )
        return [str(slot) for (slot,) in rows]

    def write_steps(self, slot: Any) -> Generator[Step, None, None]:
        slot = validate_slot("snapshot()", slot, is_new=True)
        self._save.check_writable()
        check_no_other_case(slot, "the name of a snapshot", self.slots())
        with self._errors(slot, "written"), self._session.beside() as beside:
            name = {"name": self._session.name, "slot": slot}
            if not beside.execute(
                "SELECT pg_try_advisory_xact_lock(hashtextextended(%(name)s || '/' || %(slot)s, 0))", name
            ).fetchone() == (True,):
                raise SaveError(
                    f"The snapshot {slot} of {self._save.name} could not be written",
                    "another one is being written to the same slot",
                    "Wait until it is done",
                )
            _delete(beside, name)
            target = beside.execute(
                "INSERT INTO saves (name, slot) VALUES (%(name)s, %(slot)s) RETURNING save", name
            ).fetchone()
            assert target is not None
            for done, total in copy_parts(beside, self._save.save, target[0]):
                yield Step(done, total, "copying the save")

    def delete(self, slot: Any) -> None:
        slot = validate_slot("delete_snapshot()", slot)
        self._save.check_writable()
        with self._errors(slot, "deleted"), self._session.patience(), self._session.transaction():
            if not _delete(self._session, {"name": self._session.name, "slot": slot}):
                raise self._not_found(slot)

    @contextlib.contextmanager
    def opened(self, call: str, slot: Any) -> Iterator[State]:
        slot = validate_slot(call, slot)
        save = self._save.number(_OF_SLOT, name=self._session.name, slot=slot)
        if not save:
            raise self._not_found(slot)
        yield State(OpenSave(self._session, save))

    @contextlib.contextmanager
    def _errors(self, slot: str, what: str) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            failure = f"The snapshot {slot} of {self._save.name} could not be {what}"
            raise SaveError(failure, cause(error), remedy(error)) from error

    def _not_found(self, slot: str) -> SaveNotFoundError:
        slots = ", ".join(self.slots())
        return SaveNotFoundError(
            f"there is no snapshot {slot!r} of this save",
            f"{self._save.name} has none of this name",
            f"The snapshots are {slots}" if slots else "snapshot() makes one",
        )


def _delete(session: Session, name: dict[str, str]) -> bool:
    """Delete a snapshot; whether there was one. Inside a transaction."""
    row = session.execute(_OF_SLOT, name).fetchone()
    if row is None:
        return False
    empty(session, row[0])
    session.execute("DELETE FROM saves WHERE save = %(save)s", {"save": row[0]})
    return True

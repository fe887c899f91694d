"""Snapshots of a save: copies of it in named slots, in the same tables."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import Any

import psycopg

from rag_memory.errors import SaveError, SaveNotFoundError
from rag_memory.memory.document import CAMPAIGN
from rag_memory.memory.owners import is_npc
from rag_memory.step import Step
from rag_memory.storage.file_name import check_no_other_case
from rag_memory.storage.snapshot_slot import validate_slot
from rag_memory_server.postgres.connected import Connected
from rag_memory_server.postgres.copying import copy_parts, empty
from rag_memory_server.postgres.lists import Lists
from rag_memory_server.postgres.postgres_failure import cause, remedy
from rag_memory_server.postgres.schema import SCHEMA_VERSION
from rag_memory_server.postgres.session import Session

_OF_SLOT = "SELECT save FROM saves WHERE name = %(name)s AND slot = %(slot)s"


class State(Lists):
    """A save, or a snapshot, to be read as a whole; see storage.protocol.SaveState."""

    @property
    def is_current(self) -> bool:
        """Always: opening a save makes the tables of all saves current."""
        return True

    def contents(self) -> dict[str, Any]:
        told = [each for each in self.browsing.npc_overview() if is_npc(each["npc_id"])]
        campaign = self.documents.get(CAMPAIGN, CAMPAIGN)
        return {
            "schema_version": SCHEMA_VERSION,
            "npcs": len(told),
            "memories": sum(each["total"] for each in told),
            "oldest": min((each["oldest"] for each in told if each["total"]), default=0.0),
            "newest": max((each["newest"] for each in told if each["total"]), default=0.0),
            "documents": self.documents.counts(),
            "campaign": {} if campaign is None else campaign.content,
        }


class Snapshots(Connected):
    """See the snapshots of storage.protocol.Storage."""

    def snapshots(self) -> list[str]:
        rows = self._rows(
            "SELECT slot FROM saves WHERE name = %(name)s AND slot <> '' ORDER BY slot",
            name=self._session.name,
        )
        return [str(slot) for (slot,) in rows]

    def snapshot_steps(self, slot: Any) -> Generator[Step, None, None]:
        slot = validate_slot("snapshot()", slot, is_new=True)
        self._check_writable()
        check_no_other_case(slot, "the name of a snapshot", self.snapshots())
        with self._telling(slot, "written"), self._session.beside() as beside:
            name = {"name": self._session.name, "slot": slot}
            if not beside.execute(
                "SELECT pg_try_advisory_xact_lock(hashtextextended(%(name)s || '/' || %(slot)s, 0))", name
            ).fetchone() == (True,):
                raise SaveError(
                    f"The snapshot {slot} of {self.name} could not be written",
                    "another one is being written to the same slot",
                    "Wait until it is done",
                )
            _delete(beside, name)
            target = beside.execute(
                "INSERT INTO saves (name, slot) VALUES (%(name)s, %(slot)s) RETURNING save", name
            ).fetchone()
            assert target is not None
            for done, total in copy_parts(beside, self._save, target[0]):
                yield Step(done, total, "copying the save")

    def delete_snapshot(self, slot: Any) -> None:
        slot = validate_slot("delete_snapshot()", slot)
        self._check_writable()
        with self._telling(slot, "deleted"), self._session.patience(), self._session.transaction():
            if not _delete(self._session, {"name": self._session.name, "slot": slot}):
                raise self._not_found(slot)

    @contextlib.contextmanager
    def opened_snapshot(self, where: str, slot: Any) -> Iterator[State]:
        slot = validate_slot(where, slot)
        save = self._number(_OF_SLOT, name=self._session.name, slot=slot)
        if not save:
            raise self._not_found(slot)
        yield State(self._session, save)

    @contextlib.contextmanager
    def _telling(self, slot: str, what: str) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            told = f"The snapshot {slot} of {self.name} could not be {what}"
            raise SaveError(told, cause(error), remedy(error)) from error

    def _not_found(self, slot: str) -> SaveNotFoundError:
        known = ", ".join(self.snapshots())
        return SaveNotFoundError(
            f"there is no snapshot {slot!r} of this save",
            f"{self.name} has none of this name",
            f"The snapshots are {known}" if known else "snapshot() makes one",
        )


def _delete(session: Session, name: dict[str, str]) -> bool:
    """Delete a snapshot; whether there was one. Inside a transaction."""
    row = session.execute(_OF_SLOT, name).fetchone()
    if row is None:
        return False
    empty(session, row[0])
    session.execute("DELETE FROM saves WHERE save = %(save)s", {"save": row[0]})
    return True

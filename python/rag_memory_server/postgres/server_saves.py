"""The saves on a server, whether they are open or not."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rag_memory.errors import SaveExistsError, SaveLockedError, SaveNotFoundError
from rag_memory.step import Step
from rag_memory.storage.sql.browsing import stored_contents
from rag_memory_server.config.postgres_config import PostgresConfig
from rag_memory_server.postgres.copying import copy_parts, empty
from rag_memory_server.postgres.open_save import OpenSave
from rag_memory_server.postgres.schema import SCHEMA_VERSION
from rag_memory_server.postgres.session import Session

_OF_NAME = "SELECT save, slot FROM saves WHERE name = %(name)s ORDER BY slot"
_NEW = "INSERT INTO saves (name, slot) VALUES (%(name)s, %(slot)s) ON CONFLICT DO NOTHING RETURNING save"


class PostgresSaves:
    """See storage.server_storage.ServerSaves."""

    def __init__(self, where: PostgresConfig) -> None:
        self._where = where

    def names(self) -> list[str]:
        with Session.unopened("", self._where) as session:
            rows = session.execute("SELECT name FROM saves WHERE slot = '' ORDER BY name", {}).fetchall()
        return [str(name) for (name,) in rows]

    def contents_of(self, name: str) -> dict[str, Any]:
        with Session.unopened(name, self._where) as session:
            slots = self._slots(session, name)
            state = "closed" if self._locks(session, slots[""]) else "in_use"
            contents = stored_contents(OpenSave(session, slots[""]), SCHEMA_VERSION)
        return {**contents, "state": state, "snapshots": [slot for slot in slots if slot]}

    def delete(self, name: str) -> None:
        with Session.unopened(name, self._where) as session:
            self._delete(session, name, self._slots(session, name))

    def copy_steps(self, name: str, to: str, replaces: bool = False) -> Generator[Step, None, None]:
        with Session.unopened(name, self._where) as session:
            slots = self._slots(session, name)
            if replaces and (replaced := self._slots_if_any(session, to)):
                self._delete(session, to, replaced)
            for slot, save in slots.items():
                made = session.execute(_NEW, {"name": to, "slot": slot}).fetchone()
                if made is None:
                    raise SaveExistsError(
                        f"there is a save {to!r} on {self._where} already",
                        "copy_save() replaces a save only when it is asked to",
                        'Use another id, pass {"replace": true}, or delete that save first',
                    )
                for done, total in copy_parts(session, save, made[0]):
                    yield Step(done, total, "copying the save")

    def _delete(self, session: Session, name: str, slots: dict[str, int]) -> None:
        """Delete a save with its snapshots. Raises SaveLockedError when somebody has it open."""
        if not self._locks(session, slots[""]):
            raise SaveLockedError(
                f"The save {name} on {self._where} is locked",
                "another process, or this game, has it open",
                "Close it there, then try again",
            )
        for save in slots.values():
            empty(session, save)
            session.execute("DELETE FROM saves WHERE save = %(save)s", {"save": save})

    def _slots_if_any(self, session: Session, name: str) -> dict[str, int]:
        """As _slots(); nothing when there is no such save."""
        slots = {str(slot): int(save) for save, slot in session.execute(_OF_NAME, {"name": name}).fetchall()}
        return slots if "" in slots else {}

    def _slots(self, session: Session, name: str) -> dict[str, int]:
        """The numbers of a save, under "", and of its snapshots."""
        slots = self._slots_if_any(session, name)
        if not slots:
            raise SaveNotFoundError(
                f"there is no save {name!r}",
                f"{self._where} has none of this name",
                "MemoryServer.list_saves() lists them",
            )
        return slots

    def _locks(self, session: Session, save: int) -> bool:
        """Whether nobody has the save open; then nobody opens it until the transaction ends."""
        (is_free,) = session.execute(
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%(what)s, 0))",
            {"what": f"rag_memory {self._where.schema} {save}"},
        ).fetchone() or (False,)
        return bool(is_free)

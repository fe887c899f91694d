"""Who has which NPC of a save: a lock on the server, held by the connection that writes.

So a process that ends, however it ends, has none, and nothing of an NPC commits on a connection that has lost
her. Each taking has a number that no other has: who lost the connection sees by it whether somebody else had
the NPC meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import psycopg

from rag_memory.errors import NpcLockedError
from rag_memory.memory.owners import is_npc
from rag_memory.storage.ownership import Ownership, this_process

Connection = psycopg.Connection[tuple[Any, ...]]

_KEY = "hashtextextended(%(lock)s::text || ' ' || {npc_id}::text, 0)"
# The lock is tried first, and once; who gets it writes down that he has her.
_TAKE = (
    "WITH tried AS MATERIALIZED "
    f"(SELECT pg_try_advisory_lock({_KEY.format(npc_id='%(npc_id)s')}) AS is_hers) "
    "INSERT INTO owners (save, npc_id, taken, owner) "
    "SELECT %(save)s, %(npc_id)s, nextval('taking_numbers'), %(owner)s FROM tried WHERE is_hers "
    "ON CONFLICT (save, npc_id) DO UPDATE SET taken = excluded.taken, owner = excluded.owner "
    "WHERE owners.save = %(save)s RETURNING taken"
)
_TAKE_AGAIN = (
    "SELECT npc_id FROM unnest(%(npc_ids)s::text[]) AS mine (npc_id) "
    f"WHERE pg_try_advisory_lock({_KEY.format(npc_id='npc_id')})"
)
_TAKINGS = "SELECT npc_id, taken FROM owners WHERE save = %(save)s AND npc_id = ANY(%(npc_ids)s::text[])"
_LET_GO = (
    "SELECT pg_advisory_unlock(" + _KEY.format(npc_id="npc_id") + ") "
    "FROM unnest(%(npc_ids)s::text[]) AS lost (npc_id)"
)
_STATE = "SELECT npc, changed FROM npcs WHERE save = %(save)s AND npc_id = %(npc_id)s"
_OWNER = (
    "SELECT owner FROM owners WHERE save = %(save)s AND npc_id = %(npc_id)s AND EXISTS "
    "(SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    f"AND (classid::bigint << 32) | objid::bigint = {_KEY.format(npc_id='%(npc_id)s')})"
)


class Running(Protocol):
    """What runs the statements: the session that has the locks."""

    save: int
    is_read_only: bool
    is_in_transaction: bool

    def execute(self, statement: str, values: Mapping[str, Any]) -> psycopg.Cursor[tuple[Any, ...]]: ...

    def attempt(self, statement: str, values: Mapping[str, Any]) -> None: ...


class NpcLocks:
    """The NPCs whom one session has."""

    def __init__(self, session: Running, lock: str) -> None:
        """`lock`: what the lock of the save is made of."""
        self._session = session
        self._lock = lock
        self._takings: dict[str, int] = {}
        """The number of her taking, by npc_id."""
        self._released: set[str] = set()
        self._lost: set[str] = set()
        """Whom somebody else has, or had, since the connection was lost."""
        self._not_sure: set[str] = set()
        """Whom the open transaction has taken, or may have: when it fails, her lock stays without a row."""

    def owns(self, npc_id: str) -> bool:
        """See storage.ownership.Owners."""
        return not self._session.is_read_only and (npc_id in self._takings or not is_npc(npc_id))

    def own(self, npc_id: str) -> Ownership:
        """See storage.ownership.Owners."""
        may_take = is_npc(npc_id) and npc_id not in self._released and not self._session.is_read_only
        if may_take and npc_id not in self._takings:
            self._take(npc_id)
        if npc_id in self._takings:
            return Ownership(True, (self._takings[npc_id],))
        row = self._session.execute(_STATE, self._of(npc_id)).fetchone()
        return Ownership(self.owns(npc_id), (0, *(row or ())))

    def _take(self, npc_id: str) -> None:
        try:
            row = self._session.execute(_TAKE, self._of(npc_id, owner=this_process())).fetchone()
            if row is not None:
                self._takings[npc_id] = int(row[0])
                self._lost.discard(npc_id)
                self._not_sure.add(npc_id)
        except psycopg.Error:
            self._not_sure.add(npc_id)
            if not self._session.is_in_transaction:
                self.undo()
            raise
        if not self._session.is_in_transaction:
            self.confirm()

    def confirm(self) -> None:
        """Whom the transaction has taken, stays taken; or the connection is a new one, which says who is."""
        self._not_sure.clear()

    def undo(self) -> None:
        """Let go of whom the transaction that has failed has taken."""
        npc_ids, self._not_sure = self._not_sure, set()
        for npc_id in npc_ids:
            self._takings.pop(npc_id, None)
        if npc_ids:
            self._session.attempt(_LET_GO, self._all(npc_ids))

    def check_owned(self, npc_id: str) -> None:
        """See storage.ownership.Owners."""
        if self.owns(npc_id):
            return
        what = f"{npc_id} cannot learn anything here"
        if self._session.is_read_only:
            raise NpcLockedError(what, "the save was opened to be read only", "Open it without read_only")
        if npc_id in self._released:
            raise NpcLockedError(what, "this game has let go of her", "Take her back with acquire_npc()")
        owner = self.owner_of(npc_id)
        if npc_id in self._lost and owner in ("", this_process()):
            raise NpcLockedError(
                what,
                "the connection to the server was lost, and somebody else may have had her meanwhile",
                "Do it again: what is in memory of her is read anew",
            )
        remedy = "Publish what happens to her as an event, or have her released there"
        raise NpcLockedError(what, f"{owner or 'another process'} has her", remedy)

    def acquire(self, npc_id: str) -> None:
        """See storage.ownership.Owners."""
        self._released.discard(npc_id)
        self.own(npc_id)
        self.check_owned(npc_id)

    def release(self, npc_id: str) -> None:
        """See storage.ownership.Owners."""
        self._released.add(npc_id)
        if self._takings.pop(npc_id, None) is not None:
            self._session.execute(_LET_GO, self._all([npc_id]))

    def owner_of(self, npc_id: str) -> str:
        """See storage.ownership.Owners."""
        row = self._session.execute(_OWNER, self._of(npc_id)).fetchone()
        return "" if row is None else str(row[0])

    @property
    def owned(self) -> list[str]:
        """Whom this session has."""
        return list(self._takings)

    def take_again(self, connection: Connection) -> None:
        """Take everybody again on another connection, and forget whom somebody else has, or had meanwhile."""
        if not self._takings:
            return
        # What they were taken as is read after the locks are taken: nobody changes it any more.
        rows = connection.execute(_TAKE_AGAIN, self._all(self._takings)).fetchall()
        locked = [str(npc_id) for (npc_id,) in rows]
        takings: dict[str, int] = dict(connection.execute(_TAKINGS, self._all(locked)).fetchall())
        lost = [npc_id for npc_id in locked if takings.get(npc_id) != self._takings[npc_id]]
        connection.execute(_LET_GO, self._all(lost))
        taken_again = {npc_id: self._takings[npc_id] for npc_id in locked if npc_id not in lost}
        self._lost |= self._takings.keys() - taken_again.keys()
        self._takings = taken_again

    def forget(self, connection: Connection) -> None:
        """Let go of everybody: what is in memory of them holds no longer."""
        connection.execute(_LET_GO, self._all(self._takings))
        self._lost |= self._takings.keys()
        self._takings.clear()

    def _of(self, npc_id: str, **values: Any) -> dict[str, Any]:
        return {"lock": self._lock, "save": self._session.save, "npc_id": npc_id, **values}

    def _all(self, npc_ids: Iterable[str]) -> dict[str, Any]:
        return {"lock": self._lock, "save": self._session.save, "npc_ids": list(npc_ids)}

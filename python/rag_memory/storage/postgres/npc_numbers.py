"""The NPCs of a save, by number."""

from __future__ import annotations

import random

from rag_memory.storage.postgres.connected import Connected

SET_REVISION = "UPDATE npcs SET revision = %(revision)s WHERE save = %(save)s AND npc = %(npc)s"


def new_revision() -> int:
    """A number that no other state has, not even in a copy."""
    return random.getrandbits(63)


class NpcNumbers(Connected):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        return (
            self._number("SELECT npc FROM npcs WHERE save = %(save)s AND npc_id = %(npc_id)s", npc_id=npc_id)
            or None
        )

    def add_npc(self, npc_id: str) -> int:
        npc = self._next("npc")
        self._write(
            "INSERT INTO npcs (save, npc, npc_id) VALUES (%(save)s, %(npc)s, %(npc_id)s)",
            npc=npc,
            npc_id=npc_id,
        )
        return npc

    def npc_ids(self) -> list[str]:
        rows = self._rows("SELECT npc_id FROM npcs WHERE save = %(save)s ORDER BY npc_id")
        return [str(row[0]) for row in rows]

    def revision(self, npc: int) -> int:
        return self._number("SELECT revision FROM npcs WHERE save = %(save)s AND npc = %(npc)s", npc=npc)

    def touch(self, npc: int) -> None:
        self._write(SET_REVISION, npc=npc, revision=new_revision())

"""The NPCs of a save, by number."""

from __future__ import annotations

from rag_memory.storage.postgres.connected import Connected

SET_REVISION = "UPDATE npcs SET revision = %(revision)s WHERE save = %(save)s AND npc = %(npc)s"


class NpcNumbers(Connected):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        return (
            self._number("SELECT npc FROM npcs WHERE save = %(save)s AND npc_id = %(npc_id)s", npc_id=npc_id)
            or None
        )

    def add_npc(self, npc_id: str) -> int:
        npc = self._next("npc")
        self._npc_ids[npc] = npc_id
        # What the world remembers another process may begin at the same time.
        added = self._count_written(
            "INSERT INTO npcs (save, npc, npc_id) VALUES (%(save)s, %(npc)s, %(npc_id)s) "
            "ON CONFLICT (save, npc_id) DO NOTHING",
            npc=npc,
            npc_id=npc_id,
        )
        return npc if added else self.npc_number(npc_id) or 0

    def npc_ids(self) -> list[str]:
        rows = self._rows("SELECT npc_id FROM npcs WHERE save = %(save)s ORDER BY npc_id")
        return [str(row[0]) for row in rows]

    def revision(self, npc: int) -> int:
        return self._number("SELECT revision FROM npcs WHERE save = %(save)s AND npc = %(npc)s", npc=npc)

    def touch(self, npc: int) -> None:
        self._writes_for(npc)
        self._touched.add(npc)
        self._written += 1

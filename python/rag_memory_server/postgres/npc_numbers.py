"""The NPCs of a save, by number."""

from __future__ import annotations

from rag_memory.storage.sql.statements import NPC_IDS, NPC_NUMBER, REVISION
from rag_memory_server.postgres.connected import Connected


class NpcNumbers(Connected):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        return self.number(NPC_NUMBER, npc_id=npc_id) or None

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
        return [str(npc_id) for (npc_id,) in self.rows(NPC_IDS)]

    def revision(self, npc: int) -> int:
        return self.number(REVISION, npc=npc)

    def touch(self, npc: int) -> None:
        self._writes_for(npc)
        self._touched.add(npc)
        self._written += 1

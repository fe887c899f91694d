"""The NPCs of a save, by number."""

from __future__ import annotations

from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import NPC_IDS, NPC_NUMBER, REVISION, SET_REVISION
from rag_memory.storage.sqlite.connected import Connected


class NpcNumbers(Connected):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        """The NPC's number in this save, or None when nothing was ever stored for it."""
        return self._statements.number(NPC_NUMBER, npc_id=npc_id) or None

    def add_npc(self, npc_id: str) -> int:
        """The number of a new NPC. Inside a transaction."""
        sql = "INSERT INTO npcs (npc_id, write_order) VALUES (?, ?)"
        return int(self._write(sql, (npc_id, self._orders.current)).lastrowid or 0)

    def npc_ids(self) -> list[str]:
        """Every NPC that has a number in this save, in alphabetical order."""
        return [str(row[0]) for row in self._statements.rows(NPC_IDS)]

    def revision(self, npc: int) -> int:
        """A number that no other state of the NPC's vectors has, not even in a copy of the save."""
        return self._statements.number(REVISION, npc=npc)

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed. Inside a transaction."""
        self._statements.write(SET_REVISION, npc=npc, revision=new_revision())

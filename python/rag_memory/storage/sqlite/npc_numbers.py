"""The NPCs of a save, by number."""

from __future__ import annotations

from rag_memory.storage.sqlite.connected import Connected


class NpcNumbers(Connected):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        """The NPC's number in this save, or None when nothing was ever stored for it."""
        row = self._row("SELECT npc FROM npcs WHERE npc_id = ?", (npc_id,))
        return None if row is None else int(row[0])

    def add_npc(self, npc_id: str) -> int:
        """The number of a new NPC. Inside a transaction."""
        sql = "INSERT INTO npcs (npc_id, write_order) VALUES (?, ?)"
        return int(self._write(sql, (npc_id, self._orders.current)).lastrowid or 0)

    def npc_ids(self) -> list[str]:
        """Every NPC that has a number in this save, in alphabetical order."""
        return [str(row[0]) for row in self._rows("SELECT npc_id FROM npcs ORDER BY npc_id", ())]

    def revision(self, npc: int) -> int:
        """A number that no other state of the NPC's vectors has, not even in a copy of the save."""
        row = self._row("SELECT revision FROM npcs WHERE npc = ?", (npc,))
        return 0 if row is None else int(row[0])

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed. Inside a transaction."""
        self._write("UPDATE npcs SET revision = random() WHERE npc = ?", (npc,))

"""The NPCs of a save, by number."""

from __future__ import annotations

from rag_memory.storage.sql.database import Database

_NUMBER = "SELECT npc FROM $npcs WHERE npc_id = :npc_id"
_WITH_MEMORIES = (
    "SELECT npc_id FROM $npcs WHERE EXISTS (SELECT 1 FROM $memories WHERE memories.npc = npcs.npc "
    "AND importance <= :most) ORDER BY npc_id"
)


class Npcs:
    """The NPCs of a save, and those who own memories like one: the world and the lore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def number(self, npc_id: str) -> int | None:
        """The NPC's number in this save, or None when nothing was ever stored for it."""
        return self._database.number(_NUMBER, npc_id=npc_id) or None

    def add(self, npc_id: str) -> int:
        """The number of a new NPC. Inside a transaction."""
        # Another process, or an earlier write of the same commit, may have added it.
        number = self.number(npc_id) or self._database.add("npcs", "npc", {"npc_id": npc_id})
        return number or self.number(npc_id) or 0

    def delete(self, npc: int) -> None:
        """Delete an NPC that has nothing any more. Inside a transaction."""
        self._database.write("DELETE FROM npcs WHERE $own AND npc = :npc", npc=npc)

    def ids(self) -> list[str]:
        """Every NPC that has a number in this save, in alphabetical order."""
        return [str(npc_id) for (npc_id,) in self._database.rows("SELECT npc_id FROM $npcs ORDER BY npc_id")]

    def ids_with_memories(self, most_importance: int) -> list[str]:
        """The NPCs with memories of at most this importance, in alphabetical order."""
        rows = self._database.rows(_WITH_MEMORIES, most=most_importance)
        return [str(npc_id) for (npc_id,) in rows]

    def revision(self, npc: int) -> int:
        """A number that no other state of the NPC's vectors has, not even in a copy of the save."""
        return self._database.number("SELECT revision FROM $npcs WHERE npc = :npc", npc=npc)

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed: a new revision. Inside a transaction."""
        self._database.touch(npc)

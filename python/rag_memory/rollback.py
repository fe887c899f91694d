"""Going back to an earlier moment of the game: what came later is forgotten, what it replaced holds again."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from . import archive

_IS_LATER = "(stored_at > :moment OR timestamp > :moment)"


class Rollback(NamedTuple):
    """What a rollback has changed: how many memories are forgotten, and the numbers of the NPCs concerned."""

    forgotten: int
    npcs: frozenset[int]


def roll_back(connection: sqlite3.Connection, moment: float) -> Rollback:
    """Forget everything that was stored, or is dated, later than `moment`. Inside a transaction.

    Memories archived later come back, and supersessions of later are undone.
    """
    values = {"moment": moment}
    npcs = _npcs(connection, f"memories WHERE {_IS_LATER}", values)
    npcs |= _npcs(connection, "archived_memories WHERE archived_at > :moment", values)
    for table in ("memories", "archived_memories"):
        connection.execute(
            f"UPDATE {table} SET superseded_by = '', superseded_at = 0 WHERE superseded_by <> '' AND "
            "(superseded_at > :moment OR EXISTS (SELECT 1 FROM memories later WHERE later.npc = "
            f"{table}.npc AND later.id = {table}.superseded_by "
            "AND (later.stored_at > :moment OR later.timestamp > :moment)))",
            values,
        )
    forgotten = connection.execute(f"DELETE FROM memories WHERE {_IS_LATER}", values).rowcount
    connection.execute(f"DELETE FROM archived_memories WHERE {_IS_LATER}", values)
    returning = connection.execute(
        "SELECT archive FROM archived_memories WHERE archived_at > :moment ORDER BY archive", values
    ).fetchall()
    archive.bring_back(connection, [int(row[0]) for row in returning])
    connection.executemany("UPDATE npcs SET revision = random() WHERE npc = ?", [(npc,) for npc in npcs])
    return Rollback(forgotten, frozenset(npcs))


def _npcs(connection: sqlite3.Connection, rows: str, values: dict[str, float]) -> set[int]:
    return {int(row[0]) for row in connection.execute(f"SELECT DISTINCT npc FROM {rows}", values)}

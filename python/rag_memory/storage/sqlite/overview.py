"""What a save holds of each NPC, in numbers."""

from __future__ import annotations

import sqlite3
from typing import Any

from rag_memory.storage.sqlite.archive import holds_no_longer

_NAMES = (
    "npc_id",
    "total",
    "pinned",
    "important",
    "regular",
    "superseded",
    "archived",
    "oldest",
    "newest",
)


def npc_overview(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """{npc_id, total, pinned, important, regular, superseded, archived, oldest, newest} of every NPC, in the
    order of their ids.
    """
    rows = connection.execute(
        "SELECT npc_id, count(m.rowid), coalesce(sum(memory_tier = 0), 0), "
        "coalesce(sum(memory_tier = 1), 0), coalesce(sum(memory_tier = 2), 0), "
        "coalesce(sum(superseded_by <> ''), 0), "
        "(SELECT count(*) FROM archived_memories a WHERE a.npc = npcs.npc "
        f"AND {holds_no_longer('a')}), "
        "coalesce(min(timestamp), 0.0), coalesce(max(timestamp), 0.0) "
        "FROM npcs LEFT JOIN memories m USING (npc) GROUP BY npcs.npc ORDER BY npc_id COLLATE NOCASE, npc_id"
    ).fetchall()
    return [dict(zip(_NAMES, row, strict=True)) for row in rows]

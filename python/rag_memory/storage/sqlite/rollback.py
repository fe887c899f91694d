"""Going back to an earlier moment of the game: what came later is forgotten, what it replaced holds again."""

from __future__ import annotations

import sqlite3
from collections import Counter

from rag_memory.memory.record import Record
from rag_memory.memory.repetition import content_key
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.sql.interactions import Interactions
from rag_memory.storage.sqlite import archive
from rag_memory.storage.sqlite.archive import IS_WITHOUT_CONTENT
from rag_memory.storage.sqlite.marks import end_marks

_IS_LATER = "(stored_at > :moment OR timestamp > :moment)"

_FIELDS = ", ".join("memory" if name == "key" else name for name in Record._fields)
_SAME_ID = "npc = :npc AND id = :id"

# The memories of which something is kept without its content that comes back, or whose content may go. They
# are found from what changes: from what is kept, one told 10,000 times would be gone through 10,000 times.
_CONCERNED = (
    f"SELECT npc, id FROM (SELECT npc, id FROM memories WHERE {_IS_LATER} "
    f"UNION SELECT npc, id FROM archived_memories WHERE {_IS_LATER} AND NOT {IS_WITHOUT_CONTENT} "
    f"UNION SELECT npc, id FROM archived_memories WHERE archived_at > :moment AND {IS_WITHOUT_CONTENT}) "
    "AS changed WHERE EXISTS (SELECT 1 FROM archived_memories WHERE npc = changed.npc AND id = changed.id "
    f"AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER})"
)
_WITH_CONTENT = (
    f"SELECT {_FIELDS}, model, embedding, {_IS_LATER} FROM memories JOIN vectors USING (memory) "
    f"WHERE {_SAME_ID} UNION ALL SELECT {_FIELDS}, model, embedding, {_IS_LATER} "
    f"FROM archived_memories WHERE {_SAME_ID} AND NOT {IS_WITHOUT_CONTENT}"
)
_WITHOUT_CONTENT = (
    "SELECT archive, archived_by, archived_at > :moment AS returns FROM archived_memories "
    f"WHERE {_SAME_ID} AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER} ORDER BY returns DESC, archive DESC"
)


def roll_back(
    connection: sqlite3.Connection,
    order: int,
    moment: float,
    interactions: Interactions,
    documents: Documents,
) -> Rollback:
    """Forget everything that was stored, or is dated, later than `moment`. Inside a transaction with this
    order number.

    Memories archived later come back, supersessions of later are undone, and what was accessed later was
    accessed at `moment`.
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
    _keep_content(connection, moment)
    gone = set(connection.execute(f"SELECT npc, id FROM memories WHERE {_IS_LATER}", values))
    connection.execute(f"DELETE FROM memories WHERE {_IS_LATER}", values)
    connection.execute(f"DELETE FROM archived_memories WHERE {_IS_LATER}", values)
    returning = connection.execute(
        "SELECT archive, npc, id FROM archived_memories WHERE archived_at > :moment ORDER BY archive", values
    ).fetchall()
    archive.bring_back(connection, order, [row[0] for row in returning])
    for table in ("memories", "archived_memories"):
        connection.execute(
            f"UPDATE {table} SET last_accessed = :moment WHERE last_accessed > :moment", values
        )
    gone -= {
        (npc, id)
        for _, npc, id in returning
        if connection.execute("SELECT 1 FROM memories WHERE npc = ? AND id = ?", (npc, id)).fetchone()
    }
    interactions.roll_back(moment)
    documents.roll_back(moment)
    end_marks(connection, "timestamp > ?", (moment,))
    connection.executemany("UPDATE npcs SET revision = random() WHERE npc = ?", [(npc,) for npc in npcs])
    return Rollback(Counter(npc for npc, _ in gone), frozenset(npcs))


def _keep_content(connection: sqlite3.Connection, moment: float) -> None:
    """Give the content of what is about to be deleted to the earlier versions that need it from then on."""
    for npc, id in connection.execute(_CONCERNED, {"moment": moment}).fetchall():
        values = {"npc": npc, "id": id, "moment": moment}
        contents: dict[str, tuple[Record, int, bytes]] = {}
        staying: set[str] = set()
        for *record, model, embedding, is_later in connection.execute(_WITH_CONTENT, values):
            key = content_key(Record._make(record))
            contents[key] = (Record._make(record), model, embedding)
            if not is_later:
                staying.add(key)
        for number, key, returns in connection.execute(_WITHOUT_CONTENT, values).fetchall():
            if key in contents and (returns or key not in staying):
                archive.add_content(connection, number, npc, *contents[key])
                staying.add(key)


def _npcs(connection: sqlite3.Connection, rows: str, values: dict[str, float]) -> set[int]:
    return {int(row[0]) for row in connection.execute(f"SELECT DISTINCT npc FROM {rows}", values)}

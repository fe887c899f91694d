"""Going back to an earlier moment of the game: what came later is forgotten, what it replaced holds again."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from rag_memory.memory.document import TIMELESS
from rag_memory.memory.interaction import PRUNED
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import content_key, with_times_of
from rag_memory.storage.mark import Rollback
from rag_memory.storage.sql.archive import Archive
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.storage.sql.statements import HAS_ID, IS_WITHOUT_CONTENT, SET_REVISION

_IS_LATER = "(stored_at > :moment OR timestamp > :moment)"
_TABLES = ("memories", "archived_memories")
_OF_ID = "npc = :npc AND id = :id"

# The memories of which something is stored without its content that comes back, or whose content may go. They
# are found from what changes: from what is stored, one told 10,000 times would be gone through 10,000 times.
_CONCERNED = (
    f"SELECT npc, id FROM (SELECT npc, id FROM $memories WHERE {_IS_LATER} "
    f"UNION SELECT npc, id FROM $archived_memories WHERE {_IS_LATER} AND NOT {IS_WITHOUT_CONTENT} "
    f"UNION SELECT npc, id FROM $archived_memories WHERE archived_at > :moment AND {IS_WITHOUT_CONTENT}) "
    "AS changed WHERE EXISTS (SELECT 1 FROM $archived_memories AS earlier WHERE earlier.npc = changed.npc "
    f"AND earlier.id = changed.id AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER})"
)
_WITH_CONTENT = (
    f"SELECT {COLUMNS}, model, embedding, {_IS_LATER} FROM (SELECT memories.*, vectors.model, "
    "vectors.embedding FROM $memories JOIN $vectors ON vectors.memory = memories.memory) AS present "
    f"WHERE {_OF_ID} UNION ALL SELECT {COLUMNS}, model, embedding, {_IS_LATER} "
    f"FROM $archived_memories WHERE {_OF_ID} AND NOT {IS_WITHOUT_CONTENT}"
)
_WITHOUT_CONTENT = (
    "SELECT archive, archived_by, archived_at > :moment AS returns, repeat_count FROM $archived_memories "
    f"WHERE {_OF_ID} AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER} ORDER BY returns DESC, archive DESC"
)
_END_SUPERSESSIONS = {
    table: (
        f"UPDATE {table} SET superseded_by = '', superseded_at = 0 WHERE $own AND superseded_by <> '' AND "
        f"(superseded_at > :moment OR EXISTS (SELECT 1 FROM $memories AS later WHERE later.npc = {table}.npc "
        f"AND later.id = {table}.superseded_by "
        "AND (later.stored_at > :moment OR later.timestamp > :moment)))"
    )
    for table in _TABLES
}
_FORGET = {table: f"DELETE FROM {table} WHERE $own AND {_IS_LATER}" for table in _TABLES}
_MOVE_ACCESSES = {
    table: f"UPDATE {table} SET last_accessed = :moment WHERE $own AND last_accessed > :moment"
    for table in _TABLES
}
# A pruned entry stays when it is the earliest that is known of somebody whom the NPC knew already.
_FORGET_INTERACTIONS = (
    "DELETE FROM interactions WHERE $own AND stored_at > :moment AND NOT (kind = :pruned "
    "AND known_since <= :moment AND NOT EXISTS (SELECT 1 FROM $interactions AS earlier "
    "WHERE earlier.npc = interactions.npc AND earlier.source_id = interactions.source_id "
    "AND earlier.stored_at <= :moment))"
)
_FORGET_DOCUMENTS = "DELETE FROM documents WHERE $own AND (stored_at > :moment OR timestamp > :moment)"
_RETURNING = "SELECT archive, npc, id FROM $archived_memories WHERE archived_at > :moment ORDER BY archive"


def roll_back(database: Database, archive: Archive, moment: float) -> Rollback:
    """Forget everything that was stored, or is dated, later than `moment`. Inside a transaction.

    Memories archived later come back, supersessions of later are undone, and what was accessed later was
    accessed at `moment`.
    """
    later = f"FROM $memories WHERE {_IS_LATER}"
    gone = {(int(npc), str(id)) for npc, id in database.rows(f"SELECT npc, id {later}", moment=moment)}
    returning = [(int(n), int(npc), str(id)) for n, npc, id in database.rows(_RETURNING, moment=moment)]
    npcs = {npc for npc, _ in gone} | {npc for _, npc, _ in returning}
    for table in _TABLES:
        database.write(_END_SUPERSESSIONS[table], moment=moment)
    _keep_content(database, archive, moment)
    for table in _TABLES:
        database.write(_FORGET[table], moment=moment)
    for number, _, _ in database.rows(_RETURNING, moment=moment):
        archive.return_version(number)
    for table in _TABLES:
        database.write(_MOVE_ACCESSES[table], moment=moment)
    gone -= {(npc, id) for _, npc, id in returning if database.row(HAS_ID, npc=npc, id=id)}
    database.write(_FORGET_INTERACTIONS, moment=moment, pruned=PRUNED)
    database.write(_FORGET_DOCUMENTS, moment=max(moment, TIMELESS))
    for npc in npcs:
        database.write(SET_REVISION, npc=npc, revision=new_revision())
    return Rollback(Counter(npc for npc, _ in gone), frozenset(npcs))


def _keep_content(database: Database, archive: Archive, moment: float) -> None:
    """Give the content of what is about to be deleted to the earlier versions that need it from then on."""
    for npc, id in database.rows(_CONCERNED, moment=moment):
        contents: dict[str, tuple[Record, int, Any]] = {}
        staying: set[str] = set()
        for *record, model, embedding, is_later in database.rows(
            _WITH_CONTENT, npc=npc, id=id, moment=moment
        ):
            version = Record._make(record)
            key = content_key(version)
            if key not in contents or contents[key][0].repeat_count < version.repeat_count:
                contents[key] = (version, model, embedding)
            if not is_later:
                staying.add(key)
        for number, key, returns, count in database.rows(_WITHOUT_CONTENT, npc=npc, id=id, moment=moment):
            if key in contents and (returns or key not in staying):
                version, model, embedding = contents[key]
                archive.add_content(number, npc, with_times_of(version, count), model, embedding)
                staying.add(key)


def new_revision() -> int:
    """A number that no other state has, not even in a copy."""
    return random.getrandbits(63)

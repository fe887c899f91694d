"""Going back to an earlier moment of the game: what came later is forgotten, what it replaced holds again."""

from __future__ import annotations

from collections import Counter

from rag_memory.memory.record import Record
from rag_memory.memory.repetition import content_key
from rag_memory.storage.postgres.archive import IS_WITHOUT_CONTENT
from rag_memory.storage.postgres.capture import Capture
from rag_memory.storage.postgres.connected import FIELDS, new_revision
from rag_memory.storage.postgres.marks import MarkEnding
from rag_memory.storage.postgres.npc_numbers import SET_REVISION
from rag_memory.storage.postgres.postgres_types import vector_in
from rag_memory.storage.rollback import Rollback
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.vectors import FloatVector

_IS_LATER = "(stored_at > %(moment)s OR timestamp > %(moment)s)"
_LATER = f"save = %(save)s AND {_IS_LATER}"
_OF_ID = "save = %(save)s AND npc = %(npc)s AND id = %(id)s"

# The memories of which something is kept without its content that comes back, or whose content may go. They
# are found from what changes: from what is kept, one told 10,000 times would be gone through 10,000 times.
_CONCERNED = (
    f"SELECT npc, id FROM (SELECT npc, id FROM memories WHERE {_LATER} "
    f"UNION SELECT npc, id FROM archived_memories WHERE {_LATER} AND NOT {IS_WITHOUT_CONTENT} "
    "UNION SELECT npc, id FROM archived_memories WHERE save = %(save)s AND archived_at > %(moment)s "
    f"AND {IS_WITHOUT_CONTENT}) AS changed WHERE EXISTS (SELECT 1 FROM archived_memories kept "
    "WHERE kept.save = %(save)s AND kept.npc = changed.npc AND kept.id = changed.id "
    f"AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER})"
)
_WITH_CONTENT = (
    f"SELECT {', '.join(f'm.{name}' for name in FIELDS)}, v.model, v.embedding, {_IS_LATER} "
    "FROM memories m JOIN vectors v ON v.save = m.save AND v.memory = m.memory "
    "WHERE m.save = %(save)s AND v.save = %(save)s AND m.npc = %(npc)s AND m.id = %(id)s "
    f"UNION ALL SELECT {COLUMNS}, model, embedding, {_IS_LATER} "
    f"FROM archived_memories WHERE {_OF_ID} AND NOT {IS_WITHOUT_CONTENT}"
)
_WITHOUT_CONTENT = (
    "SELECT archive, archived_by, archived_at > %(moment)s AS returns FROM archived_memories "
    f"WHERE {_OF_ID} AND {IS_WITHOUT_CONTENT} AND NOT {_IS_LATER} ORDER BY returns DESC, archive DESC"
)
_END_LATER_SUPERSESSIONS = (
    "UPDATE {table} SET superseded_by = '', superseded_at = 0 WHERE save = %(save)s AND superseded_by <> '' "
    "AND (superseded_at > %(moment)s OR EXISTS (SELECT 1 FROM memories later WHERE later.save = %(save)s "
    "AND later.npc = {table}.npc AND later.id = {table}.superseded_by "
    "AND (later.stored_at > %(moment)s OR later.timestamp > %(moment)s)))"
)


class RollingBack(MarkEnding, Capture):
    """See roll_back() of storage.protocol.Archive."""

    def roll_back(self, moment: float) -> Rollback:
        npcs = self._npcs(f"memories WHERE {_LATER}", moment)
        npcs |= self._npcs("archived_memories WHERE save = %(save)s AND archived_at > %(moment)s", moment)
        for table in ("memories", "archived_memories"):
            self._write(_END_LATER_SUPERSESSIONS.format(table=table), moment=moment)
        self._keep_content(moment)
        gone = set(self._rows(f"SELECT npc, id FROM memories WHERE {_LATER}", moment=moment))
        for table in ("memories", "archived_memories"):
            self._write(f"DELETE FROM {table} WHERE {_LATER}", moment=moment)
        returning = self._rows(
            "SELECT archive, npc, id FROM archived_memories WHERE save = %(save)s "
            "AND archived_at > %(moment)s ORDER BY archive",
            moment=moment,
        )
        for number, _, _ in returning:
            self._bring_back(number)
        for table in ("memories", "archived_memories"):
            self._write(
                f"UPDATE {table} SET last_accessed = %(moment)s "
                "WHERE save = %(save)s AND last_accessed > %(moment)s",
                moment=moment,
            )
        is_back = f"SELECT 1 FROM memories WHERE {_OF_ID}"
        gone -= {(npc, id) for _, npc, id in returning if self._row(is_back, npc=npc, id=id)}
        self.interactions.roll_back(moment)
        self.documents.roll_back(moment)
        self._end_marks("timestamp > %(moment)s", moment=moment)
        for npc in npcs:
            self._write(SET_REVISION, npc=npc, revision=new_revision())
        return Rollback(Counter(npc for npc, _ in gone), frozenset(npcs))

    def _keep_content(self, moment: float) -> None:
        """Give the content of what is about to be deleted to the earlier versions that need it."""
        for npc, id in self._rows(_CONCERNED, moment=moment):
            contents: dict[str, tuple[Record, int, FloatVector | None]] = {}
            staying: set[str] = set()
            rows = self._rows(_WITH_CONTENT, npc=npc, id=id, moment=moment)
            for *record, model, embedding, is_later in rows:
                key = content_key(Record._make(record))
                vector = None if embedding is None else vector_in(embedding)
                contents[key] = (Record._make(record), model, vector)
                if not is_later:
                    staying.add(key)
            for number, key, returns in self._rows(_WITHOUT_CONTENT, npc=npc, id=id, moment=moment):
                if key in contents and (returns or key not in staying):
                    self._add_content(number, *contents[key])
                    staying.add(key)

    def _npcs(self, rows: str, moment: float) -> set[int]:
        return {int(row[0]) for row in self._rows(f"SELECT DISTINCT npc FROM {rows}", moment=moment)}

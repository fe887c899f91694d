"""Marks, and the rows as they were at each; see storage/sqlite/earlier_rows.py for what is kept, and why.

One table holds the earlier rows of all others, as JSON: by the name of their table, and `accesses` for when
memories were recalled.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rag_memory.memory.document import TIMELESS
from rag_memory.memory.owners import RESERVED
from rag_memory.storage.interaction_row import COLUMNS as INTERACTION
from rag_memory.storage.mark import CERTAIN_MARKS, MOST_MARKS, Mark, Rollback
from rag_memory.storage.sql.archive import ARCHIVED
from rag_memory.storage.sql.documents import COLUMNS as DOCUMENT
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import DELETE_LATER_MARKS, HAS_ID, MARK_COUNT, SET_REVISION
from rag_memory_server.postgres.open_save import UNREAD, UNREAD_OF_INTERACTIONS, UNREAD_OF_MEMORIES, OpenSave

_TABLES = {
    "memories": ("memory", f"npc, terms, digest, {COLUMNS}, {UNREAD_OF_MEMORIES}"),
    "archived_memories": (
        "archive",
        f"npc, terms, digest, model, embedding, {ARCHIVED}, {UNREAD_OF_MEMORIES}",
    ),
    "interactions": ("interaction", f"npc, {', '.join(INTERACTION)}, {UNREAD_OF_INTERACTIONS}"),
    "documents": ("document", f"{', '.join(DOCUMENT)}, {UNREAD}"),
}
_IS_LATER = "save = %(save)s AND write_order > %(mark)s AND stored_at > %(timeless)s"
_EARLIER = (
    "SELECT DISTINCT ON (number) number, content FROM earlier_rows WHERE save = %(save)s "
    "AND place = %(place)s AND mark >= %(mark)s ORDER BY number, mark"
)
_CHANGED = (
    f"SELECT npc, id FROM memories WHERE {_IS_LATER} UNION SELECT npc, id FROM memories "
    "WHERE save = %(save)s AND memory IN (SELECT number FROM earlier_rows WHERE save = %(save)s "
    "AND place = %(place)s AND mark >= %(mark)s)"
)
_PUT_VECTORS = (
    "INSERT INTO vectors (save, memory, npc, model, embedding) "
    f"SELECT %(save)s, put.memory, put.npc, put.model, put.embedding FROM ({_EARLIER}) AS earlier, "
    "LATERAL jsonb_populate_record(NULL::vectors, earlier.content) AS put "
    "WHERE EXISTS (SELECT 1 FROM memories WHERE memories.save = %(save)s AND memories.memory = put.memory) "
    "ON CONFLICT (save, memory) DO UPDATE SET model = excluded.model, embedding = excluded.embedding"
)
_PUT_ACCESSES = (
    "UPDATE memories SET last_accessed = (earlier.content #>> '{}')::double precision "
    f"FROM ({_EARLIER}) AS earlier WHERE memories.save = %(save)s AND memories.memory = earlier.number"
)
_ACCESSED = (
    "SELECT DISTINCT npc FROM memories WHERE save = %(save)s AND memory IN (SELECT number FROM earlier_rows "
    "WHERE save = %(save)s AND place = %(place)s AND mark >= %(mark)s)"
)

_OLDEST = (
    "mark NOT IN (SELECT mark FROM marks WHERE save = %(save)s AND is_reachable "
    "ORDER BY mark DESC LIMIT %(count)s)"
)
_HAS_NO_MARK = "mark >= 0 AND mark NOT IN (SELECT mark FROM marks WHERE save = %(save)s)"
"""The condition of copies whose mark has ended. Exchanges have copies under negative numbers."""
_LABEL = "(SELECT max(mark) FROM marks WHERE marks.save = %(save)s AND marks.mark <= copied.mark)"


class EarlierRows:
    """See storage.sql.marks.EarlierRows."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save

    def add_mark(self, code: str, timestamp: float) -> None:
        self._save.check_writable()
        with self._save.errors("write"), self._save.session.transaction(is_mark=True):
            self._save.write(
                "INSERT INTO marks (save, mark, timestamp, is_reachable, code) "
                "VALUES (%(save)s, currval('write_numbers'), %(timestamp)s, true, %(code)s)",
                timestamp=timestamp,
                code=code,
            )
            self._save.write("UPDATE saves SET marked = currval('write_numbers') WHERE save = %(save)s")
            if self._save.number(MARK_COUNT) > MOST_MARKS:
                self._end_marks(_OLDEST, count=CERTAIN_MARKS)

    def end_marks_after(self, moment: float) -> None:
        self._end_marks("timestamp > %(moment)s", moment=moment)

    def purge(self) -> None:
        """Nothing: the server's own VACUUM removes what was deleted."""

    def return_to(self, mark: Mark) -> Rollback:
        values = {"mark": mark.number, "timeless": TIMELESS, "place": "memories"}
        before = {(int(npc), str(id)) for npc, id in self._save.rows(_CHANGED, **values)}
        earlier = self._save.rows(
            f"SELECT DISTINCT (content ->> %(name)s)::bigint FROM ({_EARLIER}) AS earlier",
            name="npc",
            **values,
        )
        npcs = {npc for npc, _ in before} | {int(npc) for (npc,) in earlier}
        accessed = {int(npc) for (npc,) in self._save.rows(_ACCESSED, mark=mark.number, place="accesses")}
        # Nothing of what follows is a change that a later rollback takes back.
        self._save.write("UPDATE saves SET marked = -1 WHERE save = %(save)s")
        for table in _TABLES:
            self._save.write(f"DELETE FROM {table} WHERE {_IS_LATER}", **values)
            self._save.write(_put_rows(table), **{**values, "place": table})
        self._save.write(_PUT_VECTORS, mark=mark.number, place="vectors")
        self._save.write(_PUT_ACCESSES, mark=mark.number, place="accesses")
        self._save.write(
            "DELETE FROM npcs WHERE save = %(save)s AND write_order > %(mark)s "
            "AND NOT npc_id = ANY(%(reserved)s::text[])",
            mark=mark.number,
            reserved=sorted(RESERVED),
        )
        self._save.forget_npcs()
        self._save.write(DELETE_LATER_MARKS, mark=mark.number)
        self._save.write(
            "DELETE FROM earlier_rows WHERE save = %(save)s AND mark >= %(mark)s", mark=mark.number
        )
        self._save.write("UPDATE saves SET marked = %(mark)s WHERE save = %(save)s", mark=mark.number)
        gone = {(npc, id) for npc, id in before if not self._save.row(HAS_ID, npc=npc, id=id)}
        for npc in npcs:
            self._save.write(SET_REVISION, npc=npc, revision=new_revision())
        return Rollback(Counter(npc for npc, _ in gone), frozenset(npcs | accessed))

    def _end_marks(self, condition: str, **values: Any) -> None:
        """Delete marks, and all earlier rows that no other mark needs; see sqlite/earlier_rows.py."""
        sql = f"DELETE FROM marks WHERE save = %(save)s AND (NOT is_reachable OR {condition})"
        if not self._save.count_written(sql, **values):
            return
        self._save.write(
            f"DELETE FROM earlier_rows AS copied WHERE save = %(save)s "
            f"AND {_HAS_NO_MARK} AND ({_LABEL} IS NULL "
            f"OR (copied.content ->> %(name)s)::bigint > {_LABEL} OR EXISTS ("
            "SELECT 1 FROM earlier_rows AS former WHERE former.save = %(save)s "
            "AND former.place = copied.place AND former.number = copied.number "
            f"AND former.mark < copied.mark AND former.mark >= {_LABEL}))",
            name="write_order",
        )
        self._save.write(
            f"UPDATE earlier_rows AS copied SET mark = {_LABEL} WHERE save = %(save)s AND {_HAS_NO_MARK}"
        )
        self._save.write(
            "UPDATE saves SET marked = coalesce((SELECT max(mark) FROM marks WHERE save = %(save)s), -1) "
            "WHERE save = %(save)s"
        )


def _put_rows(table: str) -> str:
    """The statement that gives changed rows what they held at the mark, and adds deleted ones."""
    key, columns = _TABLES[table]
    names = columns.split(", ")
    return (
        f"INSERT INTO {table} (save, {columns}) "
        f"SELECT %(save)s, {', '.join(f'put.{name}' for name in names)} FROM ({_EARLIER}) AS earlier, "
        f"LATERAL jsonb_populate_record(NULL::{table}, earlier.content) AS put "
        f"WHERE put.write_order <= %(mark)s ON CONFLICT (save, {key}) DO UPDATE SET "
        f"{', '.join(f'{name} = excluded.{name}' for name in names if name != key)}"
    )

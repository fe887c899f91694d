"""Memories that hold no longer but may come back; see storage/sqlite/archive.py for what is kept, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.memory.archived import REPEATED, Archived
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import CONTENT, content_key, without_content
from rag_memory.storage.sql.statements import FORGET_ARCHIVED, FORGET_ARCHIVED_ID, IS_WITHOUT_CONTENT
from rag_memory.vectors import FloatVector
from rag_memory_server.postgres.record_writing import INSERTED, PLACES, RecordWriting, values_of

INSERT = (
    f"INSERT INTO archived_memories (archive, archived_at, archived_reason, archived_by, model, embedding, "
    f"{INSERTED}) VALUES (%(archive)s, %(archived_at)s, %(archived_reason)s, %(archived_by)s, %(model)s, "
    f"%(embedding)s, {PLACES})"
)
_KEPT = INSERTED.removeprefix("save, memory, ")
_COPY = (
    "INSERT INTO archived_memories (archive, archived_at, archived_reason, archived_by, save, memory, "
    f"model, embedding, {_KEPT}) SELECT %(archive)s, %(archived_at)s, %(archived_reason)s, %(archived_by)s, "
    f"m.save, m.memory, v.model, v.embedding, {', '.join(f'm.{name}' for name in _KEPT.split(', '))} "
    "FROM memories m JOIN vectors v ON v.save = m.save AND v.memory = m.memory "
    "WHERE m.save = %(save)s AND v.save = %(save)s AND m.memory = %(memory)s"
)
# One whose key or id is taken stays in the archive.
_BRING_BACK = (
    f"WITH back AS (INSERT INTO memories (save, memory, {_KEPT}) SELECT save, memory, {_KEPT} "
    "FROM archived_memories WHERE save = %(save)s AND archive = %(archive)s "
    f"AND NOT {IS_WITHOUT_CONTENT} ON CONFLICT DO NOTHING RETURNING memory), "
    "vector AS (INSERT INTO vectors (save, memory, npc, model, embedding) "
    "SELECT save, memory, npc, model, embedding FROM archived_memories "
    "WHERE save = %(save)s AND archive = %(archive)s AND memory IN (SELECT memory FROM back)) "
    "DELETE FROM archived_memories WHERE save = %(save)s AND archive = %(archive)s "
    "AND memory IN (SELECT memory FROM back)"
)
_ADD_CONTENT = (
    "UPDATE archived_memories SET terms = %(terms)s, digest = %(digest)s, model = %(model)s, "
    f"embedding = %(embedding)s, {', '.join(f'{name} = %({name})s' for name in CONTENT)} "
    "WHERE save = %(save)s AND archive = %(archive)s"
)


class Archive(RecordWriting):
    """See storage.protocol.Archive."""

    def archive(self, keys: Sequence[int], archived: Archived) -> None:
        self.archive_copy(keys, archived)
        for key in keys:
            self.delete(key)

    def archive_copy(self, keys: Sequence[int], archived: Archived) -> None:
        for key in keys:
            self._write(_COPY, archive=self._next("archive"), memory=key, **_values_of(archived))

    def archive_repeated(self, npc: int, record: Record, at: float, model: int) -> None:
        archived = Archived(at, REPEATED, content_key(record))
        self._shelve(npc, archived, without_content(record), None, model)

    def archive_new(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int
    ) -> None:
        record = record._replace(key=record.key or self._next("memory"))
        self._shelve(npc, archived, record, vector, model)

    def forget_archived(self, npc: int, id: str | None = None) -> None:
        if id is None:
            self.write(FORGET_ARCHIVED, npc=npc)
        else:
            self.write(FORGET_ARCHIVED_ID, npc=npc, id=id)

    def _shelve(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector | None, model: int
    ) -> None:
        values = {**values_of(record), **_values_of(archived)}
        self._write(INSERT, archive=self._next("archive"), npc=npc, model=model, embedding=vector, **values)

    def _add_content(self, number: int, record: Record, model: int, vector: FloatVector | None) -> None:
        """Give what was kept of a repetition the content of `record`. Inside a transaction."""
        self._write(_ADD_CONTENT, archive=number, model=model, embedding=vector, **values_of(record))

    def bring_back(self, number: int) -> None:
        """See Shelf."""
        self._write(_BRING_BACK, archive=number)


def _values_of(archived: Archived) -> dict[str, Any]:
    return {
        "archived_at": archived.at,
        "archived_reason": archived.reason,
        "archived_by": archived.by,
    }

"""Statements that write memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.memory.record import Record, digest_of
from rag_memory.storage.sql.statements import DELETE, DELETE_ALL, SUPERSEDE, UNSUPERSEDE
from rag_memory.vectors import FloatVector
from rag_memory_server.postgres.connected import Connected
from rag_memory_server.postgres.vector_table import SET_VECTOR

_SET = (*(name for name in Record._fields if name != "key"), "terms", "digest")
INSERTED = ", ".join(("save", "memory", "npc", *_SET))
PLACES = ", ".join(f"%({name})s" for name in ("save", "memory", "npc", *_SET))
_NEXT = "nextval('memory_numbers')"
# One way to the server and back: the number, the memory and its vector. No row tells that the id is taken.
_INSERT = (
    f"WITH added AS (INSERT INTO memories ({INSERTED}) "
    f"VALUES ({PLACES.replace('%(memory)s', _NEXT)}) ON CONFLICT DO NOTHING "
    "RETURNING memory) "
    "INSERT INTO vectors (save, memory, npc, model, embedding) "
    "SELECT %(save)s, memory, %(npc)s, %(model)s, %(embedding)s FROM added RETURNING memory"
)
_UPDATE = (
    f"UPDATE memories SET {', '.join(f'{name} = %({name})s' for name in _SET)} "
    "WHERE save = %(save)s AND memory = %(memory)s"
)


def values_of(record: Record) -> dict[str, Any]:
    """The columns of a memory but its NPC. Nothing finds what was kept without its text."""
    values = record._asdict()
    values["memory"] = values.pop("key")
    text = record.document_full
    values["terms"] = record.index_terms() if text else []
    values["digest"] = digest_of(record.event_type, text) if text else 0
    return values


class RecordWriting(Connected):
    """See storage.protocol.RecordsWritten."""

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        self._writes_for(npc)
        key = self._number(_INSERT, npc=npc, model=model, embedding=vector, **values_of(record))
        if not key:
            raise StoreError(
                f"The save {self.name} could not write",
                f"the NPC has a memory with the id {record.id!r} already",
                "Use another id",
            )
        self._written += 1
        return key

    def replace(self, npc: int, record: Record, vector: FloatVector, model: int) -> None:
        self.revise(npc, record)
        self._write(SET_VECTOR, memory=record.key, model=model, embedding=vector)

    def revise(self, npc: int, record: Record) -> None:
        self._writes_for(npc)
        self._write(_UPDATE, **values_of(record))

    def access(self, accesses: Mapping[int, float]) -> None:
        if not accesses:
            return  # As with most writes: a way to the server for nothing.
        self._write(
            "UPDATE memories SET last_accessed = given.at FROM "
            "unnest(%(keys)s::bigint[], %(times)s::double precision[]) AS given (memory, at) "
            "WHERE save = %(save)s AND memories.memory = given.memory",
            keys=list(accesses),
            times=[float(at) for at in accesses.values()],
        )

    def supersede(self, keys: Sequence[int], by: str, at: float) -> None:
        self.write(SUPERSEDE, keys=list(keys), by=by, at=at)

    def unsupersede(self, npc: int, by: str) -> None:
        self.write(UNSUPERSEDE, npc=npc, by=by)

    def delete(self, key: int) -> None:
        self.write(DELETE, memory=key)

    def delete_all(self, npc: int) -> int:
        self.write("DELETE FROM vectors WHERE $own AND npc = :npc", npc=npc)
        return self.count_written(DELETE_ALL, npc=npc)

"""Capturing memories and putting them back; storage/captured.py has the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rag_memory.memory.record import Record
from rag_memory.storage.captured import Captured, Kept, KeptArchived, unknown_model
from rag_memory.storage.sql.archive_columns import ARCHIVED, archived_of
from rag_memory.storage.sql.statements import DELETE_ID, MODELS, SUPERSEDE_ID, SUPERSEDED
from rag_memory.vectors import FloatVector
from rag_memory_server.postgres.archive import INSERT, Archive
from rag_memory_server.postgres.connected import FIELDS
from rag_memory_server.postgres.postgres_types import vector_in
from rag_memory_server.postgres.record_writing import INSERTED, PLACES, values_of

_OF_ID = "save = %(save)s AND npc = %(npc)s AND id = %(id)s"
_FINGERPRINT = (
    "(SELECT fingerprint FROM embedding_models e WHERE e.save = %(save)s AND e.model = {table}.model)"
)
_MEMORY = (
    f"SELECT {', '.join(f'm.{name}' for name in FIELDS)}, v.embedding, {_FINGERPRINT.format(table='v')} "
    "FROM memories m JOIN vectors v ON v.save = m.save AND v.memory = m.memory "
    "WHERE m.save = %(save)s AND v.save = %(save)s AND m.npc = %(npc)s AND m.id = %(id)s"
)
_VERSIONS = (
    f"SELECT {ARCHIVED}, embedding, {_FINGERPRINT.format(table='archived_memories')} "
    f"FROM archived_memories WHERE {_OF_ID} ORDER BY archive"
)
_INSERT = (
    f"WITH added AS (INSERT INTO memories ({INSERTED}) VALUES ({PLACES}) RETURNING memory) "
    "INSERT INTO vectors (save, memory, npc, model, embedding) "
    "SELECT %(save)s, memory, %(npc)s, %(model)s, %(embedding)s FROM added"
)


class Capture(Archive):
    """See capture() and put_back() of storage.protocol.Archive."""

    def capture(self, npc: int | None, id: str) -> Captured:
        if npc is None:
            return Captured(id, None, [], [])
        row = self._row(_MEMORY, npc=npc, id=id)
        versions = self._rows(_VERSIONS, npc=npc, id=id)
        superseded = self.rows(SUPERSEDED, npc=npc, id=id)
        found = [(archived_of(row[:-2]), row[-2], row[-1]) for row in versions]
        return Captured(
            id,
            None if row is None else _kept(Record._make(row[:-2]), row[-2], row[-1]),
            [
                KeptArchived(each.number, each.archived, _kept(each.record, embedding, fingerprint))
                for each, embedding, fingerprint in found
            ],
            [(str(id), float(at)) for id, at in superseded],
        )

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        rows = self.rows(MODELS)
        models = {str(fingerprint): int(model) for fingerprint, model in rows}
        unknown = {kept.fingerprint for each in captured for kept in each.all_kept()} - models.keys()
        if unknown:
            raise unknown_model(unknown.pop())
        for each in captured:
            self.write(DELETE_ID, npc=npc, id=each.id)
            self.forget_archived(npc, each.id)
            self.unsupersede(npc, each.id)
        records = [self._put_back(npc, each, models) for each in captured]
        for each in captured:
            for id, at in each.supersedes:
                self.write(
                    SUPERSEDE_ID,
                    npc=npc,
                    id=id,
                    by=each.id,
                    at=at,
                )
        return [record for record in records if record is not None]

    def _put_back(self, npc: int, captured: Captured, models: Mapping[str, int]) -> Record | None:
        record: Record | None = None
        if captured.memory is not None:
            record, vector, fingerprint = captured.memory
            record = record._replace(key=self._free("memory", "memories", record.key))
            self._write(
                _INSERT,
                npc=npc,
                model=models[fingerprint],
                embedding=_vector(vector),
                **values_of(record),
            )
        for number, archived, kept in captured.versions:
            values: dict[str, Any] = values_of(kept.record)
            self._write(
                INSERT,
                archive=self._free("archive", "archived_memories", number),
                archived_at=archived.at,
                archived_reason=archived.reason,
                archived_by=archived.by,
                npc=npc,
                model=models[kept.fingerprint],
                embedding=_vector(kept.vector),
                **values,
            )
        return record

    def _free(self, counter: str, table: str, number: int) -> int:
        """The number itself, or the next one when a row has it."""
        sql = f"SELECT 1 FROM {table} WHERE save = %(save)s AND {counter} = %(number)s"
        # A number of another server may be still to come here.
        last = self._number(f"SELECT pg_sequence_last_value('{counter}_numbers') WHERE %(save)s IS NOT NULL")
        is_free = number <= last and self._row(sql, number=number) is None
        return number if is_free else self._next(counter)


def _kept(record: Record, embedding: bytes | None, fingerprint: str) -> Kept:
    vector = b"" if embedding is None else vector_in(embedding).astype("<f4").tobytes()
    return Kept(record, vector, fingerprint)


def _vector(kept: bytes) -> FloatVector | None:
    return np.frombuffer(kept, dtype="<f4").astype(np.float32) if kept else None

"""Statements on vectors and the embedding models that made them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_memory.index.columns import SearchedRow
from rag_memory.memory.owners import RESERVED
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import MODEL_NUMBER, SET_REVISION
from rag_memory.vectors import FloatMatrix, FloatVector, Keys
from rag_memory_server.postgres.connected import Connected
from rag_memory_server.postgres.postgres_types import keys_and_numbers_in, vector_in, vectors_in

SET_VECTOR = (
    "UPDATE vectors SET model = %(model)s, embedding = %(embedding)s "
    "WHERE save = %(save)s AND memory = %(memory)s"
)


class VectorTable(Connected):
    """See storage.protocol.Vectors. A memory and its vector are written together: none is without."""

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        known = self.number(MODEL_NUMBER, fingerprint=fingerprint)
        if known:
            return known
        if self._session.is_read_only:
            return 0  # Nothing has a vector of it.
        with self.transaction():
            # Another process may begin with the same one.
            self._write(
                "INSERT INTO embedding_models (save, model, fingerprint, name, dimension) "
                "VALUES (%(save)s, %(model)s, %(fingerprint)s, %(name)s, %(dimension)s) "
                "ON CONFLICT (save, fingerprint) DO NOTHING",
                model=self._next("model"),
                fingerprint=fingerprint,
                name=name,
                dimension=dimension,
            )
        return self.model_number(fingerprint, name, dimension)

    def keys_of_other_models(self, model: int) -> list[int]:
        # Two ranges of an index: where there are none, nothing is read.
        rows = self._rows(
            "SELECT memory FROM vectors WHERE save = %(save)s AND (model < %(model)s OR model > %(model)s) "
            "AND (%(has_all)s OR npc IN (SELECT npc FROM npcs WHERE save = %(save)s "
            "AND npc_id = ANY(%(owned)s::text[]))) ORDER BY memory",
            model=model,
            has_all=self._session.is_alone,
            owned=[*self._session.npcs.owned, *RESERVED],
        )
        return [int(row[0]) for row in rows]

    def complete_vectors(self) -> None:
        pass

    def set_vectors(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        self._write_many(
            SET_VECTOR,
            [
                {"memory": key, "model": model, "embedding": vector}
                for key, vector in zip(keys, vectors, strict=True)
            ],
        )
        npcs = self._rows(
            "SELECT DISTINCT npc FROM vectors WHERE save = %(save)s AND memory = ANY(%(keys)s::bigint[])",
            keys=list(keys),
        )
        for (npc,) in npcs:
            self.write(SET_REVISION, npc=npc, revision=new_revision())

    def vectors_of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        rows = self._rows(
            "SELECT memory, embedding FROM vectors WHERE save = %(save)s AND model = %(model)s "
            "AND memory = ANY(%(keys)s::bigint[])",
            keys=list(keys),
            model=model,
        )
        return {int(key): vector_in(embedding) for key, embedding in rows}

    def similarities(self, npc: int, model: int, question: FloatVector) -> tuple[Keys, FloatVector]:
        # One row of two values: as a row for each, a hundred thousand take half as long again.
        row = self._row(
            "SELECT string_agg(int8send(memory), ''), "
            "string_agg(float4send((-(embedding <#> %(question)s))::real), '') "
            "FROM vectors WHERE save = %(save)s AND npc = %(npc)s AND model = %(model)s",
            npc=npc,
            model=model,
            question=question,
        )
        keys, products = (b"" if part is None else part for part in row or (None, None))
        return keys_and_numbers_in(keys, products)

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        rows = self._rows(
            "SELECT m.memory, m.importance, m.timestamp, m.memory_tier, m.event_type, m.last_accessed, "
            "m.kind, CASE WHEN v.model = %(model)s THEN v.embedding END "
            "FROM memories m JOIN vectors v ON v.save = m.save AND v.memory = m.memory "
            "WHERE m.save = %(save)s AND v.save = %(save)s AND m.memory = ANY(%(keys)s::bigint[]) "
            "ORDER BY m.memory",
            keys=list(keys),
            model=model,
        )
        none = np.zeros(dimension, dtype=np.float32).tobytes()
        vectors = vectors_in([none if row[-1] is None else row[-1] for row in rows], dimension)
        return [SearchedRow._make(row[:-1]) for row in rows], vectors

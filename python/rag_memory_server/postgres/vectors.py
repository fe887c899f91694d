"""Statements on vectors and the embedding models that made them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag_memory.index.columns import SearchedRow
from rag_memory.memory.owners import RESERVED
from rag_memory.memory.secrecy import SECRET_KEY
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import MODEL_NUMBER, NPCS_OF, PUT_VECTOR, SET_REVISION, VECTORS
from rag_memory.vectors import FloatMatrix, FloatVector, Keys
from rag_memory_server.postgres.open_save import OpenSave
from rag_memory_server.postgres.postgres_types import keys_and_numbers_in, vector_in, vectors_in


class Vectors:
    """See storage.protocol.Vectors. A memory and its vector are written together: none is without."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._session = save.session

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        number = self._save.number(MODEL_NUMBER, fingerprint=fingerprint)
        if number or self._session.is_read_only:
            return number  # Nothing has a vector of 0.
        with self._save.transaction():
            # Another process may begin with the same one.
            model = {"fingerprint": fingerprint, "name": name, "dimension": dimension}
            self._save.add("embedding_models", "model", model)
        return self._save.number(MODEL_NUMBER, fingerprint=fingerprint)

    def keys_of_other_models(self, model: int) -> list[int]:
        # Two ranges of an index: where there are none, nothing is read.
        rows = self._save.rows(
            "SELECT memory FROM vectors WHERE save = %(save)s AND (model < %(model)s OR model > %(model)s) "
            "AND (%(has_all)s OR npc IN (SELECT npc FROM npcs WHERE save = %(save)s "
            "AND npc_id = ANY(%(owned)s::text[]))) ORDER BY memory",
            model=model,
            has_all=self._session.is_alone,
            owned=[*self._session.npcs.owned, *RESERVED],
        )
        return [int(row[0]) for row in rows]

    def complete(self) -> None:
        pass

    def put(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        for key, vector in zip(keys, vectors, strict=True):
            self._save.write(PUT_VECTOR, memory=key, model=model, embedding=vector)
        for (npc,) in self._save.rows(NPCS_OF, keys=list(keys)):
            self._save.write(SET_REVISION, npc=npc, revision=new_revision())

    def of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        rows = self._save.rows(VECTORS, keys=list(keys), model=model)
        return {int(key): vector_in(embedding) for key, embedding in rows}

    def similarities(self, npc: int, model: int, question: FloatVector) -> tuple[Keys, FloatVector]:
        # One row of two values: as a row for each, a hundred thousand take half as long again.
        row = self._save.row(
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
        rows = self._save.rows(
            "SELECT m.memory, m.importance, m.timestamp, m.memory_tier, m.event_type, m.last_accessed, "
            "m.kind, strpos(m.extra, %(secret)s::text) > 0, "
            "CASE WHEN v.model = %(model)s THEN v.embedding END "
            "FROM memories m JOIN vectors v ON v.save = m.save AND v.memory = m.memory "
            "WHERE m.save = %(save)s AND v.save = %(save)s AND m.memory = ANY(%(keys)s::bigint[]) "
            "ORDER BY m.memory",
            keys=list(keys),
            model=model,
            secret=SECRET_KEY,
        )
        none = np.zeros(dimension, dtype=np.float32).tobytes()
        vectors = vectors_in([none if row[-1] is None else row[-1] for row in rows], dimension)
        return [SearchedRow._make(row[:-1]) for row in rows], vectors

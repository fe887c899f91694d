"""Statements on vectors and the embedding models that made them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.index.columns import SearchedRow
from rag_memory.memory.kind import KINDS
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import MODEL_NUMBER, NPCS_OF, PUT_VECTOR, SET_REVISION, VECTORS
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.vectors import FloatMatrix, FloatVector

_HIGHEST = 2.0
"""No vector of length 1 has a higher number; those of a damaged file may, or hold what is no number."""


_SEARCHED = (
    "SELECT m.memory, m.importance, m.timestamp, m.memory_tier, m.event_type, m.last_accessed, m.kind, "
    "instr(m.extra, '\"secret\"') > 0, "
    "v.model, v.embedding FROM memories m JOIN vectors v ON v.memory = m.memory "
    "WHERE m.memory $in(keys) ORDER BY m.memory"
)


class Vectors:
    """See storage.protocol.Vectors."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._database = save.statements

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        """The number under which vectors of this embedding model are stored. A model that the save has
        already costs no write: a restored save has to be usable although the disk is full.
        """
        number = self._database.number(MODEL_NUMBER, fingerprint=fingerprint)
        if number:
            return number
        with self._save.transaction():
            model = {"fingerprint": fingerprint, "name": name, "dimension": dimension}
            return self._database.add("embedding_models", "model", model)

    def keys_of_other_models(self, model: int) -> list[int]:
        """The memories whose vector is missing or was made by another model, ascending."""
        with self._save.errors("read"):
            if all_are_of_model(self._save.connection, model):
                return []
        rows = self._database.rows(
            "SELECT m.memory FROM memories m LEFT JOIN vectors v ON v.memory = m.memory "
            "WHERE v.model IS NULL OR v.model <> :model ORDER BY m.memory",
            model=model,
        )
        return [int(row[0]) for row in rows]

    def complete(self) -> None:
        """Give memories that have no vector at all, as in a damaged save, one of NoEmbedder."""
        with self._save.errors("read"):
            if not _lacking(self._save.connection):
                return
        embedder = NoEmbedder()
        model = self.model_number(embedder.fingerprint, embedder.name, embedder.dimension)
        (vector,) = embedder.embed([""])
        with self._save.transaction():
            self._database.write(
                "INSERT INTO vectors (memory, model, embedding) SELECT memory, :model, :embedding "
                "FROM memories WHERE memory NOT IN (SELECT memory FROM vectors)",
                model=model,
                embedding=self._database.stored_vector(vector),
            )

    def put(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        """Give memories new vectors, and their NPCs new revisions. Inside a transaction."""
        for key, vector in zip(keys, vectors, strict=True):
            embedding = self._database.stored_vector(vector)
            self._database.write(PUT_VECTOR, memory=key, model=model, embedding=embedding)
        for (npc,) in self._database.rows(NPCS_OF, keys=list(keys)):
            self._database.write(SET_REVISION, npc=npc, revision=new_revision())

    def of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by key."""
        rows = self._database.rows(VECTORS, keys=list(keys), model=model)
        return {int(key): np.frombuffer(vector, dtype="<f4").astype(np.float32) for key, vector in rows}

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        """What these memories, ascending, are searched by, and their vectors in the same order."""
        none = bytes(4 * dimension)
        rows = [
            (*row[:-2], row[-1] if row[-2] == model else none)
            for row in self._database.rows_with(_SEARCHED, keys)
        ]
        joined = b"".join(row[-1] for row in rows)
        if len(joined) != 4 * dimension * len(rows) or not all(map(_is_sound, rows)):
            self._save.suspect()
            rows = [_usable(row, dimension) for row in rows]
            joined = b"".join(row[-1] for row in rows)
        vectors = np.frombuffer(joined, dtype="<f4").astype(np.float32).reshape(len(rows), dimension)
        if rows and not (vectors.max() <= _HIGHEST and vectors.min() >= -_HIGHEST):
            self._save.suspect()
            are_usable = (np.abs(vectors) <= _HIGHEST).all(axis=1)
            vectors[~are_usable] = np.eye(1, dimension, dtype=np.float32)
        return [SearchedRow._make(row[:-1]) for row in rows], vectors


def _is_sound(row: tuple[Any, ...]) -> bool:
    """Whether it holds what every memory does; only a damaged file has others."""
    try:
        return bool(1 <= row[1] <= 10 and 0 <= row[3] <= 2 and row[6] in KINDS)
    except TypeError:
        return False


def _usable(row: tuple[Any, ...], dimension: int) -> tuple[Any, ...]:
    """A row of a damaged file in which nothing is impossible: the others are searched as ever."""
    key, importance, timestamp, tier, event_type, last_accessed, kind, may_be_secret, embedding = row
    if not _is_sound(row):
        importance, tier, kind = 1, 2, ""
    if len(embedding) != 4 * dimension:
        embedding = np.eye(1, dimension, dtype="<f4").tobytes()
    return key, importance, timestamp, tier, event_type, last_accessed, kind, bool(may_be_secret), embedding


def all_are_of_model(connection: sqlite3.Connection, model: int) -> bool:
    """Whether every memory has a vector of this model."""
    # Answered from indexes alone: reading every row of a large save would take seconds.
    (others,) = connection.execute(
        "SELECT count(*) FROM vectors WHERE model < :model OR model > :model", {"model": model}
    ).fetchone()
    return bool(others == _lacking(connection) == 0)


def _lacking(connection: sqlite3.Connection) -> int:
    """How many memories have no vector at all."""
    (lacking,) = connection.execute(
        "SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM vectors)"
    ).fetchone()
    return int(lacking)

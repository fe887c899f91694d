"""Statements on vectors and the embedding models that made them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_memory.embedding.no_embedder import NoEmbedder
from rag_memory.index.columns import SearchedRow
from rag_memory.memory.kind import KINDS
from rag_memory.storage.sql.statements import MODEL_NUMBER
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.validation import to_json
from rag_memory.vectors import FloatMatrix, FloatVector

SET_VECTOR = "INSERT OR REPLACE INTO vectors (memory, model, embedding) VALUES (?, ?, ?)"
_HIGHEST = 2.0
"""No vector of length 1 has a higher number; those of a damaged file may, or hold what is no number."""


class VectorTable(Connected):
    """See storage.protocol.Vectors."""

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        """The number under which vectors of this embedding model are kept. A known model costs no write: a
        restored save has to be usable although the disk is full.
        """
        number = self._statements.number(MODEL_NUMBER, fingerprint=fingerprint)
        if number:
            return number
        with self.transaction():
            return int(
                self._write(
                    "INSERT INTO embedding_models (fingerprint, name, dimension) VALUES (?, ?, ?)",
                    (fingerprint, name, dimension),
                ).lastrowid
                or 0
            )

    def keys_of_other_models(self, model: int) -> list[int]:
        """The memories whose vector is missing or was made by another model, ascending."""
        with self._reading() as connection:
            if all_are_of_model(connection, model):
                return []
        rows = self._rows(
            "SELECT m.rowid FROM memories m LEFT JOIN vectors v ON v.memory = m.rowid "
            "WHERE v.model IS NULL OR v.model <> ? ORDER BY m.rowid",
            (model,),
        )
        return [int(row[0]) for row in rows]

    def complete_vectors(self) -> None:
        """Give memories that have no vector at all, as in a damaged save, one of NoEmbedder."""
        with self._reading() as connection:
            if not _lacking(connection):
                return
        embedder = NoEmbedder()
        none = self.model_number(embedder.fingerprint, embedder.name, embedder.dimension)
        (vector,) = embedder.embed([""])
        with self.transaction():
            self._write(
                "INSERT INTO vectors (memory, model, embedding) SELECT rowid, ?, ? FROM memories "
                "WHERE rowid NOT IN (SELECT memory FROM vectors)",
                (none, blob_of(vector)),
            )

    def set_vectors(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        """Give memories new vectors. Inside a transaction."""
        self._connection.executemany(
            SET_VECTOR,
            [(rowid, model, blob_of(vector)) for rowid, vector in zip(keys, vectors, strict=True)],
        )
        self._connection.execute(
            "UPDATE npcs SET revision = random() WHERE npc IN (SELECT DISTINCT npc FROM memories "
            "WHERE rowid IN (SELECT value FROM json_each(?)))",
            (to_json(list(keys)),),
        )

    def vectors_of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        """The vectors of those of these memories that have one of this model, by rowid."""
        rows = self._rows(
            "SELECT memory, embedding FROM vectors WHERE model = ? "
            "AND memory IN (SELECT value FROM json_each(?))",
            (model, to_json(list(keys))),
        )
        return {int(row[0]): np.frombuffer(row[1], dtype="<f4").astype(np.float32) for row in rows}

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        """What these memories, ascending, are searched by, and their vectors in the same order."""
        none = bytes(4 * dimension)
        rows = [
            (*row[:-2], row[-1] if row[-2] == model else none)
            for row in self._rows_in(
                "SELECT m.rowid, m.importance, m.timestamp, m.memory_tier, m.event_type, m.last_accessed, "
                "m.kind, v.model, v.embedding FROM memories m JOIN vectors v ON v.memory = m.rowid "
                "WHERE m.rowid",
                keys,
                "ORDER BY m.rowid",
            )
        ]
        joined = b"".join(row[-1] for row in rows)
        if len(joined) != 4 * dimension * len(rows) or not all(map(_is_sound, rows)):
            self.suspect()
            rows = [_usable(row, dimension) for row in rows]
            joined = b"".join(row[-1] for row in rows)
        vectors = np.frombuffer(joined, dtype="<f4").astype(np.float32).reshape(len(rows), dimension)
        if rows and not (vectors.max() <= _HIGHEST and vectors.min() >= -_HIGHEST):
            self.suspect()
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
    key, importance, timestamp, tier, event_type, last_accessed, kind, embedding = row
    if not _is_sound(row):
        importance, tier, kind = 1, 2, ""
    if len(embedding) != 4 * dimension:
        embedding = np.eye(1, dimension, dtype="<f4").tobytes()
    return key, importance, timestamp, tier, event_type, last_accessed, kind, embedding


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


def blob_of(vector: FloatVector) -> bytes:
    return vector.astype("<f4", copy=False).tobytes()

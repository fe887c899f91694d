"""The vector stores that `bench peers` compares, with a common interface. Runs in their environment."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import rag_memory
from rag_memory.config import MemoryConfig, RelevanceMode
from rag_memory.index.registry import make_index
from rag_memory.index.vector_index import IndexOptions
from rag_memory.vectors import FloatMatrix, FloatVector

from .vectors import KnownVectors

_BATCH = 2_000


class Peer(Protocol):
    """One way to keep vectors with an importance and to find the nearest of at least some importance."""

    name: str
    is_persistent: bool

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        """Take in everything."""

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        """The numbers of the k nearest vectors of at least this importance, best first."""


class RagMemory:
    """Ours as a game asks it: NPC, config, records from SQLite, dictionaries; DENSE as all others are."""

    name = "RAG Memory"
    is_persistent = True

    def __init__(self, questions: FloatMatrix) -> None:
        self._questions = questions

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        embedder: Any = KnownVectors(vectors, self._questions)
        self._save = rag_memory.open_save(folder / "ours.sqlite3", embedder)
        self._npc = self._save.npc("mira", MemoryConfig(relevance_mode=RelevanceMode.DENSE))
        texts = [
            {"text": f"{number} The miller sold a sack.", "importance": importance}
            for number, importance in enumerate(importances)
        ]
        for start in range(0, len(texts), _BATCH):
            self._npc.memories.store_batch(texts[start : start + _BATCH])
        self._npc.recall.retrieve_relevant_raw("?0 ")
        for _step in self._npc.records.index.build_steps():
            pass

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        memories = self._npc.recall.retrieve_relevant_raw(
            f"?{number} ", {"limit": k, "filter": {"importance": {">=": least}}}
        )
        return [int(memory["document_full"].split(" ", 1)[0]) for memory in memories]


class RagMemoryIndex:
    """Only our search index, as numpy and FAISS are only indexes."""

    name = "RAG Memory, index alone"
    is_persistent = False

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        self._importances = np.array(importances)
        self._index = make_index(vectors.shape[1], IndexOptions())
        self._index.add(np.arange(len(vectors)), vectors)
        for _step in self._index.build_index_steps():
            pass

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        keys: list[int] = self._index.search(question, k, self._importances >= least).keys.tolist()
        return keys


class Numpy:
    """One product of the matrix with the question, and the best of what the filter allows."""

    name = "numpy"
    is_persistent = False

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        self._vectors, self._importances = vectors.copy(), np.array(importances)

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        scores = np.where(self._importances >= least, self._vectors @ question, -2.0)
        best = np.argpartition(scores, -k)[-k:]
        ordered: list[int] = best[np.argsort(-scores[best])].tolist()
        return ordered


class Faiss:
    """IndexFlatIP, exact, with a bitmap of what is allowed."""

    name = "FAISS (flat)"
    is_persistent = False

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        import faiss

        faiss.omp_set_num_threads(1)
        self._faiss = faiss
        self._importances = np.array(importances)
        self._index = faiss.IndexFlatIP(vectors.shape[1])
        self._index.add(vectors)

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        allowed = self._faiss.IDSelectorBitmap(np.packbits(self._importances >= least, bitorder="little"))
        parameters = self._faiss.SearchParameters(sel=allowed)
        keys: list[int] = self._index.search(question[None], k, params=parameters)[1][0].tolist()
        return keys


class SqliteVec:
    """A vec0 table with the importance as a metadata column."""

    name = "sqlite-vec"
    is_persistent = True

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        import sqlite_vec

        self._connection = sqlite3.connect(folder / "vec.sqlite3")
        self._connection.enable_load_extension(True)
        sqlite_vec.load(self._connection)
        self._connection.execute(
            f"CREATE VIRTUAL TABLE memories USING vec0(embedding float[{vectors.shape[1]}] "
            "distance_metric=cosine, importance integer)"
        )
        with self._connection:
            self._connection.executemany(
                "INSERT INTO memories (rowid, embedding, importance) VALUES (?, ?, ?)",
                ((n, vectors[n].tobytes(), importance) for n, importance in enumerate(importances)),
            )

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT rowid FROM memories WHERE embedding MATCH ? AND k = ? AND importance >= ? "
            "ORDER BY distance",
            (question.tobytes(), k, least),
        )
        return [row[0] for row in rows]


class LanceDb:
    """A table searched exhaustively, the filter before the search."""

    name = "LanceDB"
    is_persistent = True

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        import lancedb
        import pyarrow as arrow

        flat = arrow.array(vectors.reshape(-1))
        columns = {
            "number": arrow.array(range(len(vectors))),
            "importance": arrow.array(list(importances)),
            "vector": arrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
        }
        self._table = lancedb.connect(folder / "lance").create_table("memories", arrow.table(columns))

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        query = self._table.search(question).distance_type("cosine")
        rows = query.where(f"importance >= {least}", prefilter=True).select(["number"]).limit(k).to_list()
        return [row["number"] for row in rows]


class Chroma:
    """A persistent collection with cosine space."""

    name = "Chroma"
    is_persistent = True

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        import chromadb

        client = chromadb.PersistentClient(
            str(folder / "chroma"), chromadb.config.Settings(anonymized_telemetry=False)
        )
        self._collection = client.create_collection(
            "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        for start in range(0, len(vectors), _BATCH):
            numbers = range(start, min(start + _BATCH, len(vectors)))
            self._collection.add(
                ids=[str(number) for number in numbers],
                embeddings=vectors[numbers.start : numbers.stop],
                metadatas=[{"importance": importances[number]} for number in numbers],
            )

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        result = self._collection.query(
            query_embeddings=[question], n_results=k, where={"importance": {"$gte": least}}, include=[]
        )
        return [int(id) for id in result["ids"][0]]


class Qdrant:
    """The local mode: no server, a folder."""

    name = "Qdrant (local mode)"
    is_persistent = True

    def build(self, folder: Path, vectors: FloatMatrix, importances: Sequence[int]) -> None:
        from qdrant_client import QdrantClient, models

        self._models = models
        self._client = QdrantClient(path=str(folder / "qdrant"))
        self._client.create_collection(
            "memories", models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE)
        )
        for start in range(0, len(vectors), _BATCH):
            numbers = range(start, min(start + _BATCH, len(vectors)))
            points = [
                models.PointStruct(id=n, vector=vectors[n].tolist(), payload={"importance": importances[n]})
                for n in numbers
            ]
            self._client.upsert("memories", points)

    def search(self, number: int, question: FloatVector, k: int, least: int) -> list[int]:
        condition = self._models.FieldCondition(key="importance", range=self._models.Range(gte=least))
        result = self._client.query_points(
            "memories", question, query_filter=self._models.Filter(must=[condition]), limit=k
        )
        return [int(point.id) for point in result.points]


def all_peers(questions: FloatMatrix) -> list[Peer]:
    """Ours first."""
    return [
        RagMemory(questions),
        RagMemoryIndex(),
        Numpy(),
        Faiss(),
        SqliteVec(),
        LanceDb(),
        Chroma(),
        Qdrant(),
    ]

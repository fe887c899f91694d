"""Memories, vectors and terms in memory."""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from rag_memory.errors import StoreError
from rag_memory.index.columns import SearchedRow, searched_row
from rag_memory.memory.record import PLAYER_INFO, Record
from rag_memory.step import Step
from rag_memory.storage.in_memory.tables import Memory, Model, Npc, Tables
from rag_memory.vectors import FloatMatrix, FloatVector, Keys

_KEYS_AT_ONCE = 1000


class InMemory:
    """A save in memory, for the parts of the store."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._open: Tables | None = Tables()

    @property
    def _tables(self) -> Tables:
        if self._open is None:
            raise StoreError(f"The save {self.path} could not read or write", "it is closed", "Open it again")
        return self._open

    def transaction(self) -> AbstractContextManager[None]:
        """All changes inside, or none of them when an exception leaves it."""
        return self._tables.journal.transaction()


class NpcNumbers(InMemory):
    """See storage.protocol.Npcs."""

    def npc_number(self, npc_id: str) -> int | None:
        npcs = self._tables.npcs.rows
        return next((number for number, npc in npcs.items() if npc.npc_id == npc_id), None)

    def add_npc(self, npc_id: str) -> int:
        number = max(self._tables.npcs.rows, default=0) + 1
        self._tables.npcs.set(number, Npc(npc_id, 0))
        return number

    def npc_ids(self) -> list[str]:
        return sorted(npc.npc_id for npc in self._tables.npcs.rows.values())

    def revision(self, npc: int) -> int:
        known = self._tables.npcs.rows.get(npc)
        return 0 if known is None else known.revision

    def touch(self, npc: int) -> None:
        self._tables.touch(npc)


class RecordReading(InMemory):
    """See storage.protocol.RecordsRead."""

    def by_id(self, npc: int, id: str) -> Record | None:
        return next(iter(self._tables.memories.records(npc, "id", id)), None)

    def id_exists(self, npc: int, id: str) -> bool:
        tables = self._tables
        return bool(tables.memories.of(npc, "id", id) or tables.archive.of(npc, "id", id))

    def by_keys(self, keys: Sequence[int]) -> list[Record]:
        rows = self._tables.memories.rows
        return [rows[key].record for key in sorted(keys) if key in rows]

    def read_once(self, keys: Sequence[int]) -> list[Record]:
        return self.by_keys(keys)

    def all(self, npc: int) -> list[Record]:
        return self._tables.memories.records(npc)

    def key_pages(self, npc: int) -> Iterator[list[int]]:
        keys = [record.key for record in sorted(self.all(npc), key=_moment)]
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            yield keys[start : start + _KEYS_AT_ONCE]

    def newest_in_slot(self, npc: int, slot_type: str) -> Record | None:
        return max(self.in_slot(npc, slot_type), key=_moment, default=None)

    def in_slot(self, npc: int, slot_type: str) -> list[Record]:
        return self._tables.memories.records(npc, "slot_type", slot_type) if slot_type else []

    def valid_of_event(self, npc: int, event_type: str, until: float) -> list[Record]:
        found = self._tables.memories.records(npc, "event_type", event_type)
        return [record for record in found if record.timestamp <= until and not record.superseded_by]

    def player_info(self, npc: int, info_type: str) -> Record | None:
        found = self._tables.memories.records(npc, "info_type", info_type) if info_type else []
        told = [record for record in found if record.event_type == PLAYER_INFO]
        return told[-1] if told else None

    def newest(self, npc: int, count: int, min_importance: int) -> list[Record]:
        found = (record for record in self.all(npc) if record.importance >= min_importance)
        return heapq.nlargest(count, found, key=_moment)

    def repeatable(self, npc: int, event_type: str, text: str) -> list[Record]:
        found = self._tables.memories.records(npc, "document_full", text)
        return [record for record in found if record.event_type == event_type and not record.superseded_by]

    def texts(self, keys: Sequence[int]) -> list[str]:
        return [self._tables.memories.rows[key].record.document_full for key in keys]


class RecordWriting(InMemory):
    """See storage.protocol.RecordsWritten."""

    def insert(self, npc: int, record: Record, vector: FloatVector, model: int) -> int:
        memories = self._tables.memories
        if memories.of(npc, "id", record.id):
            raise StoreError(
                f"The save {self.path} could not write",
                f"there is a memory {record.id!r} already",
                "Close the save and open it again; if the error comes back, report it with these lines",
            )
        key = memories.next_number()
        memories.set(key, Memory(npc, record._replace(key=key), np.array(vector, np.float32), model))
        return key

    def replace(self, npc: int, record: Record, vector: FloatVector, model: int) -> None:
        memory = Memory(npc, record, np.array(vector, np.float32), model)
        self._tables.memories.set(record.key, memory)

    def revise(self, npc: int, record: Record) -> None:
        memories = self._tables.memories
        memories.set(record.key, memories.rows[record.key]._replace(record=record))

    def access(self, accesses: Mapping[int, float]) -> None:
        for key, at in accesses.items():
            self._tables.memories.access(key, at)

    def supersede(self, keys: Sequence[int], by: str, at: float) -> None:
        for key in keys:
            memory = self._tables.memories.rows[key]
            self.revise(memory.npc, memory.record._replace(superseded_by=by, superseded_at=at))

    def unsupersede(self, npc: int, by: str) -> None:
        self.supersede(self._tables.memories.of(npc, "superseded_by", by), "", 0.0)

    def delete(self, key: int) -> None:
        self._tables.memories.set(key, None)

    def delete_all(self, npc: int) -> int:
        keys = self._tables.memories.of(npc)
        for key in keys:
            self.delete(key)
        return len(keys)


class Vectors(InMemory):
    """See storage.protocol.Vectors."""

    def model_number(self, fingerprint: str, name: str, dimension: int) -> int:
        models = self._tables.models
        for number, model in models.rows.items():
            if model.fingerprint == fingerprint:
                return number
        number = len(models.rows) + 1
        models.set(number, Model(fingerprint, name, dimension))
        return number

    def keys_of_other_models(self, model: int) -> list[int]:
        memories = self._tables.memories.rows
        return sorted(key for key, memory in memories.items() if memory.model != model)

    def set_vectors(self, keys: Sequence[int], vectors: FloatMatrix, model: int) -> None:
        memories = self._tables.memories
        for key, vector in zip(keys, vectors, strict=True):
            changed = memories.rows[key]._replace(vector=np.array(vector, np.float32), model=model)
            memories.set(key, changed)
        for npc in {memories.rows[key].npc for key in keys}:
            self._tables.touch(npc)

    def vectors_of(self, keys: Sequence[int], model: int) -> dict[int, FloatVector]:
        rows = self._tables.memories.rows
        return {key: rows[key].vector for key in keys if key in rows and rows[key].model == model}

    def complete_vectors(self) -> None:
        pass  # Memory has none without a vector.

    def searched(
        self, keys: Sequence[int], model: int, dimension: int
    ) -> tuple[list[SearchedRow], FloatMatrix]:
        rows = self._tables.memories.rows
        found = [rows[key] for key in keys if key in rows]
        vectors: FloatMatrix = np.zeros((len(found), dimension), dtype=np.float32)
        for position, memory in enumerate(found):
            if memory.model == model:
                vectors[position] = memory.vector
        return [searched_row(memory.record) for memory in found], vectors

    @property
    def is_current(self) -> bool:
        return True


class Terms(InMemory):
    """See storage.protocol.Terms."""

    def rebuild_terms_steps(self) -> Generator[Step, None, None]:
        yield Step(0, 0, "indexing words")  # They are a part of the memories here.

    def keys_with_term(self, npc: int, kind: str, term: str) -> Keys:
        found = self._tables.memories.with_term[npc].get(kind + term, ())
        return np.sort(np.fromiter(found, dtype=np.int64, count=len(found)))

    def terms_of_kind(self, npc: int, kind: str) -> list[str]:
        terms = self._tables.memories.with_term[npc]
        return sorted(term.removeprefix(kind) for term in terms if term.startswith(kind))

    def index_terms(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        terms = self._tables.memories.terms
        return [terms[key] for key in sorted(keys) if key in terms]


def _moment(record: Record) -> tuple[Any, ...]:
    return record.timestamp, record.key

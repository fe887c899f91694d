"""What is searched of the world and of the lore: memories like an NPC's, under ids that the caller gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record, new_record
from rag_memory.retrieval.relevance import addable_relevance
from rag_memory.searchable.records import NpcRecords
from rag_memory.searchable.retriever import Retriever
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask

WriteFunction = Callable[[Sequence[Record]], None]
PutFunction = Callable[[Sequence[Record], FloatMatrix], list[str]]


class Found(NamedTuple):
    """What a question found: the id, and how relevant it is (0 to 1)."""

    id: str
    key: int
    relevance: float


class Searched:
    """The memories of an owner that is no NPC. Neighbours in time have nothing to do with each other."""

    def __init__(self, save: SaveContext, owner: str) -> None:
        self.npc_id = owner
        self._save = save
        config = MemoryConfig(check_names=False, neighbour_weight=0.0)
        self._records = NpcRecords(save, owner, config, lambda _name, _arguments: None)
        self._retrieval = Retriever(self._records)
        self.config = config

    def load_steps(self) -> Generator[Step, None, None]:
        """Load the search index in slices."""
        return self._records.load_steps()

    def idle_steps(self) -> Generator[Step, None, None]:
        """Bring the search index up to date, in slices."""
        return self._records.build_index_steps()

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self._records.reload(keep_index)

    def unload(self) -> None:
        """Write the search index and drop what is in memory; the next question loads it again."""
        self._records.unload()

    def forget_accesses(self, moment: float) -> None:
        """Set accesses that are later than `moment` to `moment`, as the store has done."""
        self._records.forget_accesses(moment)

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Replace the vectors of these memories where they are loaded."""
        self._records.take_vectors(keys, vectors)

    def put(self, where: str, id: str, text: str, importance: int, data: Mapping[str, Any]) -> int:
        """Keep a text under an id, in the place of the one it held; its key. The keys of `data` are those of
        store().
        """
        return self.put_record(where, self.record(where, id, text, importance, data))

    def put_record(self, where: str, record: Record) -> int:
        """put(), of what record() has made."""
        known = self._records.by_id(where, record.id)
        if known is None:
            self.put_all([record], self._save.embed([record.document_full]))
        else:
            self._records.amend(
                known, record._replace(key=known.key, superseded_by="", last_accessed=known.last_accessed)
            )
        kept = self._records.by_id(where, record.id)
        assert kept is not None
        return kept.key

    def record(self, where: str, id: str, text: str, importance: int, data: Mapping[str, Any]) -> Record:
        """What put() keeps, not yet kept."""
        return new_record(
            where, self.npc_id, self._records.config, self._save.now(), text, importance, data
        )._replace(id=id)

    def put_all(
        self, records: Sequence[Record], vectors: FloatMatrix, also: WriteFunction | None = None
    ) -> list[str]:
        """Keep new records, whose ids are free, with vectors that are known already. `also` writes in the
        same transaction; it gets the records with their keys.
        """
        write = None if also is None else (lambda _, written: also(written))
        return self._records.add(records, vectors, also=write)

    def put_all_steps(self, records: Sequence[Record], put: PutFunction) -> Generator[Step, None, list[str]]:
        """Embed new records and keep them with `put`, some at a time and in order."""
        return self._records.add_steps(records, put)

    def records(self) -> list[Record]:
        """Everything that is kept."""
        return self._records.all()

    def embed_steps(self, records: Sequence[Record]) -> Generator[Step, None, FloatMatrix]:
        """The vectors of what is not kept yet, in slices."""
        return self._records.embed_steps(records)

    def keeps(self, id: str) -> bool:
        """Whether something is kept under an id."""
        npc = self._records.npc
        return npc is not None and self._save.store.by_id(npc, id) is not None

    def has(self, id: str) -> bool:
        """Whether something is or was kept under an id."""
        npc = self._records.npc
        return npc is not None and self._save.store.id_exists(npc, id)

    def keys(self) -> dict[str, int]:
        """The keys of everything that is kept, by id."""
        return {record.id: record.key for record in self._records.all()}

    def remove(self, where: str, id: str) -> None:
        """Delete what is kept under an id, if there is something."""
        known = self._records.by_id(where, id)
        if known is not None:
            self._records.delete(known)

    def keys_of_events(self, event_types: Collection[str]) -> Keys:
        """The keys of what is kept with one of these event types."""
        columns = self._records.index().columns
        keys: Keys = columns.keys[columns.is_event(event_types)]
        return keys

    def keys_of(self, where: str, ids: Iterable[str]) -> Keys:
        """The keys of what is kept under these ids."""
        records = (self._records.by_id(where, id) for id in ids)
        return np.array([record.key for record in records if record is not None], dtype=np.int64)

    def vectors_of(self, ids: Sequence[str]) -> dict[str, FloatVector]:
        """The vectors of what is kept under these ids, as far as there are any."""
        records = (self._records.by_id("vectors_of()", id) for id in ids)
        keys = {record.key: record.id for record in records if record is not None}
        vectors = self._records.store.vectors_of(sorted(keys), self._save.model)
        return {keys[key]: vector for key, vector in vectors.items()}

    def find(self, where: str, question: str, limit: int, among: Keys | None = None) -> list[Found]:
        """The most relevant to a question, best first; `among`: the keys that may be found, None for all."""
        asked = self._save.query_text(where, "query", question)
        columns = self._records.index().columns
        allowed: Mask = (
            np.ones(len(columns), dtype=np.bool_) if among is None else np.isin(columns.keys, among)
        )
        found = self._retrieval.relevant_among(asked, limit, allowed)
        return [Found(each.record.id, each.record.key, addable_relevance(each.match)) for each in found]

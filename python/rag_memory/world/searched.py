"""Texts of the world or of the lore that are searched by meaning, under ids that the caller gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.memory.record import Record, new_record
from rag_memory.retrieval.relevance import addable_relevance
from rag_memory.retrieval.shelf import Shelf
from rag_memory.searchable.records import OwnedRecords
from rag_memory.searchable.save_context import QueryText, SaveContext
from rag_memory.searchable.searcher import Searcher
from rag_memory.step import Steps
from rag_memory.vectors import FloatMatrix, FloatVector, Keys, Mask

WriteFunction = Callable[[Sequence[Record]], None]
PutFunction = Callable[[Sequence[Record], FloatMatrix], list[str]]


class Hit(NamedTuple):
    """A text that fits a question: its id and key, and how relevant it is (0 to 1)."""

    id: str
    key: int
    relevance: float


class Searched:
    """The searched texts of one owner: `owners.WORLD` or `owners.LORE`."""

    def __init__(self, save: SaveContext, owner: str) -> None:
        self.npc_id = owner
        # Texts that are neighbours in time are unrelated.
        self.config = MemoryConfig(check_names=False, neighbour_weight=0.0)
        self._save = save
        self._records = OwnedRecords(save, owner, self.config, _ignore)
        self._searcher = Searcher(self._records)

    def record(self, call: str, id: str, text: str, importance: int, data: Mapping[str, Any]) -> Record:
        """Make the record that put_record() writes. The keys of `data` are those of store()."""
        record = new_record(call, self.npc_id, self.config, self._save.now(), text, importance, data)
        return record._replace(id=id)

    def put(self, call: str, id: str, text: str, importance: int, data: Mapping[str, Any]) -> int:
        """Write a text under an id, in place of the one stored there; its key."""
        return self.put_record(call, self.record(call, id, text, importance, data))

    def put_record(self, call: str, record: Record) -> int:
        """Write a record in place of the one with its id; its key."""
        before = self._records.by_id(call, record.id)
        if before is None:
            self.put_all([record], self._save.embed([record.document_full]))
        else:
            self._records.writer.amend(
                before,
                record._replace(key=before.key, superseded_by="", last_accessed=before.last_accessed),
            )
        stored = self._records.by_id(call, record.id)
        assert stored is not None
        return stored.key

    def put_all(
        self, records: Sequence[Record], vectors: FloatMatrix, on_written: WriteFunction | None = None
    ) -> list[str]:
        """Write new records, whose ids are free, with their vectors. `on_written` writes in the same
        transaction; it gets the records with their keys.
        """
        write = None if on_written is None else (lambda _, written: on_written(written))
        return [stored.id for stored in self._records.writer.add(records, vectors, also=write)]

    def put_all_steps(self, records: Sequence[Record], put: PutFunction) -> Steps[list[str]]:
        """Embed new records and write them with `put`, some at a time and in order."""
        return self._records.writer.add_steps(records, put)

    def embed_steps(self, records: Sequence[Record]) -> Steps[FloatMatrix]:
        """Make the vectors of records that are not stored yet, in slices."""
        return self._records.embed_steps(records)

    def remove(self, call: str, id: str) -> None:
        """Delete the record with an id, if there is one."""
        record = self._records.by_id(call, id)
        if record is not None:
            self._records.writer.delete([record])

    def records(self) -> list[Record]:
        """All stored records."""
        return self._records.all()

    def has(self, id: str) -> bool:
        """Return True if there is a record with this id."""
        npc = self._records.npc
        return npc is not None and self._save.store.records.get(npc, id) is not None

    def has_used(self, id: str) -> bool:
        """Return True if there is or was a record with this id."""
        npc = self._records.npc
        return npc is not None and self._save.store.records.is_used(npc, id)

    def keys(self) -> dict[str, int]:
        """The keys of all records, by id."""
        return {record.id: record.key for record in self._records.all()}

    def keys_of(self, call: str, ids: Iterable[str]) -> Keys:
        """The keys of the records with these ids."""
        return np.array(list(self.keys_by_id(call, ids).values()), dtype=np.int64)

    def keys_by_id(self, call: str, ids: Iterable[str]) -> dict[str, int]:
        """The keys of the records with these ids, by id."""
        records = (self._records.by_id(call, id) for id in ids)
        return {record.id: record.key for record in records if record is not None}

    def keys_of_events(self, event_types: Collection[str]) -> Keys:
        """The keys of the records of these event types."""
        columns = self._records.index.get().columns
        keys: Keys = columns.keys[columns.is_event(event_types)]
        return keys

    def vectors_of(self, ids: Sequence[str]) -> dict[str, FloatVector]:
        """The vectors of the records with these ids, by id, as far as there are any."""
        records = (self._records.by_id("vectors_of()", id) for id in ids)
        keys = {record.key: record.id for record in records if record is not None}
        vectors = self._records.store.vectors.of(sorted(keys), self._save.model)
        return {keys[key]: vector for key, vector in vectors.items()}

    def find(self, call: str, question: str, limit: int, among: Keys | None = None) -> list[Hit]:
        """The records that are most relevant to a question, best first.

        Args:
            among: the keys that may be returned, None for all.
        """
        query = self._save.query_text(call, "query", question)
        columns = self._records.index.get().columns
        allowed: Mask = (
            np.ones(len(columns), dtype=np.bool_) if among is None else np.isin(columns.keys, among)
        )
        candidates = self._searcher.relevant(query, limit, allowed)
        return [
            Hit(candidate.record.id, candidate.record.key, addable_relevance(candidate.match))
            for candidate in candidates
        ]

    def shelf(self, config: MemoryConfig, query: QueryText, is_of_player: bool, keys: Keys) -> Shelf:
        """The records that an NPC knows, to be ranked with its memories.

        Args:
            config: the NPC's config.
            keys: of the records that it knows.
        """
        visible: Mask = np.isin(self._records.index.get().columns.keys, keys)
        searcher = Searcher(self._records, dataclasses.replace(config, neighbour_weight=0.0))
        return Shelf(searcher.ranker(query, self._save.now(), is_of_player), visible)

    def load_steps(self) -> Steps[None]:
        """Load the search index, in slices."""
        return self._records.index.load_steps()

    def idle_steps(self) -> Steps[None]:
        """Bring the search index up to date, in slices."""
        return self._records.index.build_steps()

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Replace the vectors of these records where they are loaded."""
        self._records.index.take_vectors(keys, vectors)

    def forget_accesses(self, moment: float) -> None:
        """Treat records that were accessed after `moment` as accessed then."""
        self._records.index.forget_accesses(moment)

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is loaded, because the store has changed without this object."""
        self._records.reload(keep_index)

    def unload(self) -> None:
        """Write the search index and forget what is loaded."""
        self._records.index.unload()


def _ignore(_name: str, _arguments: tuple[Any, ...]) -> None:
    """Takes the signals of an NPC's records, which nobody connects to here."""

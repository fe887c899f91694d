"""The records of one NPC: in the store and in the index that searches them, always in step.

Everything that writes a memory goes through here; one call is one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import NpcLockedError, StoreError
from rag_memory.memory.archived import (
    CONSOLIDATED,
    INFO_UPDATE,
    SLOT_UPDATE,
    UPDATED,
    Archived,
    ArchivedRecord,
)
from rag_memory.memory.conflicts import ConflictRule, slot_conflicts
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import is_repeated, repeated
from rag_memory.searchable.free_ids import FreeIds
from rag_memory.searchable.loaded_records import LoadedRecords
from rag_memory.searchable.save_context import SaveContext
from rag_memory.step import Step
from rag_memory.storage.captured import Captured
from rag_memory.storage.sql.records import of_player_info, repetitions_of
from rag_memory.vectors import FloatMatrix, FloatVector

_COMMITTED_AT_ONCE = 16

EventFunction = Callable[[str, tuple[Any, ...]], None]
AlsoFunction = Callable[[int, Sequence[Record]], None]
"""Writes what belongs to new records; gets the NPC's number and the records."""


class _Written(NamedTuple):
    record: Record
    vector: FloatVector
    before: Record | None
    """What the memory was; None: it is new."""
    is_repeated: bool
    """It was only said again."""


class NpcRecords(LoadedRecords):
    """What a save holds of one NPC. `emit` is called with the name and arguments of what happened."""

    def __init__(self, save: SaveContext, npc_id: str, config: MemoryConfig, emit: EventFunction) -> None:
        super().__init__(save, npc_id, config)
        self._emit = emit
        self._free_ids = FreeIds(save.store, npc_id)

    def add_steps(
        self, records: Sequence[Record], add: Callable[[Sequence[Record], FloatMatrix], list[str]]
    ) -> Generator[Step, None, list[str]]:
        """Embed new records and store them with `add`, in slices, some at a time; their ids in the same
        order. While some are written, the embedder goes on with those that follow.
        """
        total = len(records)
        vectors: FloatMatrix = np.empty((total, self.save.embedder.dimension), dtype=np.float32)
        is_embedded = np.zeros(total, dtype=np.bool_)
        ids: list[str] = []
        end = 0
        for positions, embedded in self.save.batches([record.document_full for record in records]):
            vectors[positions] = embedded
            is_embedded[positions] = True
            while end < total and is_embedded[end]:
                end += 1
            while (ready := end - len(ids)) >= _COMMITTED_AT_ONCE or (ready and end == total):
                part = slice(len(ids), min(len(ids) + _COMMITTED_AT_ONCE, end))
                try:
                    ids += add(records[part], vectors[part])
                except NpcLockedError:
                    raise
                except StoreError as error:
                    stored = f"Of {total} the first {len(ids)} are stored, the others are not"
                    told = (
                        stored if ids else f"None of {total} is stored" if total > 1 else "It is not stored"
                    )
                    raise StoreError(f"{told}: {error.what}", error.why, error.remedy) from error
                yield Step(len(ids), total, "storing memories")
            yield Step(len(ids), total, "storing memories")
        return ids

    def write(self, write: Callable[[int], None]) -> None:
        """Write something of the NPC that is no record: `write` gets her number, inside a transaction."""
        npc = self.npc
        with self.store.transaction():
            self.store.check_owned(self.npc_id)
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            write(npc)
        self.save.when_committed(lambda: self._note_npc(npc), self.reload)

    def _note_npc(self, npc: int) -> None:
        self._npc = npc
        if self._index is not None:
            self._index.set_npc(npc)

    def add(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> list[str]:
        """Store new records with what they replace and supersede, and say so; their ids in the same order.
        `also` writes in the same transaction.
        """
        model = self.save.model
        written: list[_Written] = []
        replaced: list[Record] = []
        superseded: list[tuple[str, str]] = []
        npc = self.npc
        with self._transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            for record, vector in zip(records, vectors, strict=True):
                known = self._known_player_info(npc, record)
                same = None if known else self._repeated(npc, record)
                if same is not None:
                    record = repeated(same, record)
                    self.store.archive_repeated(npc, same, record.stored_at, model)
                    self.store.revise(npc, record)
                elif known is None:
                    record = record._replace(id=record.id or self._free_ids.of(npc, record))
                    record = record._replace(key=self.store.insert(npc, record, *self.save.kept(vector)))
                else:
                    record = record._replace(id=known.id, key=known.key)
                    self.store.archive_copy([known.key], Archived(record.stored_at, INFO_UPDATE, known.id))
                    self.store.replace(npc, record, *self.save.kept(vector))
                written.append(_Written(record, vector, known or same, same is not None))
                if rule is not None:
                    conflicts = rule(self.store.records, npc, record)
                    keys = [old.key for old in conflicts.replaced]
                    self.store.archive(keys, Archived(record.stored_at, SLOT_UPDATE, record.id))
                    self.store.supersede(
                        [old.key for old in conflicts.superseded], record.id, record.stored_at
                    )
                    replaced += conflicts.replaced
                    superseded += [(old.id, record.id) for old in conflicts.superseded]
            self.store.touch(npc)
            if also is not None:
                also(npc, [each.record for each in written])
        self.save.when_committed(lambda: self._take_in(npc, written, replaced, superseded), self.reload)
        return [each.record.id for each in written]

    def _take_in(
        self,
        npc: int,
        written: Sequence[_Written],
        replaced: Sequence[Record],
        superseded: Sequence[tuple[str, str]],
    ) -> None:
        """See that what is in memory is what was written, and tell of it."""
        self._note_npc(npc)
        if self._index is not None:
            for each in written:
                if each.before is None:
                    self._index.add(each.record, each.vector)
                else:
                    self._index.change(each.before, each.record, None if each.is_repeated else each.vector)
            for old in replaced:
                self._index.remove(old)
        self._changed([each.record for each in written])
        for each in written:
            if each.before is None:
                self._emit("memory_added", (each.record.id,))
            if each.record.is_milestone and not each.is_repeated:
                self._emit("milestone_created", (each.record.milestone_type,))
        for old_id, new_id in superseded:
            self._emit("memory_superseded", (old_id, new_id))

    def amend(self, record: Record, changed: Record) -> None:
        """Replace a stored record by a changed one; what it was stays archived."""
        if changed._replace(stored_at=record.stored_at) == record:
            return
        now = self.save.now()
        changed = changed._replace(stored_at=now)
        accessed = self.save.accesses.of(record)
        if accessed != record.last_accessed:
            changed = changed._replace(last_accessed=accessed)
        says_the_same = changed.document_full == record.document_full
        vector = None if says_the_same else self.save.embed([changed.document_full])[0]
        with self._transaction():
            self.store.archive_copy([record.key], Archived(now, UPDATED, record.id))
            if vector is None:
                self.store.revise(self.npc or 0, changed)
            else:
                self.store.replace(self.npc or 0, changed, *self.save.kept(vector))
                self.store.touch(self.npc or 0)
        if self._index is not None:
            self._index.change(record, changed, vector)
        self._changed([changed])

    def restore(self, archived: ArchivedRecord) -> None:
        """Make what is archived hold again; what holds in its place now is archived instead."""
        record = archived.record
        if self.npc is None:
            return
        current = self.store.records.get(self.npc, record.id)
        if current is not None:
            record = record._replace(
                key=current.key, superseded_by=current.superseded_by, superseded_at=current.superseded_at
            )
            self.amend(current, record)
            return
        if record.superseded_by and self.store.records.get(self.npc, record.superseded_by) is None:
            record = record._replace(superseded_by="", superseded_at=0.0)
        record = record._replace(key=0, stored_at=self.save.now())
        vectors = self.save.embed([record.document_full])
        self.add([record], vectors, slot_conflicts if archived.archived.reason == SLOT_UPDATE else None)

    def add_archived(self, archived: Sequence[ArchivedRecord], vectors: FloatMatrix) -> None:
        """Archive records that were never in force in this save."""
        npc = self.npc
        with self._transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            for each, vector in zip(archived, vectors, strict=True):
                current = self.store.records.get(npc, each.record.id)
                record = each.record._replace(key=0 if current is None else current.key)
                self.store.archive_new(npc, each.archived, record, *self.save.kept(vector))
        self._npc = npc
        self._changed()

    def delete(self, record: Record) -> None:
        """Delete a record for good, with what is archived of it; what it superseded is valid again."""
        if self.npc is None:
            return
        with self._transaction():
            self.store.delete(record.key)
            self.store.unsupersede(self.npc, record.id)
            self.store.forget_archived(self.npc, record.id)
            self.store.touch(self.npc)
        if self._index is not None:
            self._index.remove(record)
        self._changed()

    def delete_all(self) -> int:
        """Delete every record for good, with the archive; how many there were."""
        if self.npc is None:
            return 0
        with self._transaction():
            count = self.store.delete_all(self.npc)
            self.store.forget_archived(self.npc)
            self.store.interactions.forget(self.npc)
            self.store.touch(self.npc)
        if self._index is not None:
            self._index.clear()
        self._changed()
        return count

    def put_back(self, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them."""
        removed = [self.by_id("put_back_memories()", each.id) for each in captured]
        npc, model = self.npc, self.save.model
        with self._transaction():
            if npc is None:
                npc = self.store.add_npc(self.npc_id)
            records = self.store.put_back(npc, captured)
            vectors = self.store.vectors_of([record.key for record in records], model)
            missing = [record for record in records if record.key not in vectors]
            for record in missing:
                vectors[record.key] = self.save.embed([record.document_full])[0]
                kept, of_model = self.save.kept(vectors[record.key])
                self.store.set_vectors([record.key], kept[None], of_model)
            self.store.touch(npc)
        self._npc = npc
        if self._index is not None:
            self._index.set_npc(npc)
            for known in removed:
                if known is not None:
                    self._index.remove(known)
            for record in records:
                self._index.add(record, vectors[record.key])
        self._changed()
        return records

    def merge(self, group: Sequence[Record], summary: Record, vector: FloatVector, ids: list[str]) -> int:
        """Store a summary in place of its sources, in one transaction, and add its id to `ids`; how many
        sources there were. A group that has changed meanwhile is left alone: 0.
        """
        npc, store = self.npc, self.store
        if npc is None:
            return 0
        keys = [record.key for record in group]
        with self._transaction():
            now = [_unaccessed(record) for record in store.by_keys(keys)]
            if now != [_unaccessed(record) for record in sorted(group, key=lambda record: record.key)]:
                return 0
            summary = summary._replace(id=self._free_ids.of(npc, summary))
            summary = summary._replace(key=store.insert(npc, summary, *self.save.kept(vector)))
            store.archive(keys, Archived(summary.stored_at, CONSOLIDATED, summary.id))
            store.touch(npc)
        if self._index is not None:
            for record in group:
                self._index.remove(record)
            self._index.add(summary, vector)
        self._changed([summary])
        ids.append(summary.id)
        return len(keys)

    def fade(self, records: Sequence[Record], now: float) -> None:
        """Take a point of importance from each. What they weighed stays archived for a rollback."""
        faded = [each._replace(importance=each.importance - 1, stored_at=now) for each in records]
        with self._transaction():
            for before, after in zip(records, faded, strict=True):
                self.store.archive_repeated(self.npc or 0, before, now, self.save.model)
                self.store.revise(self.npc or 0, after)
        if self._index is not None:
            for before, after in zip(records, faded, strict=True):
                self._index.change(before, after)
        self._changed(faded)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction that writes for this NPC, and the accesses that wait.

        Raises:
            NpcLockedError: this process may not write for her.
        """
        with self.save.accesses.transaction():
            # Inside: a connection that had dropped is there again, perhaps without her.
            self.store.check_owned(self.npc_id)
            yield

    def take_vectors(self, keys: Sequence[int], vectors: FloatMatrix) -> None:
        """Take in new vectors of those of these memories that are in memory to be searched."""
        self._loading = None
        if self._index is not None:
            self._index.take_vectors(keys, vectors)

    def _repeated(self, npc: int, record: Record) -> Record | None:
        """The memory that a new record only says again."""
        if record.id or record.slot_type or record.info_type:
            return None
        known = self.store.records.find(npc, repetitions_of(record.event_type, record.document_full))
        return next((each for each in known if is_repeated(each, record)), None)

    def _known_player_info(self, npc: int, record: Record) -> Record | None:
        return (
            self.store.records.first(npc, of_player_info(record.info_type)) if record.is_player_info else None
        )

    def reload(self, keep_index: bool = False) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        super().reload(keep_index)
        self._free_ids.forget()


def _unaccessed(record: Record) -> Record:
    """What was only asked for meanwhile has not changed."""
    return record._replace(last_accessed=0.0)

"""Writing the records of one owner, in the store and in the search index; one call is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from rag_memory.errors import NpcLockedError, StoreError
from rag_memory.memory.archived import (
    CONSOLIDATED,
    FADED,
    INFO_UPDATE,
    OVER_LIMIT,
    REPEATED,
    SLOT_UPDATE,
    UPDATED,
    Archived,
    ArchivedRecord,
)
from rag_memory.memory.conflicts import ConflictRule, Conflicts, Stored, former_info, value_conflicts
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import is_repeated, repeated
from rag_memory.searchable.conflict_view import ConflictView
from rag_memory.searchable.free_ids import FreeIds
from rag_memory.searchable.loaded_index import LoadedIndex
from rag_memory.searchable.record_changes import RecordChanges
from rag_memory.searchable.save_context import RecordOwner
from rag_memory.searchable.search_index import SearchIndex
from rag_memory.step import Step, Steps
from rag_memory.storage.captured import Captured
from rag_memory.storage.sql.records import repetitions_of
from rag_memory.vectors import FloatMatrix, FloatVector

_COMMITTED_AT_ONCE = 16

AlsoFunction = Callable[[int, Sequence[Record]], None]
"""Writes what belongs to new records; gets the NPC's number and the records."""


class _Written(NamedTuple):
    record: Record
    vector: FloatVector
    before: Record | None
    """The record before; None for a new one."""
    is_repeated: bool
    """The text was only repeated."""


class RecordWriter:
    """Writes the records of one owner. `changes` is told what was written."""

    def __init__(self, owner: RecordOwner, index: LoadedIndex, changes: RecordChanges) -> None:
        self._owner = owner
        self._save = owner.save
        self._store = owner.store
        self._loaded_index = index
        self._changes = changes
        self._free_ids = FreeIds(owner.store, owner.npc_id)
        self._conflict_view = ConflictView(owner.save, owner.npc_id)

    @property
    def _index(self) -> SearchIndex | None:
        return self._loaded_index.if_loaded

    def _set_number(self, number: int) -> None:
        self._owner.number = number
        if self._index is not None:
            self._index.set_npc(number)

    def _by_id(self, id: str) -> Record | None:
        number = self._owner.number
        return None if number is None else self._store.records.get(number, id)

    def forget(self) -> None:
        """Forget what is in memory, because the store has changed without this object."""
        self._free_ids.forget()

    def add_steps(
        self, records: Sequence[Record], add: Callable[[Sequence[Record], FloatMatrix], list[str]]
    ) -> Steps[list[str]]:
        """Embed new records and store them with `add`, in slices, some at a time; their ids in the same
        order. While some are written, the embedder goes on with those that follow.
        """
        total = len(records)
        vectors: FloatMatrix = np.empty((total, self._save.embedder.dimension), dtype=np.float32)
        is_embedded = np.zeros(total, dtype=np.bool_)
        ids: list[str] = []
        end = 0
        for positions, embedded in self._save.batches([record.document_full for record in records]):
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
                    outcome = (
                        stored if ids else f"None of {total} is stored" if total > 1 else "It is not stored"
                    )
                    raise StoreError(f"{outcome}: {error.what}", error.why, error.remedy) from error
                yield Step(len(ids), total, "storing memories")
            yield Step(len(ids), total, "storing memories")
        return ids

    def write(self, write: Callable[[int], None]) -> None:
        """Write something of the owner that is no record: `write` gets its number, inside a transaction."""
        npc = self._owner.number
        with self._store.transaction():
            self._store.owners.check(self._owner.npc_id)
            if npc is None:
                npc = self._store.npcs.add(self._owner.npc_id)
            write(npc)
        self._save.when_committed(lambda: self._set_number(npc), self._changes.reload)

    def add(
        self,
        records: Sequence[Record],
        vectors: FloatMatrix,
        rule: ConflictRule | None = None,
        also: AlsoFunction | None = None,
    ) -> list[Stored]:
        """Store new records with what they replace and supersede, and return them in the same order. `also`
        writes in the same transaction.
        """
        outcomes: list[Stored] = []
        model = self._save.model
        written: list[_Written] = []
        replaced: list[Record] = []
        superseded: list[tuple[str, str]] = []
        npc = self._owner.number
        with self._transaction():
            if npc is None:
                npc = self._store.npcs.add(self._owner.npc_id)
            for record, vector in zip(records, vectors, strict=True):
                record = record._replace(exchange_id=self._store.exchanges.current)
                former = former_info(self._conflict_view, npc, record)
                same = None if former else self._repeated(npc, record)
                if same is not None:
                    record = repeated(same, record)
                    self._store.archive.add_weight(npc, same, record.stored_at, REPEATED, model)
                    self._store.records.update(npc, record)
                elif former is None:
                    record = record._replace(id=record.id or self._free_ids.of(npc, record))
                    record = record._replace(
                        key=self._store.records.insert(npc, record, *self._save.storable(vector))
                    )
                else:
                    record = record._replace(id=former.id, key=former.key)
                    self._store.archive.copy([former.key], Archived(record.stored_at, INFO_UPDATE, former.id))
                    self._store.records.update(npc, record, *self._save.storable(vector))
                written.append(_Written(record, vector, former or same, same is not None))
                retired = [] if former is None else [former.id]
                if rule is not None:
                    conflicts = rule(self._conflict_view, npc, record)
                    self._retire(conflicts, record)
                    replaced += conflicts.replaced
                    superseded += [(old.id, record.id) for old in conflicts.superseded]
                    retired += [old.id for old in (*conflicts.replaced, *conflicts.superseded)]
                outcomes.append(Stored(record.id, retired))
            self._store.npcs.touch(npc)
            if also is not None:
                also(npc, [write.record for write in written])
        self._save.when_committed(
            lambda: self._take_in(npc, written, replaced, superseded), self._changes.reload
        )
        return outcomes

    def _retire(self, conflicts: Conflicts, record: Record) -> None:
        if conflicts.replaced:
            keys = [old.key for old in conflicts.replaced]
            self._store.archive.move(keys, Archived(record.stored_at, SLOT_UPDATE, record.id))
        if conflicts.superseded:
            keys = [old.key for old in conflicts.superseded]
            self._store.records.supersede(keys, record.id, record.stored_at)

    def _take_in(
        self,
        npc: int,
        written: Sequence[_Written],
        replaced: Sequence[Record],
        superseded: Sequence[tuple[str, str]],
    ) -> None:
        """Update the search index after a commit, and emit the signals."""
        self._set_number(npc)
        if self._index is not None:
            for write in written:
                if write.before is None:
                    self._index.add(write.record, write.vector)
                else:
                    vector = None if write.is_repeated else write.vector
                    self._index.change(write.before, write.record, vector)
            for old in replaced:
                self._index.remove(old)
        self._changes.note([write.record for write in written])
        for write in written:
            if write.before is None:
                self._changes.emit("memory_added", (write.record.id,))
            if write.record.is_milestone and not write.is_repeated:
                self._changes.emit("milestone_created", (write.record.milestone_type,))
        for old_id, new_id in superseded:
            self._changes.emit("memory_superseded", (old_id, new_id))

    def amend(self, record: Record, changed: Record) -> None:
        """Replace a stored record by a changed one; what it was stays archived."""
        if changed._replace(stored_at=record.stored_at, exchange_id=record.exchange_id) == record:
            return
        now = self._save.now()
        exchange_id = self._store.exchanges.current or record.exchange_id
        changed = changed._replace(stored_at=now, exchange_id=exchange_id)
        accessed = self._save.accesses.of(record)
        if accessed != record.last_accessed:
            changed = changed._replace(last_accessed=accessed)
        says_the_same = changed.document_full == record.document_full
        vector = None if says_the_same else self._save.embed([changed.document_full])[0]
        with self._transaction():
            self._store.archive.copy([record.key], Archived(now, UPDATED, record.id))
            if vector is None:
                self._store.records.update(self._owner.number or 0, changed)
            else:
                self._store.records.update(self._owner.number or 0, changed, *self._save.storable(vector))
                self._store.npcs.touch(self._owner.number or 0)
        if self._index is not None:
            self._index.change(record, changed, vector)
        self._changes.note([changed])

    def restore(self, archived: ArchivedRecord) -> None:
        """Restore an archived version; the version in its place is archived instead."""
        record = archived.record
        if self._owner.number is None:
            return
        current = self._store.records.get(self._owner.number, record.id)
        if current is not None:
            record = record._replace(
                key=current.key, superseded_by=current.superseded_by, superseded_at=current.superseded_at
            )
            self.amend(current, record)
            return
        if record.superseded_by and self._store.records.get(self._owner.number, record.superseded_by) is None:
            record = record._replace(superseded_by="", superseded_at=0.0)
        record = record._replace(key=0, stored_at=self._save.now())
        vectors = self._save.embed([record.document_full])
        self.add([record], vectors, value_conflicts if archived.archived.reason == SLOT_UPDATE else None)

    def add_archived(self, archived: Sequence[ArchivedRecord], vectors: FloatMatrix) -> None:
        """Archive records that were never in force in this save."""
        npc = self._owner.number
        with self._transaction():
            if npc is None:
                npc = self._store.npcs.add(self._owner.npc_id)
            for version, vector in zip(archived, vectors, strict=True):
                current = self._store.records.get(npc, version.record.id)
                record = version.record._replace(key=0 if current is None else current.key)
                self._store.archive.add(npc, version.archived, record, *self._save.storable(vector))
        self._set_number(npc)
        self._changes.note(None)

    def delete(self, records: Sequence[Record], archived: Collection[str] = ()) -> None:
        """Delete records and what is archived of them, and of the ids `archived`, for good. What they
        superseded is valid again.
        """
        npc = self._owner.number
        if npc is None:
            return
        with self._transaction():
            self._store.records.delete([record.key for record in records])
            for id in {*(record.id for record in records), *archived}:
                self._store.records.unsupersede(npc, id)
                self._store.archive.forget(npc, id)
            self._store.npcs.touch(npc)
        self._save.when_committed(lambda: self._remove(records), self._changes.reload)

    def _remove(self, records: Sequence[Record]) -> None:
        """Take deleted records out of the search index."""
        for record in records:
            if self._index is not None:
                self._index.remove(record)
        self._changes.note(None)

    def delete_all(self) -> int:
        """Delete every record and the archive for good; returns how many records there were."""
        if self._owner.number is None:
            return 0
        with self._transaction():
            count = self._store.records.delete_all(self._owner.number)
            self._store.exchanges.forget_of(self._owner.npc_id)
            self._store.archive.forget(self._owner.number)
            self._store.interactions.forget(self._owner.number)
            self._store.npcs.touch(self._owner.number)
        if self._index is not None:
            self._index.clear()
        self._changes.note(None)
        return count

    def put_back(self, captured: Sequence[Captured]) -> list[Record]:
        """Restore these ids to what they were when they were captured; returns their records."""
        removed = [self._by_id(version.id) for version in captured]
        npc, model = self._owner.number, self._save.model
        with self._transaction():
            if npc is None:
                npc = self._store.npcs.add(self._owner.npc_id)
            records = self._store.archive.put_back(npc, captured)
            vectors = self._store.vectors.of([record.key for record in records], model)
            missing = [record for record in records if record.key not in vectors]
            for record in missing:
                vectors[record.key] = self._save.embed([record.document_full])[0]
                vector, of_model = self._save.storable(vectors[record.key])
                self._store.vectors.put([record.key], vector[None], of_model)
            self._store.npcs.touch(npc)
        self._set_number(npc)
        if self._index is not None:
            self._index.set_npc(npc)
            for former in removed:
                if former is not None:
                    self._index.remove(former)
            for record in records:
                self._index.add(record, vectors[record.key])
        self._changes.note(None)
        return records

    def merge(self, group: Sequence[Record], summary: Record, vector: FloatVector, ids: list[str]) -> int:
        """Store a summary in place of its sources, in one transaction, and add its id to `ids`; how many
        sources there were. A group that has changed meanwhile is left alone: 0.
        """
        npc, store = self._owner.number, self._store
        if npc is None:
            return 0
        keys = [record.key for record in group]
        with self._transaction():
            now = [_unaccessed(record) for record in store.records.by_keys(keys)]
            if now != [_unaccessed(record) for record in sorted(group, key=lambda record: record.key)]:
                return 0
            id, exchange_id = self._free_ids.of(npc, summary), store.exchanges.current
            summary = summary._replace(id=id, exchange_id=exchange_id)
            summary = summary._replace(key=store.records.insert(npc, summary, *self._save.storable(vector)))
            store.archive.move(keys, Archived(summary.stored_at, CONSOLIDATED, summary.id))
            store.npcs.touch(npc)
        if self._index is not None:
            for record in group:
                self._index.remove(record)
            self._index.add(summary, vector)
        self._changes.note([summary])
        ids.append(summary.id)
        return len(keys)

    def fade(self, records: Sequence[Record], now: float) -> None:
        """Lower the importance of records by one. The former one stays archived for a rollback."""
        faded = [record._replace(importance=record.importance - 1, stored_at=now) for record in records]
        with self._transaction():
            for before, after in zip(records, faded, strict=True):
                self._store.archive.add_weight(self._owner.number or 0, before, now, FADED, self._save.model)
                self._store.records.update(self._owner.number or 0, after)
        if self._index is not None:
            for before, after in zip(records, faded, strict=True):
                self._index.change(before, after)
        self._changes.note(faded)

    def let_go(self, records: Sequence[Record]) -> None:
        """Move records into the archive without anything in their place. What has changed meanwhile stays."""
        planned = set(map(_unaccessed, records))
        with self._transaction():
            stored = self._store.records.by_keys([record.key for record in records], is_read_again=False)
            records = [record for record in stored if _unaccessed(record) in planned]
            moved = Archived(self._save.now(), OVER_LIMIT, "")
            self._store.archive.move([record.key for record in records], moved)
            self._store.npcs.touch(self._owner.number or 0)
        self._save.when_committed(lambda: self._remove(records), self._changes.reload)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction that writes for this owner, and the accesses that wait.

        Raises:
            NpcLockedError: this process does not own it.
        """
        with self._save.accesses.transaction():
            # Inside: a connection that was made again may have lost the owner.
            self._store.owners.check(self._owner.npc_id)
            yield

    def _repeated(self, npc: int, record: Record) -> Record | None:
        """The stored record that a new one only repeats."""
        if record.id or record.slot_type or record.info_type:
            return None
        candidates = self._store.records.find(npc, repetitions_of(record.event_type, record.document_full))
        return next((candidate for candidate in candidates if is_repeated(candidate, record)), None)


def _unaccessed(record: Record) -> Record:
    """A record without its last access, which is no change."""
    return record._replace(last_accessed=0.0)

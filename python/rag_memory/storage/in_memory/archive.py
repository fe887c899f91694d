"""The archive in memory: keeping, capturing, putting back and rolling back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rag_memory.memory.archived import MEANINGFUL_FIELDS, REPEATED, Archived, ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import CONTENT, content_key, without_content
from rag_memory.storage.captured import Captured, Kept, KeptArchived, unknown_model
from rag_memory.storage.in_memory import documents, interaction_log, marks
from rag_memory.storage.in_memory.records import RecordWriting
from rag_memory.storage.in_memory.tables import Memory, Shelved
from rag_memory.storage.rollback import Rollback
from rag_memory.vectors import FloatVector


class Archive(RecordWriting):
    """See storage.protocol.Archive."""

    def archive(self, keys: Sequence[int], archived: Archived) -> None:
        self.archive_copy(keys, archived)
        for key in keys:
            self.delete(key)

    def archive_copy(self, keys: Sequence[int], archived: Archived) -> None:
        for key in keys:
            npc, record, vector, model = self._tables.memories.rows[key]
            self._shelve(Shelved(npc, archived, record, vector, model))

    def archive_repeated(self, npc: int, record: Record, at: float, model: int) -> None:
        archived = Archived(at, REPEATED, content_key(record))
        self._shelve(Shelved(npc, archived, without_content(record), None, model))

    def archive_new(
        self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int
    ) -> None:
        record = record._replace(key=record.key or self._tables.memories.next_number())
        self._shelve(Shelved(npc, archived, record, np.array(vector, np.float32), model))

    def archived(self, npc: int) -> list[ArchivedRecord]:
        return [self._archived(number) for number in self._numbers_shown(npc)]

    def forget_archived(self, npc: int, id: str | None = None) -> None:
        archive = self._tables.archive
        for number in archive.of(npc) if id is None else archive.of(npc, "id", id):
            archive.set(number, None)

    def capture(self, npc: int | None, id: str) -> Captured:
        if npc is None:
            return Captured(id, None, [], [])
        memories, archive = self._tables.memories, self._tables.archive
        memory = next((memories.rows[key] for key in memories.of(npc, "id", id)), None)
        return Captured(
            id,
            None if memory is None else self._kept(memory),
            [
                KeptArchived(number, archive.rows[number].archived, self._kept(archive.rows[number]))
                for number in archive.of(npc, "id", id)
            ],
            [(each.id, each.superseded_at) for each in memories.records(npc, "superseded_by", id)],
        )

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        models = {model.fingerprint: number for number, model in self._tables.models.rows.items()}
        unknown = {kept.fingerprint for each in captured for kept in each.all_kept()} - models.keys()
        if unknown:
            raise unknown_model(unknown.pop())
        memories, archive = self._tables.memories, self._tables.archive
        for each in captured:
            for key in memories.of(npc, "id", each.id):
                memories.set(key, None)
            self.forget_archived(npc, each.id)
            self.unsupersede(npc, each.id)
        records: list[Record] = []
        for each in captured:
            if each.memory is not None:
                record, vector = each.memory.record, np.frombuffer(each.memory.vector, dtype="<f4")
                is_free = record.key not in memories.rows
                key = memories.use_number(record.key) if is_free else memories.next_number()
                records.append(record._replace(key=key))
                memories.set(key, Memory(npc, records[-1], vector, models[each.memory.fingerprint]))
            for number, archived, kept in each.versions:
                free = archive.use_number(number) if number not in archive.rows else archive.next_number()
                embedding = np.frombuffer(kept.vector, dtype="<f4") if kept.vector else None
                row = Shelved(npc, archived, kept.record, embedding, models[kept.fingerprint])
                archive.set(free, row)
        for each in captured:
            for id, at in each.supersedes:
                self.supersede(memories.of(npc, "id", id), each.id, at)
        return records

    def roll_back(self, moment: float) -> Rollback:
        memories, archive = self._tables.memories, self._tables.archive

        def is_later(record: Record) -> bool:
            return record.stored_at > moment or record.timestamp > moment

        later = {(row.npc, row.record.id) for row in memories.rows.values() if is_later(row.record)}
        changed = {npc for npc, _ in later}
        changed |= {row.npc for row in archive.rows.values() if row.archived.at > moment}
        for key, memory in list(memories.rows.items()):
            if _ended_later(memory.npc, memory.record, moment, later):
                memories.set(key, memory._replace(record=_valid(memory.record)))
        for number, shelved in list(archive.rows.items()):
            if _ended_later(shelved.npc, shelved.record, moment, later):
                archive.set(number, shelved._replace(record=_valid(shelved.record)))
        for npc, id in {(row.npc, row.record.id) for row in archive.rows.values() if _has_no_content(row)}:
            self._keep_content(npc, id, moment)
        for key in [key for key, row in memories.rows.items() if is_later(row.record)]:
            memories.set(key, None)
        for number in [number for number, row in archive.rows.items() if is_later(row.record)]:
            archive.set(number, None)
        returning = [number for number, row in archive.rows.items() if row.archived.at > moment]
        ids = {(archive.rows[number].npc, archive.rows[number].record.id) for number in returning}
        for number in sorted(returning):
            self._bring_back(number)
        for key, memory in memories.rows.items():
            if memory.record.last_accessed > moment:
                memories.access(key, moment)
        for number, shelved in list(archive.rows.items()):
            if shelved.record.last_accessed > moment:
                record = shelved.record._replace(last_accessed=moment)
                archive.set(number, shelved._replace(record=record))
        gone = later - {(npc, id) for npc, id in ids if memories.of(npc, "id", id)}
        for npc in changed:
            self._tables.touch(npc)
        interaction_log.roll_back(self._tables, moment)
        documents.roll_back(self._tables, moment)
        marks.roll_back(self._tables, moment)
        return Rollback(Counter(npc for npc, _ in gone), frozenset(changed))

    def _keep_content(self, npc: int, id: str, moment: float) -> None:
        """Give the content of what is about to be deleted to the earlier versions that need it."""
        memories, archive = self._tables.memories, self._tables.archive
        versions = [archive.rows[number] for number in archive.of(npc, "id", id)]
        contents: dict[str, Memory | Shelved] = {}
        staying: set[str] = set()
        whole: list[Memory | Shelved] = [memories.rows[key] for key in memories.of(npc, "id", id)]
        whole += [version for version in versions if not _has_no_content(version)]
        for row in whole:
            contents[content_key(row.record)] = row
            if row.record.stored_at <= moment and row.record.timestamp <= moment:
                staying.add(content_key(row.record))
        empty = [
            number
            for number in archive.of(npc, "id", id)
            if _has_no_content(archive.rows[number])
            and archive.rows[number].record.stored_at <= moment
            and archive.rows[number].record.timestamp <= moment
        ]
        for number in sorted(empty, key=lambda each: (archive.rows[each].archived.at > moment, each))[::-1]:
            row = archive.rows[number]
            key = row.archived.by
            if key in contents and (row.archived.at > moment or key not in staying):
                source = contents[key]
                content = {name: getattr(source.record, name) for name in CONTENT}
                record = row.record._replace(**content)
                archive.set(number, row._replace(record=record, vector=source.vector, model=source.model))
                staying.add(key)

    def _bring_back(self, number: int) -> None:
        memories, archive = self._tables.memories, self._tables.archive
        npc, _, record, vector, model = archive.rows[number]
        if vector is not None and record.key not in memories.rows and not memories.of(npc, "id", record.id):
            memories.set(record.key, Memory(npc, record, vector, model))
            archive.set(number, None)

    def _numbers_shown(self, npc: int) -> list[int]:
        """What callers see of the archive: what says something else than the memory that has its id now."""
        memories, archive = self._tables.memories, self._tables.archive

        def is_shown(row: Shelved) -> bool:
            current = memories.records(npc, "id", row.record.id)
            return row.archived.reason != REPEATED and _told(row.record) not in map(_told, current)

        return [number for number in archive.of(npc) if is_shown(archive.rows[number])]

    def _archived(self, number: int) -> ArchivedRecord:
        row = self._tables.archive.rows[number]
        return ArchivedRecord(number, row.archived, row.record)

    def _shelve(self, shelved: Shelved) -> None:
        archive = self._tables.archive
        archive.set(archive.next_number(), shelved)

    def _kept(self, row: Memory | Shelved) -> Kept:
        vector = b"" if row.vector is None else row.vector.astype("<f4", copy=False).tobytes()
        return Kept(row.record, vector, self._tables.models.rows[row.model].fingerprint)


def _has_no_content(row: Shelved) -> bool:
    return row.archived.reason == REPEATED and row.vector is None


def _told(record: Record) -> tuple[object, ...]:
    return tuple(getattr(record, name) for name in MEANINGFUL_FIELDS)


def _ended_later(npc: int, record: Record, moment: float, later: set[tuple[int, str]]) -> bool:
    by = record.superseded_by
    return by != "" and (record.superseded_at > moment or (npc, by) in later)


def _valid(record: Record) -> Record:
    return record._replace(superseded_by="", superseded_at=0.0)

"""Memories that hold no longer but may come back: moved out of reach of every search, count and question.

What a slot or a piece of player_info said before, and what a summary was made from, stays here until a
rollback brings it back or it is forgotten for good. A memory that a caller restores is stored anew, and its
version here stays: a rollback to a moment before finds everything as it was.

What a memory was before it was repeated differs from what it is only in times and weight. It is archived
without text and vector, and no list shows it; `archived_by` is then the content_key() of the version with
them, which is a memory or in the archive under the same id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.memory.archived import (
    CONSOLIDATED,
    MEANINGFUL_FIELDS,
    WITHOUT_CONTENT,
    Archived,
    ArchivedRecord,
)
from rag_memory.memory.record import Record
from rag_memory.memory.repetition import CONTENT, content_key, without_content
from rag_memory.storage.captured import Captured, CapturedRecord, CapturedVersion, unknown_model
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.records import COLUMNS, Records
from rag_memory.storage.sql.statements import IS_WITHOUT_CONTENT
from rag_memory.vectors import FloatVector

ARCHIVED = f"archive, archived_at, archived_reason, archived_by, {COLUMNS}"

_FIELDS = tuple(name for name in Record._fields if name != "key")
_OF_MEMORY = ", ".join(f"memories.{name}" for name in COLUMNS.split(", "))
_SUPERSEDE = (
    "UPDATE memories SET superseded_by = :by, superseded_at = :at WHERE $own AND npc = :npc AND id = :id"
)
_SUPERSEDED = (
    "SELECT superseded_by, id, superseded_at FROM $memories WHERE npc = :npc "
    "AND superseded_by <> '' ORDER BY memory"
)
_LAST_NUMBER = "SELECT coalesce(max(archive), 0) FROM $archived_memories WHERE npc = :npc"
_FORGET_ALL = "DELETE FROM archived_memories WHERE $own AND npc = :npc"
_FORGET = f"{_FORGET_ALL} AND id = :id"
_MODELS = "SELECT fingerprint, model FROM $embedding_models"
_CAPTURED = (
    f"SELECT {_OF_MEMORY}, vectors.embedding, embedding_models.fingerprint FROM $memories "
    "JOIN $vectors ON vectors.memory = memories.memory "
    "JOIN $embedding_models ON embedding_models.model = vectors.model "
    "WHERE memories.npc = :npc AND memories.id = :id"
)
_CAPTURED_VERSIONS = (
    f"SELECT {ARCHIVED}, embedding, fingerprint FROM $archived_memories "
    "JOIN $embedding_models ON embedding_models.model = archived_memories.model "
    "WHERE npc = :npc AND id = :id ORDER BY archive"
)
_RETURN_VECTOR = (
    "INSERT INTO vectors ($owner memory, model, embedding) SELECT $owner memory, model, embedding "
    "FROM archived_memories WHERE $own AND archive = :archive ON CONFLICT ($save memory) "
    "DO UPDATE SET model = excluded.model, embedding = excluded.embedding"
)
_DELETE_VERSION = "DELETE FROM archived_memories WHERE $own AND archive = :archive"


def holds_no_longer(table: str) -> str:
    """The condition of what callers see of the archive: what says something else than the memory that has its
    id now. Only a rollback needs what is stored of repetitions.

    Args:
        table: the name of archived_memories in the statement.
    """
    same = " AND ".join(f"current.{name} = {table}.{name}" for name in ("npc", *MEANINGFUL_FIELDS))
    is_current = f"EXISTS (SELECT 1 FROM $memories AS current WHERE {same})"
    return f"({table}.archived_reason NOT IN {WITHOUT_CONTENT} AND NOT {is_current})"


_MERGED = (
    "SELECT archive, id, archived_by FROM $archived_memories "
    "WHERE npc = :npc AND archived_reason = :reason ORDER BY archive"
)
_IS_SHOWN = holds_no_longer("archived_memories")


class Merged(NamedTuple):
    """An archived memory that was merged into a summary."""

    number: int
    id: str
    by: str
    """The id of the summary."""


class Archive:
    """Earlier versions of memories, by a number each. What changes it does so inside a transaction."""

    def __init__(self, database: Database, records: Records) -> None:
        self._database = database
        self._records = records
        copied = ("npc", *database.derived_columns, *_FIELDS)
        columns = ", ".join(copied)
        self._copy = (
            "INSERT INTO archived_memories ($row, archive, archived_at, archived_reason, archived_by, "
            f"memory, model, embedding, {columns}) SELECT $new, $next(archive), :archived_at, "
            ":archived_reason, :archived_by, memories.memory, vectors.model, vectors.embedding, "
            f"{', '.join(f'memories.{name}' for name in copied)} FROM $memories "
            "JOIN $vectors ON vectors.memory = memories.memory WHERE memories.memory $in(keys) "
            "ORDER BY memories.memory"
        )
        self._return = (
            f"INSERT INTO memories ($row, memory, {columns}) SELECT $new, memory, {columns} "
            "FROM archived_memories WHERE $own AND archive = :archive "
            f"AND NOT {IS_WITHOUT_CONTENT} ON CONFLICT DO NOTHING"
        )
        written = (*database.derived_columns, "model", "embedding", *CONTENT)
        self._add_content = (
            f"UPDATE archived_memories SET {', '.join(f'{name} = :{name}' for name in written)} "
            "WHERE $own AND archive = :archive"
        )

    def find(self, npc: int) -> list[ArchivedRecord]:
        """What the NPC has archived that holds no longer, in the order in which it was archived."""
        statement = (
            f"SELECT {ARCHIVED} FROM $archived_memories WHERE npc = :npc AND {_IS_SHOWN} ORDER BY archive"
        )
        return [archived_of(row) for row in self._database.rows(statement, npc=npc)]

    def in_slot(self, npc: int, slot_type: str) -> list[ArchivedRecord]:
        """The former values of a slot, in the order in which they were archived."""
        statement = (
            f"SELECT {ARCHIVED} FROM $archived_memories WHERE npc = :npc AND slot_type = :slot "
            f"AND {_IS_SHOWN} ORDER BY archive"
        )
        return [archived_of(row) for row in self._database.rows(statement, npc=npc, slot=slot_type)]

    def by_numbers(self, numbers: Sequence[int]) -> list[ArchivedRecord]:
        """The versions with these numbers, in the order asked for."""
        statement = f"SELECT {ARCHIVED} FROM $archived_memories WHERE archive $in(keys)"
        versions = {row[0]: archived_of(row) for row in self._database.rows_with(statement, list(numbers))}
        return [versions[number] for number in numbers]

    def numbers_of(self, npc: int, id: str) -> list[int]:
        """The numbers of all versions of a memory, newest first."""
        statement = (
            "SELECT archive FROM $archived_memories WHERE npc = :npc AND id = :id ORDER BY archive DESC"
        )
        return [int(row[0]) for row in self._database.rows(statement, npc=npc, id=id)]

    def merged(self, npc: int) -> list[Merged]:
        """The sources of all summaries of an NPC's memories, in the order in which they were archived."""
        rows = self._database.rows(_MERGED, npc=npc, reason=CONSOLIDATED)
        return [Merged(int(number), str(id), str(by)) for number, id, by in rows]

    def move(self, keys: Sequence[int], archived: Archived) -> None:
        """Move memories and their vectors into the archive."""
        if keys:
            self.copy(keys, archived)
            self._records.delete(keys)

    def copy(self, keys: Sequence[int], archived: Archived) -> None:
        """Archive what memories say now, before they are replaced."""
        self._database.write(self._copy, keys=list(keys), **_values_of(archived))

    def add_weight(self, npc: int, record: Record, at: float, reason: str, model: int) -> None:
        """Archive the times and the weight of a memory before it is REPEATED or FADED."""
        self._add(npc, Archived(at, reason, content_key(record)), without_content(record), None, model)

    def last_number(self, npc: int) -> int:
        """The number of the last version of the NPC's memories; 0 without any."""
        return self._database.number(_LAST_NUMBER, npc=npc)

    def add(self, npc: int, archived: Archived, record: Record, vector: FloatVector, model: int) -> None:
        """Archive a memory that was never in force in this save; with `record.key` it is an earlier version
        of the memory with that key.
        """
        record = record._replace(key=record.key or self._database.new_key("memory"))
        self._add(npc, archived, record, vector, model)

    def forget(self, npc: int, id: str | None = None) -> None:
        """Delete all versions of the NPC's memories, or of one of them."""
        if id is None:
            self._database.write(_FORGET_ALL, npc=npc)
        else:
            self._database.write(_FORGET, npc=npc, id=id)

    def delete_version(self, number: int) -> None:
        """Delete one version of a memory."""
        self._database.write(_DELETE_VERSION, archive=number)

    def capture(self, npc: int | None, ids: Iterable[str]) -> list[Captured]:
        """Everything there is under some ids, to be put back."""
        if npc is None:
            return [Captured(id, None, [], []) for id in ids]
        superseded = self._superseded(npc)
        return [self._captured_under(npc, id, superseded.get(id, [])) for id in ids]

    def _superseded(self, npc: int) -> dict[str, list[tuple[str, float]]]:
        """The ids of superseded memories and when they were, by the id of what superseded them."""
        superseded: dict[str, list[tuple[str, float]]] = {}
        for by, id, at in self._database.rows(_SUPERSEDED, npc=npc):
            superseded.setdefault(str(by), []).append((str(id), float(at)))
        return superseded

    def _captured_under(self, npc: int, id: str, supersedes: list[tuple[str, float]]) -> Captured:
        row = self._database.row(_CAPTURED, npc=npc, id=id)
        versions = self._database.rows(_CAPTURED_VERSIONS, npc=npc, id=id)
        return Captured(
            id,
            None if row is None else self._captured(Record._make(row[:-2]), *row[-2:]),
            [
                CapturedVersion(version.number, version.archived, self._captured(version.record, *values))
                for version, values in ((archived_of(row[:-2]), row[-2:]) for row in versions)
            ],
            supersedes,
        )

    def put_back(self, npc: int, captured: Sequence[Captured]) -> list[Record]:
        """Make these ids again what they were when they were captured; the records that there are of them. A
        key is the old one, unless another memory has it by now.

        Raises:
            InvalidArgumentError: they were captured from a save with other embedding models.
        """
        models = {str(fingerprint): int(model) for fingerprint, model in self._database.rows(_MODELS)}
        for version in captured:
            for record in version.records():
                if record.fingerprint not in models:
                    raise unknown_model(record.fingerprint)
        superseding = self._superseded(npc)
        for version in captured:
            current = self._records.get(npc, version.id)
            if current is not None:
                self._records.delete([current.key])
            self.forget(npc, version.id)
            if version.id in superseding:
                self._records.unsupersede(npc, version.id)
        records = [self._put_back(npc, version, models) for version in captured]
        for version in captured:
            for id, at in version.supersedes:
                self._database.write(_SUPERSEDE, npc=npc, id=id, by=version.id, at=at)
        return [record for record in records if record is not None]

    def return_version(self, number: int) -> None:
        """Make an archived version a memory in force. One whose id is taken stays in the archive."""
        if self._database.count_written(self._return, archive=number):
            self._database.write(_RETURN_VECTOR, archive=number)
            self._database.write(_DELETE_VERSION, archive=number)

    def add_content(self, number: int, npc: int, record: Record, model: int, embedding: Any) -> None:
        """Give what is stored of a repetition the content of `record`, with an embedding as it was read."""
        vector = self._database.stored_vector(self._database.read_vector(embedding))
        self._database.write(
            self._add_content,
            archive=number,
            model=model,
            embedding=vector,
            **self._database.derived(npc, record),
            **{name: getattr(record, name) for name in CONTENT},
        )

    def _add(
        self,
        npc: int,
        archived: Archived,
        record: Record,
        vector: FloatVector | None,
        model: int,
        number: int = 0,
    ) -> None:
        key = {"archive": number} if number else {}
        values = {
            **key,
            **_values_of(archived),
            "npc": npc,
            "memory": record.key,
            "model": model,
            "embedding": self._database.stored_vector(vector),
            **self._database.derived(npc, record),
            **dict(zip(_FIELDS, record[1:], strict=True)),
        }
        self._database.add("archived_memories", "archive", values)

    def _put_back(self, npc: int, captured: Captured, models: Mapping[str, int]) -> Record | None:
        record: Record | None = None
        if captured.memory is not None:
            record, vector, fingerprint = captured.memory
            if not self._database.is_free("memories", "memory", record.key):
                record = record._replace(key=0)
            key = self._records.insert(npc, record, _vector_of(vector), models[fingerprint])
            record = record._replace(key=key)
        for number, archived, (version, vector, fingerprint) in captured.versions:
            is_free = self._database.is_free("archived_memories", "archive", number)
            embedding = _vector_of(vector) if vector else None
            self._add(npc, archived, version, embedding, models[fingerprint], number if is_free else 0)
        return record

    def _captured(self, record: Record, embedding: Any, fingerprint: str) -> CapturedRecord:
        vector = self._database.read_vector(embedding)
        stored = b"" if vector is None else vector.astype("<f4").tobytes()
        return CapturedRecord(record, stored, str(fingerprint))


def archived_of(row: Sequence[Any]) -> ArchivedRecord:
    """The values of the columns ARCHIVED."""
    return ArchivedRecord(row[0], Archived._make(row[1:4]), Record._make(row[4:]))


def _values_of(archived: Archived) -> dict[str, Any]:
    return {
        "archived_at": archived.at,
        "archived_reason": archived.reason,
        "archived_by": archived.by,
    }


def _vector_of(captured: bytes) -> FloatVector:
    return np.frombuffer(captured, dtype="<f4").astype(np.float32)

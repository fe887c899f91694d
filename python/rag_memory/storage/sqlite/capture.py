"""Capturing memories and putting them back; storage/captured.py has the values."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.memory.archived import Archived
from rag_memory.memory.record import Record
from rag_memory.storage.captured import Captured, Kept, KeptArchived, unknown_model
from rag_memory.storage.sql.statements import (
    DELETE_ID,
    FORGET_ARCHIVED_ID,
    MODELS,
    SUPERSEDE_ID,
    UNSUPERSEDE,
)
from rag_memory.storage.sqlite.statements import Statements

_FIELDS = ", ".join("memory" if name == "key" else name for name in Record._fields)
_KEPT = tuple(name for name in Record._fields if name != "key")
_INSERT = (
    f"INSERT INTO memories (write_order, memory, npc, keywords, digest, {', '.join(_KEPT)}) "
    f"VALUES (?, ?, ?, ?, ?, {', '.join('?' for _ in _KEPT)})"
)
_INSERT_ARCHIVED = (
    "INSERT INTO archived_memories (write_order, archive, archived_at, archived_reason, archived_by, npc, "
    f"keywords, digest, model, embedding, memory, {', '.join(_KEPT)}) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {', '.join('?' for _ in Record._fields)})"
)


def capture(connection: sqlite3.Connection, npc: int | None, id: str) -> Captured:
    """What there is now under an id of an NPC."""
    if npc is None:
        return Captured(id, None, [], [])
    row = connection.execute(
        f"SELECT {_FIELDS}, embedding, fingerprint FROM memories JOIN vectors USING (memory) "
        "JOIN embedding_models USING (model) WHERE npc = ? AND id = ?",
        (npc, id),
    ).fetchone()
    versions = connection.execute(
        f"SELECT archive, archived_at, archived_reason, archived_by, {_FIELDS}, embedding, "
        "fingerprint FROM archived_memories JOIN embedding_models USING (model) "
        "WHERE npc = ? AND id = ? ORDER BY archive",
        (npc, id),
    ).fetchall()
    superseded = connection.execute(
        "SELECT id, superseded_at FROM memories WHERE npc = ? AND superseded_by = ? ORDER BY memory",
        (npc, id),
    ).fetchall()
    return Captured(
        id,
        None if row is None else _kept(row),
        [KeptArchived(each[0], Archived._make(each[1:4]), _kept(each[4:])) for each in versions],
        [(str(each[0]), float(each[1])) for each in superseded],
    )


def put_back(
    connection: sqlite3.Connection, order: int, npc: int, captured: Sequence[Captured]
) -> list[Record]:
    """Make these ids again what they were; the records that there are of them. Inside a transaction with this
    order number.

    A rowid is the old one, unless another memory has it by now.

    Raises:
        InvalidArgumentError: the save does not know the embedding model of a vector.
    """
    statements = Statements(connection)
    models = {str(fingerprint): int(model) for fingerprint, model in statements.rows(MODELS)}
    unknown = {kept.fingerprint for each in captured for kept in each.all_kept()} - models.keys()
    if unknown:
        raise unknown_model(unknown.pop())
    for each in captured:
        _remove(statements, npc, each.id)
    records = [_insert(connection, order, npc, each, models) for each in captured]
    for each in captured:
        for id, at in each.supersedes:
            statements.write(SUPERSEDE_ID, npc=npc, id=id, by=each.id, at=at)
    return [record for record in records if record is not None]


def _remove(statements: Statements, npc: int, id: str) -> None:
    statements.write(DELETE_ID, npc=npc, id=id)
    statements.write(FORGET_ARCHIVED_ID, npc=npc, id=id)
    statements.write(UNSUPERSEDE, npc=npc, by=id)


def _insert(
    connection: sqlite3.Connection, order: int, npc: int, captured: Captured, models: Mapping[str, int]
) -> Record | None:
    record: Record | None = None
    if captured.memory is not None:
        record = captured.memory.record
        rowid = _free(connection, "memories", "memory", record.key)
        inserted = connection.execute(
            _INSERT, (order, rowid, npc, *record.derived(npc), *record[1:])
        ).lastrowid
        record = record._replace(key=inserted or 0)
        connection.execute(
            "INSERT INTO vectors (memory, model, embedding) VALUES (?, ?, ?)",
            (record.key, models[captured.memory.fingerprint], captured.memory.vector),
        )
    for number, archived, kept in captured.versions:
        free = _free(connection, "archived_memories", "archive", number)
        values = (
            order,
            free,
            *archived,
            npc,
            *kept.record.derived(npc),
            models[kept.fingerprint],
            kept.vector,
        )
        connection.execute(_INSERT_ARCHIVED, (*values, *kept.record))
    return record


def _kept(row: Sequence[Any]) -> Kept:
    return Kept(Record._make(row[:-2]), bytes(row[-2]), str(row[-1]))


def _free(connection: sqlite3.Connection, table: str, column: str, number: int) -> int | None:
    """The number itself, or None (SQLite then chooses the next) when a row has it."""
    row = connection.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (number,)).fetchone()
    return number if row is None else None

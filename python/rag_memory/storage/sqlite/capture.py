"""Memories exactly as they are, to be put back: what an editor needs to undo a change or a deletion.

An export keeps what a memory says. A capture also keeps its vector, the values it had before, and what it
supersedes; and of an id that is not in use it keeps just that.
"""

from __future__ import annotations

import base64
import binascii
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_type_hints

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.record import Record
from rag_memory.storage.sqlite.archive import Archived
from rag_memory.validation import validate_kept_integer, validate_number, validate_text, wrong_type

FORMAT = "rag_memory_capture"
VERSION = 1
_WHERE = "put_back_memories()"

_FIELDS = ", ".join("rowid" if name == "key" else name for name in Record._fields)
_KEPT = tuple(name for name in Record._fields if name != "key")
_ARCHIVED_FIELDS = ", ".join("memory" if name == "key" else name for name in Record._fields)
_INSERT = (
    f"INSERT INTO memories (rowid, npc, keywords, digest, {', '.join(_KEPT)}) "
    f"VALUES (?, ?, ?, ?, {', '.join('?' for _ in _KEPT)})"
)
_INSERT_ARCHIVED = (
    "INSERT INTO archived_memories (archive, archived_at, archived_reason, archived_by, npc, keywords, "
    f"digest, model, embedding, memory, {', '.join(_KEPT)}) "
    f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {', '.join('?' for _ in Record._fields)})"
)
_TYPES: Mapping[str, type] = get_type_hints(Record)


class Kept(NamedTuple):
    """A record with its vector, and the fingerprint of the model that made the vector."""

    record: Record
    vector: bytes
    fingerprint: str


class KeptArchived(NamedTuple):
    """An archived version of a memory, with its number in the archive."""

    number: int
    archived: Archived
    kept: Kept


class Captured(NamedTuple):
    """Everything under one id. `memory` is None when nothing has it; `supersedes` are (id, when) pairs."""

    id: str
    memory: Kept | None
    versions: list[KeptArchived]
    supersedes: list[tuple[str, float]]


def capture(connection: sqlite3.Connection, npc: int | None, id: str) -> Captured:
    """What there is now under an id of an NPC."""
    if npc is None:
        return Captured(id, None, [], [])
    row = connection.execute(
        f"SELECT {_FIELDS}, embedding, fingerprint FROM memories m JOIN vectors v ON v.memory = m.rowid "
        "JOIN embedding_models USING (model) WHERE npc = ? AND id = ?",
        (npc, id),
    ).fetchone()
    versions = connection.execute(
        f"SELECT archive, archived_at, archived_reason, archived_by, {_ARCHIVED_FIELDS}, embedding, "
        "fingerprint FROM archived_memories JOIN embedding_models USING (model) "
        "WHERE npc = ? AND id = ? ORDER BY archive",
        (npc, id),
    ).fetchall()
    superseded = connection.execute(
        "SELECT id, superseded_at FROM memories WHERE npc = ? AND superseded_by = ? ORDER BY rowid", (npc, id)
    ).fetchall()
    return Captured(
        id,
        None if row is None else _kept(row),
        [KeptArchived(each[0], Archived._make(each[1:4]), _kept(each[4:])) for each in versions],
        [(str(each[0]), float(each[1])) for each in superseded],
    )


def put_back(connection: sqlite3.Connection, npc: int, captured: Sequence[Captured]) -> list[Record]:
    """Make these ids again what they were; the records that there are of them. Inside a transaction.

    A rowid is the old one, unless another memory has it by now.

    Raises:
        InvalidArgumentError: the save does not know the embedding model of a vector.
    """
    rows = connection.execute("SELECT fingerprint, model FROM embedding_models").fetchall()
    models = {str(row[0]): int(row[1]) for row in rows}
    unknown = {kept.fingerprint for each in captured for kept in _all_kept(each)} - models.keys()
    if unknown:
        raise _not_captured(f"its embedding model {unknown.pop()} is unknown to this save")
    for each in captured:
        _remove(connection, npc, each.id)
    records = [_insert(connection, npc, each, models) for each in captured]
    for each in captured:
        connection.executemany(
            "UPDATE memories SET superseded_by = ?, superseded_at = ? WHERE npc = ? AND id = ?",
            [(each.id, at, npc, id) for id, at in each.supersedes],
        )
    return [record for record in records if record is not None]


def _all_kept(captured: Captured) -> list[Kept]:
    versions = [version.kept for version in captured.versions]
    return versions if captured.memory is None else [captured.memory, *versions]


def _remove(connection: sqlite3.Connection, npc: int, id: str) -> None:
    connection.execute("DELETE FROM memories WHERE npc = ? AND id = ?", (npc, id))
    connection.execute("DELETE FROM archived_memories WHERE npc = ? AND id = ?", (npc, id))
    connection.execute(
        "UPDATE memories SET superseded_by = '', superseded_at = 0 WHERE npc = ? AND superseded_by = ?",
        (npc, id),
    )


def _insert(
    connection: sqlite3.Connection, npc: int, captured: Captured, models: Mapping[str, int]
) -> Record | None:
    record: Record | None = None
    if captured.memory is not None:
        record = captured.memory.record
        rowid = _free(connection, "memories", "rowid", record.key)
        inserted = connection.execute(_INSERT, (rowid, npc, *record.derived(npc), *record[1:])).lastrowid
        record = record._replace(key=inserted or 0)
        connection.execute(
            "INSERT INTO vectors (memory, model, embedding) VALUES (?, ?, ?)",
            (record.key, models[captured.memory.fingerprint], captured.memory.vector),
        )
    for number, archived, kept in captured.versions:
        free = _free(connection, "archived_memories", "archive", number)
        values = (free, *archived, npc, *kept.record.derived(npc), models[kept.fingerprint], kept.vector)
        connection.execute(_INSERT_ARCHIVED, (*values, *kept.record))
    return record


def to_dictionary(npc_id: str, captured: Sequence[Captured]) -> dict[str, Any]:
    """Captured memories as plain values, also for JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "npc_id": npc_id,
        "memories": [
            {
                "id": each.id,
                "memory": None if each.memory is None else _plain(each.memory),
                "versions": [
                    {"number": number, "archived": list(archived), **_plain(kept)}
                    for number, archived, kept in each.versions
                ],
                "supersedes": [list(pair) for pair in each.supersedes],
            }
            for each in captured
        ],
    }


def from_dictionary(npc_id: str, value: Any) -> list[Captured]:
    """What to_dictionary() made.

    Raises:
        InvalidArgumentError: it is nothing that capture_memories() of this NPC has returned.
    """
    if not isinstance(value, Mapping):
        raise wrong_type(_WHERE, "captured", value, "a Dictionary")
    if value.get("format") != FORMAT or value.get("version") != VERSION or value.get("npc_id") != npc_id:
        raise _not_captured(
            f"it is of the NPC {value.get('npc_id')!r}, format {value.get('format')!r}, version "
            f"{value.get('version')!r}"
        )
    try:
        return [
            Captured(
                validate_text(_WHERE, "id", each["id"]),
                None if each["memory"] is None else _read(each["memory"]),
                [
                    KeptArchived(
                        validate_kept_integer(_WHERE, "number", version["number"]),
                        _read_archived(version["archived"]),
                        _read(version),
                    )
                    for version in each["versions"]
                ],
                [
                    (validate_text(_WHERE, "id", id), validate_number(_WHERE, "superseded_at", at))
                    for id, at in each["supersedes"]
                ],
            )
            for each in value["memories"]
        ]
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise _not_captured(f"{type(error).__name__}: {error}") from error


def _kept(row: Sequence[Any]) -> Kept:
    return Kept(Record._make(row[:-2]), bytes(row[-2]), str(row[-1]))


def _plain(kept: Kept) -> dict[str, Any]:
    return {
        "record": kept.record._asdict(),
        "vector": base64.b64encode(kept.vector).decode(),
        "model": kept.fingerprint,
    }


def _read(value: Any) -> Kept:
    fields = value["record"]
    record = Record._make(_field(name, kind, fields[name]) for name, kind in _TYPES.items())
    vector = base64.b64decode(validate_text(_WHERE, "vector", value["vector"]), validate=True)
    return Kept(record, vector, validate_text(_WHERE, "model", value["model"]))


def _field(name: str, kind: type, value: Any) -> Any:
    if kind is str:
        return validate_text(_WHERE, name, value)
    number = validate_number(_WHERE, name, value)
    return validate_kept_integer(_WHERE, name, value) if kind is int else number


def _read_archived(value: Any) -> Archived:
    at, reason, by = value
    return Archived(
        validate_number(_WHERE, "at", at),
        validate_text(_WHERE, "reason", reason),
        validate_text(_WHERE, "by", by),
    )


def _free(connection: sqlite3.Connection, table: str, column: str, number: int) -> int | None:
    """The number itself, or None (SQLite then chooses the next) when a row has it."""
    row = connection.execute(f"SELECT 1 FROM {table} WHERE {column} = ?", (number,)).fetchone()
    return number if row is None else None


def _not_captured(why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{_WHERE}: this was not captured from this NPC",
        why,
        "Pass what capture_memories() returned, unchanged",
    )

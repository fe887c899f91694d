"""Captured memories as values: memories exactly as they are, to be put back when an editor undoes a change.

An export has the content of a memory. A capture has its vector, its earlier values and what it supersedes,
too; and of an id that is not in use just that.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_type_hints

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.archived import Archived
from rag_memory.memory.record import Record
from rag_memory.validation import shown, validate_number, validate_stored_integer, validate_text, wrong_type

FORMAT = "rag_memory_capture"
VERSION = 1
_CALL = "put_back_memories()"
_TYPES: Mapping[str, type] = get_type_hints(Record)


class CapturedRecord(NamedTuple):
    """A record with its vector, and the fingerprint of the model that made the vector."""

    record: Record
    vector: bytes
    fingerprint: str


class CapturedVersion(NamedTuple):
    """An archived version of a memory, with its number in the archive."""

    number: int
    archived: Archived
    content: CapturedRecord


class Captured(NamedTuple):
    """Everything under one id. `memory` is None when nothing has it; `supersedes` are (id, when) pairs."""

    id: str
    memory: CapturedRecord | None
    versions: list[CapturedVersion]
    supersedes: list[tuple[str, float]]

    def records(self) -> list[CapturedRecord]:
        """The memory and its archived versions."""
        versions = [version.content for version in self.versions]
        return versions if self.memory is None else [self.memory, *versions]


def unknown_model(fingerprint: str) -> InvalidArgumentError:
    """The error of captured memories whose embedding model the save does not know."""
    return _not_captured(f"its embedding model {fingerprint} is unknown to this save")


def to_dictionary(npc_id: str, captured: Sequence[Captured]) -> dict[str, Any]:
    """Captured memories as plain values, also for JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "npc_id": npc_id,
        "memories": [
            {
                "id": memory.id,
                "memory": None if memory.memory is None else _plain(memory.memory),
                "versions": [
                    {"number": number, "archived": list(archived), **_plain(record)}
                    for number, archived, record in memory.versions
                ],
                "supersedes": [list(pair) for pair in memory.supersedes],
            }
            for memory in captured
        ],
    }


def from_dictionary(npc_id: str, value: Any) -> list[Captured]:
    """What to_dictionary() made.

    Raises:
        InvalidArgumentError: it is nothing that capture_memories() of this NPC has returned.
    """
    if not isinstance(value, Mapping):
        raise wrong_type(_CALL, "captured", value, "a Dictionary")
    if value.get("format") != FORMAT or value.get("version") != VERSION or value.get("npc_id") != npc_id:
        raise _not_captured(
            f"it is of the NPC {shown(value.get('npc_id'))}, format {shown(value.get('format'))}, version "
            f"{shown(value.get('version'))}"
        )
    try:
        return [
            Captured(
                validate_text(_CALL, "id", memory["id"]),
                None if memory["memory"] is None else _read(memory["memory"]),
                [
                    CapturedVersion(
                        validate_stored_integer(_CALL, "number", version["number"]),
                        _read_archived(version["archived"]),
                        _read(version),
                    )
                    for version in memory["versions"]
                ],
                [
                    (validate_text(_CALL, "id", id), validate_number(_CALL, "superseded_at", at))
                    for id, at in memory["supersedes"]
                ],
            )
            for memory in value["memories"]
        ]
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise _not_captured("a part of it is missing or of another type") from error


def _plain(captured: CapturedRecord) -> dict[str, Any]:
    return {
        "record": captured.record._asdict(),
        "vector": base64.b64encode(captured.vector).decode(),
        "model": captured.fingerprint,
    }


def _read(value: Any) -> CapturedRecord:
    fields = value["record"]
    record = Record._make(_field(name, kind, fields[name]) for name, kind in _TYPES.items())
    vector = base64.b64decode(validate_text(_CALL, "vector", value["vector"]), validate=True)
    return CapturedRecord(record, vector, validate_text(_CALL, "model", value["model"]))


def _field(name: str, kind: type, value: Any) -> Any:
    if kind is str:
        return validate_text(_CALL, name, value)
    number = validate_number(_CALL, name, value)
    return validate_stored_integer(_CALL, name, value) if kind is int else number


def _read_archived(value: Any) -> Archived:
    at, reason, by = value
    return Archived(
        validate_number(_CALL, "at", at),
        validate_text(_CALL, "reason", reason),
        validate_text(_CALL, "by", by),
    )


def _not_captured(why: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"{_CALL}: this was not captured from this NPC",
        why,
        "Pass what capture_memories() returned, unchanged",
    )

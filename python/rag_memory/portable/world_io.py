"""The world of a save as JSON that another save can take in: its documents, and what is searched of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import TIMELESS, Document
from rag_memory.memory.record import Record
from rag_memory.portable.json_io import exported, read_content
from rag_memory.validation import shown, validate_metadata, validate_number, validate_text, wrong_type

FORMAT = "rag_memory_world"
VERSION = 1
_CALL = "import_json()"
_TEXTS = ("kind", "id", "owner")


class WorldText(NamedTuple):
    """The parsed text of to_text(): documents without keys, and by owner what json_io.record_in() reads."""

    documents: list[Document]
    searched: dict[str, list[Any]]


def to_text(documents: Sequence[Document], searched: Mapping[str, Sequence[Record]]) -> str:
    """{format, version, documents: [{kind, id, owner, timestamp (without one: for all time), content}],
    searched: {owner: memories}}.
    """
    content = {
        "format": FORMAT,
        "version": VERSION,
        "documents": [
            {
                **{name: getattr(document, name) for name in _TEXTS if getattr(document, name)},
                **({} if document.timestamp == TIMELESS else {"timestamp": document.timestamp}),
                "content": document.content,
            }
            for document in documents
        ],
        "searched": {
            owner: [exported(owner, record) for record in records] for owner, records in searched.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def from_text(text: Any, owners: Sequence[str], now: float) -> WorldText:
    """Parse a text of to_text(), written `now`, whose owners are among these.

    Raises:
        InvalidArgumentError: it is no such JSON, of a newer version, or one of its documents is not valid.
    """
    remedy = "Pass what MemoryWorld.export_json() returned; RAGMemory.import_json() takes an NPC's memories"
    content = read_content(_CALL, text, FORMAT, "world", (VERSION,), remedy)
    documents, searched = content.get("documents"), content.get("searched")
    if not isinstance(documents, list):
        raise wrong_type(_CALL, "documents", documents, "an Array of Dictionaries")
    if not isinstance(searched, dict) or not set(searched) <= set(owners):
        raise wrong_type(_CALL, "searched", searched, f"a Dictionary with the keys {', '.join(owners)}")
    for owner, memories in searched.items():
        if not isinstance(memories, list):
            raise wrong_type(_CALL, f"searched.{owner}", memories, "an Array of Dictionaries")
    read = [_document(f"{_CALL}, document {number}", value, now) for number, value in enumerate(documents)]
    seen: set[tuple[str, str]] = set()
    for number, document in enumerate(read):
        if (document.kind, document.id) in seen:
            raise InvalidArgumentError(
                f"{_CALL}, document {number}: the {document.kind} id {shown(document.id)} is used twice",
                "ids must be unique",
                "Leave one of them out",
            )
        seen.add((document.kind, document.id))
    return WorldText(read, searched)


def _document(call: str, value: Any, now: float) -> Document:
    if not isinstance(value, Mapping):
        raise wrong_type(call, "the document", value, "a Dictionary")
    kind, id, owner = (validate_text(call, name, value.get(name, "")) for name in _TEXTS)
    content = value.get("content")
    if not kind or not id or not isinstance(content, Mapping) or not content:
        raise InvalidArgumentError(
            f"{call} is {shown(dict(value))}",
            "kind, id or content is missing",
            "Pass what MemoryWorld.export_json() returned",
        )
    stored_content = validate_metadata(call, "content", content)
    if value.get("timestamp") is None:
        return Document(0, kind, id, owner, stored_content, TIMELESS, TIMELESS)
    return Document(
        0, kind, id, owner, stored_content, validate_number(call, "timestamp", value["timestamp"]), now
    )

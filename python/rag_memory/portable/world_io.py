"""The world of a save as JSON that another save can take in: its documents, and what is searched of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.document import TIMELESS, Document
from rag_memory.memory.record import Record
from rag_memory.portable.json_io import exported
from rag_memory.validation import shown, validate_metadata, validate_number, validate_text, wrong_type

FORMAT = "rag_memory_world"
VERSION = 1
_WHERE = "import_json()"
_TEXTS = ("kind", "id", "owner")


class WorldText(NamedTuple):
    """What to_text() wrote: documents without keys, and by owner what json_io.record_in() reads."""

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
                **{name: getattr(each, name) for name in _TEXTS if getattr(each, name)},
                **({} if each.timestamp == TIMELESS else {"timestamp": each.timestamp}),
                "content": each.content,
            }
            for each in documents
        ],
        "searched": {
            owner: [exported(owner, record) for record in records] for owner, records in searched.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def from_text(text: Any, owners: Sequence[str], now: float) -> WorldText:
    """What is in a text of to_text(), written `now`; the owners are those that there may be.

    Raises:
        InvalidArgumentError: it is no such JSON, of a newer version, or one of its documents is not valid.
    """
    try:
        content = json.loads(validate_text(_WHERE, "text", text))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{_WHERE}: the text is no JSON", str(error), "Pass what MemoryWorld.export_json() returned"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidArgumentError(
            f"{_WHERE}: the JSON holds no world",
            f'it is no object with "format": "{FORMAT}"',
            "Pass what MemoryWorld.export_json() returned; RAGMemory.import_json() takes an NPC's memories",
        )
    if content.get("version") != VERSION:
        raise InvalidArgumentError(
            f"{_WHERE}: the JSON is of version {shown(content.get('version'))}",
            f"this RAG Memory reads the version {VERSION}",
            "Update RAG Memory, or export again",
        )
    documents, searched = content.get("documents"), content.get("searched")
    if not isinstance(documents, list):
        raise wrong_type(_WHERE, "documents", documents, "an Array of Dictionaries")
    if not isinstance(searched, dict) or not set(searched) <= set(owners):
        raise wrong_type(_WHERE, "searched", searched, f"a Dictionary with the keys {', '.join(owners)}")
    for owner, memories in searched.items():
        if not isinstance(memories, list):
            raise wrong_type(_WHERE, f"searched.{owner}", memories, "an Array of Dictionaries")
    read = [_document(f"{_WHERE}, document {number}", each, now) for number, each in enumerate(documents)]
    seen: set[tuple[str, str]] = set()
    for number, each in enumerate(read):
        if (each.kind, each.id) in seen:
            raise InvalidArgumentError(
                f"{_WHERE}, document {number}: there is another {each.kind} with the id {shown(each.id)}",
                "each needs an id of its own",
                "Leave one of them out",
            )
        seen.add((each.kind, each.id))
    return WorldText(read, searched)


def _document(where: str, value: Any, now: float) -> Document:
    if not isinstance(value, Mapping):
        raise wrong_type(where, "the document", value, "a Dictionary")
    kind, id, owner = (validate_text(where, name, value.get(name, "")) for name in _TEXTS)
    content = value.get("content")
    if not kind or not id or not isinstance(content, Mapping) or not content:
        raise InvalidArgumentError(
            f"{where} is {shown(dict(value))}",
            "kind, id or content is missing",
            "Pass what MemoryWorld.export_json() returned",
        )
    kept = validate_metadata(where, "content", content)
    if value.get("timestamp") is None:
        return Document(0, kind, id, owner, kept, TIMELESS, TIMELESS)
    return Document(0, kind, id, owner, kept, validate_number(where, "timestamp", value["timestamp"]), now)

"""Memories of one NPC as text: JSON that another save can take in, and a listing to read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .config import MemoryConfig
from .errors import InvalidArgumentError
from .record import Record, new_record
from .value import checked_number, checked_text, to_json, wrong_type

FORMAT = "rag_memory"
VERSION = 1

_TIER_NAMES = ("PINNED", "IMPORTANT", "REGULAR")
_LAST_DATED_SECOND = 253_402_300_799


def to_text(npc_id: str, records: Sequence[Record]) -> str:
    """The memories as JSON: {format, version, npc_id, memories}, with `memories` as store_batch() takes them,
    and their ids and supersessions.
    """
    memories = []
    for record in records:
        metadata = record.metadata(npc_id)
        del metadata["npc_id"]
        memories.append(
            {
                "id": record.id,
                "text": record.document_full,
                "document_short": record.document_short,
                **{name: value for name, value in metadata.items() if value not in ("", [])},
            }
        )
    exported = {"format": FORMAT, "version": VERSION, "npc_id": npc_id, "memories": memories}
    return json.dumps(exported, ensure_ascii=False, indent=1, allow_nan=False)


def from_text(text: Any) -> list[Any]:
    """The memories in what to_text() wrote.

    Raises:
        InvalidArgumentError: it is no such JSON, or of a newer version.
    """
    where = "import_json()"
    try:
        content = json.loads(checked_text(where, "text", text))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"{where}: the text is no JSON", str(error), "Pass what export_json() returned"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidArgumentError(
            f"{where}: the JSON holds no memories",
            f'it is no object with "format": "{FORMAT}"',
            "Pass what export_json() returned",
        )
    if content.get("version") != VERSION:
        raise InvalidArgumentError(
            f"{where}: the JSON is of version {content.get('version')!r}",
            f"this RAG Memory reads version {VERSION}",
            "Update RAG Memory, or export again",
        )
    memories = content.get("memories")
    if not isinstance(memories, list):
        raise wrong_type(where, "memories", memories, "an Array of Dictionaries")
    return memories


def imported(
    npc_id: str,
    config: MemoryConfig,
    now: float,
    memories: Sequence[Any],
    known: Callable[[str], Record | None],
) -> list[Record]:
    """The records of exported memories that the NPC does not have yet.

    A memory whose id the NPC uses for another one gets a new id, and so do the references to it.

    Args:
        known: the NPC's memory with an id.

    Raises:
        InvalidArgumentError: one of the memories is not valid.
    """
    records: list[Record] = []
    new_ids: dict[str, str] = {}
    used: set[str] = set()
    for number, memory in enumerate(memories):
        record = _record(f"import_json(), memory {number}", npc_id, config, now, memory)
        if record.id:
            if _is_same(known(record.id), record):
                continue
            id = _free(record.id, lambda id: id in used or known(id) is not None)
            new_ids[record.id] = id
            used.add(id)
            record = record._replace(id=id)
        records.append(record)
    return [
        record._replace(superseded_by=new_ids.get(record.superseded_by, record.superseded_by))
        for record in records
    ]


def listing(npc_id: str, records: Sequence[Record]) -> str:
    """The memories to read, oldest first: a line with the text, and one with what else is known."""
    lines = [f"{npc_id}: {len(records)} memories"]
    for record in sorted(records, key=lambda record: (record.timestamp, record.rowid)):
        lines.append(
            f"[{_moment(record.timestamp)}] {_TIER_NAMES[record.memory_tier]} {record.document_full}"
        )
        metadata = record.metadata(npc_id)
        told = {
            name: value
            for name, value in metadata.items()
            if name not in ("npc_id", "timestamp", "memory_tier") and value not in ("", [], 0.0, False)
        }
        lines.append(f"    {to_json({'id': record.id, **told})}")
    return "\n".join(lines)


def _record(where: str, npc_id: str, config: MemoryConfig, now: float, memory: Any) -> Record:
    if not isinstance(memory, Mapping):
        raise wrong_type(where, "the memory", memory, "a Dictionary")
    data = dict(memory)
    if "text" not in data:
        raise InvalidArgumentError(f"{where}: there is no text", "a memory needs one", 'Add the key "text"')
    text, importance = data.pop("text"), data.pop("importance", 5)
    id = checked_text(where, "id", data.pop("id", ""))
    superseded_by = checked_text(where, "superseded_by", data.pop("superseded_by", ""))
    superseded_at = checked_number(where, "superseded_at", data.pop("superseded_at", 0.0))
    record = new_record(where, npc_id, config, now, text, importance, data)
    return record._replace(id=id, superseded_by=superseded_by, superseded_at=superseded_at)


def _is_same(known: Record | None, record: Record) -> bool:
    return known is not None and (known.document_full, known.event_type, known.timestamp) == (
        record.document_full,
        record.event_type,
        record.timestamp,
    )


def _free(id: str, is_used: Callable[[str], bool]) -> str:
    free, number = id, 2
    while is_used(free):
        free = f"{id}_{number}"
        number += 1
    return free


def _moment(timestamp: float) -> str:
    if 0 <= timestamp <= _LAST_DATED_SECOND:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(timestamp))
    return f"{timestamp:.0f}"

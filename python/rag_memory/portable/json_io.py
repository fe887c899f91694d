"""Memories and feelings of one NPC as text: JSON that another save can take in, and a listing to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from rag_memory.config.memory_config import MemoryConfig
from rag_memory.errors import InvalidArgumentError
from rag_memory.memory.archived import Archived, ArchivedRecord
from rag_memory.memory.interaction import Interaction
from rag_memory.memory.memory_view import moment_text
from rag_memory.memory.occurrences import OCCURRENCES, read_times, with_times
from rag_memory.memory.record import Record, new_record
from rag_memory.memory.subject import Doer, subject_of
from rag_memory.portable import feelings_io
from rag_memory.step import Step, Steps
from rag_memory.text.participants import Narrator
from rag_memory.validation import (
    mapping_in,
    shown,
    to_json,
    validate_number,
    validate_stored_integer,
    validate_text,
    wrong_type,
)

FORMAT = "rag_memory"
VERSION = 2
_WITHOUT_FEELINGS = 1
"""The version of what has no interactions, and of all files of before there were any."""

DEFAULT_IMPORTANCE = 5
_READ_AT_ONCE = 16
_TIER_NAMES = ("PINNED", "IMPORTANT", "REGULAR")


class Export(NamedTuple):
    """The parsed text of to_text(): memories, archived ones with the key "archived", and interactions."""

    memories: list[Any]
    archive: list[Any]
    interactions: list[Any]


class Imported(NamedTuple):
    """The records that the NPC does not have yet; `new_ids` maps the ids of memories that were renamed."""

    records: list[Record]
    archived: list[ArchivedRecord]
    interactions: list[Interaction]
    new_ids: dict[str, str]


class Recipient(NamedTuple):
    """The memories of the NPC that imports."""

    by_id: Callable[[str], Record | None]
    player_info: Callable[[Record], Record | None]
    """The memory that holds the same information about the same player."""
    archive: Sequence[ArchivedRecord]
    has_feelings: bool


def to_text(
    npc_id: str,
    records: Sequence[Record],
    archive: Sequence[ArchivedRecord] = (),
    interactions: Sequence[Interaction] = (),
) -> str:
    """The memories as JSON: {format, version, npc_id, memories, archive, interactions}, with `memories` as
    store_batch() takes them, and their ids and supersessions; those of `archive` have the key `archived` as
    well.
    """
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION if interactions else _WITHOUT_FEELINGS,
        "npc_id": npc_id,
        "memories": [exported(npc_id, record) for record in records],
    }
    if archive:
        content["archive"] = [
            {**exported(npc_id, archived.record), "archived": archived.archived._asdict()}
            for archived in archive
        ]
    if interactions:
        content["interactions"] = feelings_io.exported(interactions, records)
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def from_text(text: Any) -> Export:
    """The memories in what to_text() wrote.

    Raises:
        InvalidArgumentError: it is no such JSON, or of a newer version.
    """
    call = "import_json()"
    remedy = "Pass what export_json() returned"
    content = read_content(call, text, FORMAT, "memories", (_WITHOUT_FEELINGS, VERSION), remedy)
    content = {"archive": [], "interactions": [], **content}
    return Export(*(_list_in(call, content, name) for name in Export._fields))


def read_content(
    call: str, text: Any, format: str, noun: str, versions: Sequence[int], remedy: str
) -> dict[str, Any]:
    """Parse the JSON of a format.

    Args:
        noun: what the JSON holds.
        versions: those that can be read, the newest last.
        remedy: the advice for a text of another kind.

    Raises:
        InvalidArgumentError: it is no such JSON, or of a newer version.
    """
    try:
        content = json.loads(validate_text(call, "text", text))
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"{call}: the text is no JSON", str(error), remedy) from error
    if not isinstance(content, dict) or content.get("format") != format:
        raise InvalidArgumentError(
            f"{call}: the JSON holds no {noun}", f'it is no object with "format": "{format}"', remedy
        )
    if content.get("version") not in versions:
        raise InvalidArgumentError(
            f"{call}: the JSON is of version {shown(content.get('version'))}",
            f"this RAG Memory reads the versions up to {versions[-1]}",
            "Update RAG Memory, or export again",
        )
    return content


def imported_steps(
    call: str,
    npc_id: str,
    config: MemoryConfig,
    now: float,
    export: Export,
    recipient: Recipient,
) -> Steps[Imported]:
    """Return what the NPC does not have yet, in slices: memories, archived ones, and the log of interactions
    unless the NPC has feelings already.

    A memory whose id the NPC uses for another one gets a new id, and so do the references to it. Of a
    player_info only the newest value counts; one that the NPC has is replaced by a newer one, under its id.

    Args:
        call: the call, for error messages.

    Raises:
        InvalidArgumentError: one of the memories or interactions is not valid.
    """
    interactions = feelings_io.imported(call, now, export.interactions)
    total = len(export.memories)
    given: list[Record] = []
    for number, memory in enumerate(export.memories):
        given.append(record_in(f"{call}, memory {number}", npc_id, config, now, memory))
        if number % _READ_AT_ONCE == 0:
            yield Step(0, total, "reading memories")
    _refuse_twins(call, given)
    newest = {
        _information(record): record
        for record in sorted(given, key=lambda record: record.timestamp)
        if record.is_player_info
    }
    records: list[Record] = []
    new_ids: dict[str, str] = {}
    used: set[str] = set()
    for number, record in enumerate(given):
        if number % _READ_AT_ONCE == 0:
            yield Step(0, total, "comparing memories")
        info = recipient.player_info(record) if record.is_player_info else None
        if info is not None and record.id:
            new_ids[record.id] = info.id
        if record.is_player_info and (
            record is not newest[_information(record)] or _is_up_to_date(info, record)
        ):
            continue
        if record.id and info is None:
            if _is_same(recipient.by_id(record.id), record):
                continue
            id = _free(record.id, lambda id: id in used or recipient.by_id(id) is not None)
            new_ids[record.id] = id
            used.add(id)
        records.append(record)
    had = {_archived_key(archived_record) for archived_record in recipient.archive}
    archived: list[ArchivedRecord] = []
    for number, memory in enumerate(export.archive):
        if number % _READ_AT_ONCE == 0:
            yield Step(0, total, "reading archived memories")
        archived_record = _archived(f"{call}, archived memory {number}", npc_id, config, now, memory)
        by = new_ids.get(archived_record.archived.by, archived_record.archived.by)
        archived_record = ArchivedRecord(
            0, archived_record.archived._replace(by=by), _renamed(archived_record.record, new_ids)
        )
        if _archived_key(archived_record) not in had:
            archived.append(archived_record)
    return Imported(
        [_renamed(record, new_ids) for record in records],
        archived,
        [] if recipient.has_feelings else interactions,
        new_ids,
    )


def _information(record: Record) -> tuple[str, Doer]:
    """Which piece of information a memory holds, and about whom."""
    return record.info_type, subject_of(record, Narrator(), frozenset()).person


def _refuse_twins(call: str, records: Sequence[Record]) -> None:
    seen: dict[str, int] = {}
    for number, record in enumerate(records):
        if record.id and seen.setdefault(record.id, number) != number:
            raise InvalidArgumentError(
                f"{call}, memory {number}: memory {seen[record.id]} has the id {record.id!r}, too",
                "ids must be unique",
                "Give one of them another id, or leave its id out",
            )


def listing(npc_id: str, config: MemoryConfig, records: Sequence[Record]) -> str:
    """The memories to read, oldest first: a line with the text, and one with what else is known."""
    lines = [f"{npc_id}: {len(records)} memories"]
    for record in sorted(records, key=lambda record: (record.timestamp, record.key)):
        moment = moment_text(config, record.timestamp)
        lines.append(f"[{moment}] {_TIER_NAMES[record.memory_tier]} {record.document_full}")
        metadata = record.metadata(npc_id)
        if record.repeat_count == 1:
            del metadata["repeat_count"], metadata["first_timestamp"]
        if record.last_accessed == record.timestamp:
            del metadata["last_accessed"]
        details = {
            name: value
            for name, value in metadata.items()
            if name not in ("npc_id", "timestamp", "memory_tier") and value not in ("", [], 0.0, False)
        }
        lines.append(f"    {to_json({'id': record.id, **details})}")
    return "\n".join(lines)


def record_in(call: str, npc_id: str, config: MemoryConfig, now: float, memory: Any) -> Record:
    """A memory that exported() wrote, or that store_batch() takes; `call` is the name for messages.

    Raises:
        InvalidArgumentError: it is not valid.
    """
    text, importance, data = draft_in(call, memory)
    id = validate_text(call, "id", data.pop("id", ""))
    superseded_by = validate_text(call, "superseded_by", data.pop("superseded_by", ""))
    superseded_at = validate_number(call, "superseded_at", data.pop("superseded_at", 0.0))
    repeat_count = max(1, validate_stored_integer(call, "repeat_count", data.pop("repeat_count", 1)))
    times = read_times(data.pop(OCCURRENCES, None)) if repeat_count > 1 else []
    first_timestamp, last_accessed = data.pop("first_timestamp", None), data.pop("last_accessed", None)
    record = new_record(call, npc_id, config, now, text, importance, data)
    if first_timestamp is not None:
        earliest = min(record.timestamp, validate_number(call, "first_timestamp", first_timestamp))
        record = record._replace(first_timestamp=earliest)
    if last_accessed is not None:
        record = record._replace(last_accessed=validate_number(call, "last_accessed", last_accessed))
    return record._replace(
        extra=with_times(record.extra, times),
        id=id,
        superseded_by=superseded_by,
        superseded_at=superseded_at,
        repeat_count=repeat_count,
    )


def draft_in(call: str, memory: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Return text, importance and data of a memory as store_batch() takes it.

    Raises:
        InvalidArgumentError: it is no dictionary, or has no text.
    """
    if not isinstance(memory, Mapping):
        raise wrong_type(call, "the memory", memory, "a Dictionary")
    data = dict(memory)
    if "text" not in data:
        raise InvalidArgumentError(f"{call}: there is no text", "a memory needs one", 'Add the key "text"')
    return data.pop("text"), data.pop("importance", DEFAULT_IMPORTANCE), data


def _list_in(call: str, content: Mapping[str, Any], name: str) -> list[Any]:
    value = content.get(name)
    if not isinstance(value, list):
        raise wrong_type(call, name, value, "an Array of Dictionaries")
    return value


def exported(npc_id: str, record: Record) -> dict[str, Any]:
    """A memory as store_batch() takes it, with its id and supersession."""
    metadata = record._replace(extra="{}").metadata(npc_id)
    del metadata["npc_id"]
    return {
        "id": record.id,
        "text": record.document_full,
        "document_short": record.document_short,
        **{name: value for name, value in metadata.items() if value not in ("", [])},
        **mapping_in(record.extra),
    }


def _renamed(record: Record, new_ids: Mapping[str, str]) -> Record:
    return record._replace(
        id=new_ids.get(record.id, record.id),
        superseded_by=new_ids.get(record.superseded_by, record.superseded_by),
    )


def _archived(call: str, npc_id: str, config: MemoryConfig, now: float, memory: Any) -> ArchivedRecord:
    if not isinstance(memory, Mapping) or not isinstance(memory.get("archived"), Mapping):
        raise wrong_type(call, "archived", memory, "a Dictionary with the key archived")
    about = memory["archived"]
    # Not later than now: a rollback to this moment must not bring it back.
    at = min(now, validate_number(call, "archived.at", about.get("at")))
    reason = validate_text(call, "archived.reason", about.get("reason"))
    by = validate_text(call, "archived.by", about.get("by", ""))
    record = record_in(
        call, npc_id, config, now, {name: memory[name] for name in memory if name != "archived"}
    )
    if not record.id:
        raise InvalidArgumentError(
            f"{call}: there is no id", "without it nothing can refer to the memory", 'Add the key "id"'
        )
    return ArchivedRecord(0, Archived(at, reason, by), record)


def _archived_key(archived: ArchivedRecord) -> tuple[str, str, str, float]:
    """Return a key that tells archived memories apart, wherever they were stored."""
    record = archived.record
    return record.id, record.document_full, archived.archived.reason, archived.archived.at


def _is_same(stored: Record | None, record: Record) -> bool:
    return stored is not None and (stored.document_full, stored.event_type, stored.first_timestamp) == (
        record.document_full,
        record.event_type,
        record.first_timestamp,
    )


def _is_up_to_date(stored: Record | None, record: Record) -> bool:
    """Return True if the stored information about the player says the same, or is as new."""
    return stored is not None and (
        stored.document_full == record.document_full or stored.timestamp >= record.timestamp
    )


def _free(id: str, is_used: Callable[[str], bool]) -> str:
    free, number = id, 2
    while is_used(free):
        free = f"{id}_{number}"
        number += 1
    return free

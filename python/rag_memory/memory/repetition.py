"""Repeated memories, which are counted instead of stored again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from rag_memory.memory.event_templates import CONVERSATION
from rag_memory.memory.occurrences import MOST_TIMES, times_in, with_times
from rag_memory.memory.record import MOST_IMPORTANT, Record
from rag_memory.validation import mapping_in, to_json

TURN = "_turn_"
"""Part of the ids of turns (conversation/turn_log.py)."""
_MAY_DIFFER = (
    *("key", "id", "document_short", "importance", "timestamp", "memory_tier", "stored_at"),
    *("repeat_count", "first_timestamp", "last_accessed", "extra"),
    "exchange_id",
)
_OWN = (
    *("key", "id", "importance", "timestamp", "memory_tier", "superseded_by", "superseded_at"),
    *("stored_at", "repeat_count", "first_timestamp", "last_accessed", "exchange_id"),
)

CONTENT = tuple(name for name in Record._fields if name not in _OWN)
"""The fields that a repetition does not change, apart from the times in `extra`."""
EVERYDAY = 4
"""The importance up to which a memory is an everyday matter."""

_NO_CONTENT: dict[str, Any] = {**dict.fromkeys(CONTENT, ""), "is_milestone": 0}


def is_repeated(stored: Record, record: Record) -> bool:
    """Return True if a new record repeats a stored one, at another time or with another importance.

    A superseded memory is never repeated: a promise given again after it was broken is another promise.
    """
    return all(
        getattr(stored, name) == getattr(record, name) for name in Record._fields if name not in _MAY_DIFFER
    ) and (stored.extra == record.extra or _own_data(stored) == _own_data(record))


def _own_data(record: Record) -> str:
    """The data of a memory without its times, and without the turns that it was found in, as JSON: in Python
    0 is False.
    """
    return json.dumps(_without_turn(mapping_in(with_times(record.extra, []))), sort_keys=True)


def _without_turn(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _without_turn(value) if isinstance(value, dict) else value
        for key, value in data.items()
        if key != "turn" or TURN not in str(value)
    }


def repeated(stored: Record, record: Record) -> Record:
    """The known record after `record` said the same again.

    It is dated when it happened last, so it fades from then on; first_timestamp tells when it happened first.
    Of importance and tier the higher one counts. What matters, matters more each time its count doubles.
    """
    count = stored.repeat_count + 1
    times = times_in(stored.extra) or [stored.timestamp]
    importance = max(stored.importance, record.importance)
    if count & (count - 1) == 0 and _matters(stored):
        importance = min(MOST_IMPORTANT, importance + 1)
    return stored._replace(
        timestamp=max(stored.timestamp, record.timestamp),
        first_timestamp=min(stored.first_timestamp, record.first_timestamp),
        importance=importance,
        memory_tier=min(stored.memory_tier, record.memory_tier),
        repeat_count=count,
        extra=with_times(stored.extra, [*times, record.timestamp]),
        stored_at=record.stored_at,
        last_accessed=max(stored.last_accessed, record.last_accessed),
        exchange_id=record.exchange_id or stored.exchange_id,
    )


def _matters(record: Record) -> bool:
    """Return whether a memory is neither everyday nor mere talk, such as a greeting."""
    if record.importance <= EVERYDAY:
        return False
    return record.event_type != CONVERSATION or bool(mapping_in(record.extra).get("sentiment"))


def with_times_of(record: Record, count: int) -> Record:
    """A version of a memory from when it had happened only `count` times, with the times of then."""
    times = times_in(record.extra)
    times = times[: max(0, len(times) - max(0, record.repeat_count - count))] if count > 1 else []
    return record._replace(extra=with_times(record.extra, times))


def occurrences_of(records: Sequence[Record]) -> dict[str, Any]:
    """How often memories that say the same happened together, and the last times."""
    times = sorted(at for record in records for at in times_in(record.extra) or [record.timestamp])
    return {"count": sum(record.repeat_count for record in records), "times": times[-MOST_TIMES:]}


def content_key(record: Record) -> str:
    """Return a key that all versions of a memory with the same CONTENT share, and hardly any others."""
    record = record._replace(extra=with_times(record.extra, []))
    # Saves hold keys that were made when there were no kinds.
    content = to_json([getattr(record, name) for name in CONTENT if name != "kind" or record.kind])
    return hashlib.blake2b(content.encode(), digest_size=6).hexdigest()


def without_content(record: Record) -> Record:
    """Return only what a repetition may change of a record; everything else is empty."""
    return record._replace(**_NO_CONTENT)

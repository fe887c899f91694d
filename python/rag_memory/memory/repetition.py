"""Repeated memories, which are counted instead of stored again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rag_memory.memory.record import Record
from rag_memory.validation import to_json

_TURN = "_turn_"
"""Part of the ids of turns (world/turns.py)."""
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
"""The fields that a repetition does not change."""

_NO_CONTENT: dict[str, Any] = {**dict.fromkeys(CONTENT, ""), "is_milestone": 0}


def is_repeated(stored: Record, record: Record) -> bool:
    """Return True if a new record repeats a stored one, at another time or with another importance.

    A superseded memory is never repeated: a promise given again after it was broken is another promise.
    """
    return all(
        getattr(stored, name) == getattr(record, name) for name in Record._fields if name not in _MAY_DIFFER
    ) and _without_turn(stored.extra) == _without_turn(record.extra)


def _without_turn(extra: str) -> Any:
    """The game's own data of a memory, without the turn of a conversation that it was found in."""
    if _TURN not in extra:
        return extra
    data = json.loads(extra)
    return {key: value for key, value in data.items() if key != "turn" or _TURN not in str(value)}


def repeated(stored: Record, record: Record) -> Record:
    """The known record after `record` said the same again.

    It is dated when it happened last, so it fades from then on; first_timestamp tells when it happened first.
    Of importance and tier the higher one counts.
    """
    return stored._replace(
        timestamp=max(stored.timestamp, record.timestamp),
        first_timestamp=min(stored.first_timestamp, record.first_timestamp),
        importance=max(stored.importance, record.importance),
        memory_tier=min(stored.memory_tier, record.memory_tier),
        repeat_count=stored.repeat_count + 1,
        stored_at=record.stored_at,
        last_accessed=max(stored.last_accessed, record.last_accessed),
        exchange_id=record.exchange_id or stored.exchange_id,
    )


def content_key(record: Record) -> str:
    """Return a key that all versions of a memory with the same CONTENT share, and hardly any others."""
    # Saves hold keys that were made when there were no kinds.
    content = to_json([getattr(record, name) for name in CONTENT if name != "kind" or record.kind])
    return hashlib.blake2b(content.encode(), digest_size=6).hexdigest()


def without_content(record: Record) -> Record:
    """Return only what a repetition may change of a record; everything else is empty."""
    return record._replace(**_NO_CONTENT)

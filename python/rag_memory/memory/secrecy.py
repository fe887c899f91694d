"""Secrets: memories and events that only their source and those in `known_to` may hear of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rag_memory.ids import normal_id
from rag_memory.memory.event_templates import PLAYER
from rag_memory.memory.record import Record
from rag_memory.validation import mapping_in, validate_texts

PLAYER_ALONE = (PLAYER,)
"""Who hears an answer when nobody is named."""
SECRET_KEY = '"secret"'
"""The free metadata of every secret has it, as text."""
_SOURCES = ("source_id", "speaker")
"""The keys of whom a memory or an event comes from."""


def validate_listeners(call: str, value: Any) -> list[str]:
    """Return the ids of who hears an answer: an Array of Strings, or one String.

    Raises:
        InvalidArgumentError: it is neither.
    """
    return validate_texts(call, "listeners", [value] if isinstance(value, str) else value)


def may_be_secret(record: Record) -> bool:
    """Return False for nearly every memory that is no secret, without decoding its metadata."""
    return SECRET_KEY in record.extra


def is_secret(record: Record) -> bool:
    """Return whether a memory is a secret."""
    return may_be_secret(record) and bool(mapping_in(record.extra).get("secret"))


def record_may_be_told(record: Record, listening: Collection[str]) -> bool:
    """Return whether everybody who listens may know a memory."""
    return not may_be_secret(record) or may_be_told(mapping_in(record.extra), listening)


def may_be_told(metadata: Mapping[str, Any], listening: Collection[str]) -> bool:
    """Return whether everybody who listens may know a memory or an event."""
    return not metadata.get("secret") or {normal_id(id).casefold() for id in listening} <= _confidants(
        metadata
    )


def of_all(sources: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the secrecy of a conclusion: only who may know every secret among its sources may know it."""
    secrets = [_confidants(source) for source in sources if source.get("secret")]
    return {"secret": True, "known_to": sorted(set.intersection(*secrets))} if secrets else {}


def _confidants(metadata: Mapping[str, Any]) -> set[str]:
    """Return who may know a secret, in lower case."""
    known_to = metadata.get("known_to")
    named = known_to if isinstance(known_to, list) else [known_to]
    sources = (metadata.get(key) for key in _SOURCES)
    return {normal_id(id).casefold() for id in (*sources, *named) if isinstance(id, str) and id}

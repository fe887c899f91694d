"""Archived memories as values: what was replaced or merged, when, why, and by what."""

from __future__ import annotations

from typing import NamedTuple

from rag_memory.memory.record import Record

SLOT_UPDATE = "slot_update"
INFO_UPDATE = "info_update"
UPDATED = "updated"
REPEATED = "repeated"
FADED = "faded"
WITHOUT_CONTENT = (REPEATED, FADED)
"""The reasons of versions of which only times and weight are stored."""
CONSOLIDATED = "consolidated"
OVER_LIMIT = "over_limit"

MEANINGFUL_FIELDS = tuple(
    name
    for name in Record._fields
    if name not in ("key", "stored_at", "superseded_by", "superseded_at", "last_accessed", "exchange_id")
)
"""The fields of a memory that do not depend on when it was stored or queried."""


class Archived(NamedTuple):
    """The time and reason (SLOT_UPDATE, ...) of a replacement, and the id of the memory that replaced the old
    one.
    """

    at: float
    reason: str
    by: str


class ArchivedRecord(NamedTuple):
    """A memory in the archive, with its number there."""

    number: int
    archived: Archived
    record: Record

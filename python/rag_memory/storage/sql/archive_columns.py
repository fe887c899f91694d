"""Columns and conditions of the archive that several statements need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.memory.archived import MEANINGFUL_FIELDS, REPEATED, Archived, ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.storage.sql.records import COLUMNS

ARCHIVED = f"archive, archived_at, archived_reason, archived_by, {COLUMNS}"


def holds_no_longer(table: str) -> str:
    """The condition of what callers see of the archive: what says something else than the memory that has its
    id now. Only a rollback needs what is stored of repetitions.

    Args:
        table: the name of archived_memories in the statement.
    """
    same = " AND ".join(f"current.{name} = {table}.{name}" for name in ("npc", *MEANINGFUL_FIELDS))
    is_current = f"EXISTS (SELECT 1 FROM $memories AS current WHERE {same})"
    return f"({table}.archived_reason <> '{REPEATED}' AND NOT {is_current})"


def archived_of(row: Sequence[Any]) -> ArchivedRecord:
    """The values of the columns ARCHIVED."""
    return ArchivedRecord(row[0], Archived._make(row[1:4]), Record._make(row[4:]))

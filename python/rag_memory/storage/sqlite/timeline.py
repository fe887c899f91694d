"""An NPC's life to be drawn: how many memories when, the most telling ones, and what became of which.

Counts come per stretch of time, so that a drawing of 100,000 memories is as small as one of a hundred.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.errors import InvalidArgumentError
from rag_memory.storage.sqlite.archive import CONSOLIDATED, holds_no_longer
from rag_memory.validation import validate_number, validate_option, validate_options

SUPERSEDED = "superseded"
_WHERE = "get_timeline()"
_OPTIONS = ("begin", "end", "buckets", "marks")
_DEFAULT_BUCKETS = 200
_MOST_BUCKETS = 4000
_DEFAULT_MARKS = 100
_MOST_MARKS = 1000


class Span(NamedTuple):
    """Which part of a life is asked for, and how finely; None for its begin and its end."""

    begin: float | None
    end: float | None
    buckets: int
    marks: int


def span_of(options: Any) -> Span:
    """What the options of get_timeline() ask for.

    Raises:
        InvalidArgumentError: an unknown option, a value of a wrong type or out of range, or an end before
            the begin.
    """
    options = validate_options(_WHERE, options, _OPTIONS)
    begin, end = (
        validate_number(_WHERE, name, options[name]) if name in options else None for name in ("begin", "end")
    )
    if begin is not None and end is not None and end < begin:
        raise InvalidArgumentError(f"{_WHERE}: end is before begin", f"{end} < {begin}", "Swap them")
    return Span(
        begin,
        end,
        validate_option(_WHERE, options, "buckets", _DEFAULT_BUCKETS, 1, _MOST_BUCKETS),
        validate_option(_WHERE, options, "marks", _DEFAULT_MARKS, 0, _MOST_MARKS),
    )


def timeline(connection: sqlite3.Connection, npc: int | None, span: Span) -> dict[str, Any]:
    """{begin, end, first, last, counts, archived, marks, links}; see NpcMemory.get_timeline()."""
    first, last = connection.execute(
        "SELECT min(timestamp), max(timestamp) FROM (SELECT timestamp FROM memories WHERE npc = :npc "
        "UNION ALL SELECT timestamp FROM archived_memories WHERE npc = :npc "
        f"AND {holds_no_longer('archived_memories')})",
        {"npc": npc},
    ).fetchone()
    first, last = first or 0.0, last or 0.0
    begin = first if span.begin is None else span.begin
    end = max(begin, last if span.end is None else span.end)
    width = (end - begin) / span.buckets or 1.0
    values = {
        "npc": npc,
        "begin": begin,
        "end": end,
        "width": width,
        "last": span.buckets - 1,
        "limit": span.marks,
        "consolidated": CONSOLIDATED,
    }
    return {
        "begin": begin,
        "end": end,
        "first": first,
        "last": last,
        "counts": _counts(connection, values, span.buckets),
        "archived": _archived(connection, values, span.buckets),
        "marks": _marks(connection, values),
        "links": [*_supersessions(connection, values), *_consolidations(connection, values)],
    }


# The last moment belongs to the last stretch.
_BUCKET = "min(:last, CAST((timestamp - :begin) / :width AS INTEGER))"
_INSIDE = "npc = :npc AND timestamp BETWEEN :begin AND :end"


def _counts(connection: sqlite3.Connection, values: Mapping[str, Any], buckets: int) -> list[list[int]]:
    counts = [[0] * buckets for _ in range(TIER_REGULAR + 1)]
    for tier, bucket, count in connection.execute(
        f"SELECT memory_tier, {_BUCKET}, count(*) FROM memories WHERE {_INSIDE} GROUP BY 1, 2", values
    ):
        counts[tier][bucket] = count
    return counts


def _archived(connection: sqlite3.Connection, values: Mapping[str, Any], buckets: int) -> list[int]:
    counts = [0] * buckets
    for bucket, count in connection.execute(
        f"SELECT {_BUCKET}, count(*) FROM archived_memories "
        f"WHERE {_INSIDE} AND {holds_no_longer('archived_memories')} GROUP BY 1",
        values,
    ):
        counts[bucket] = count
    return counts


def _marks(connection: sqlite3.Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    names = (
        "id",
        "timestamp",
        "memory_tier",
        "importance",
        "event_type",
        "is_milestone",
        "superseded_by",
        "text",
    )
    rows = connection.execute(
        "SELECT id, timestamp, memory_tier, importance, event_type, is_milestone, superseded_by, "
        f"document_short FROM memories WHERE {_INSIDE} "
        "ORDER BY is_milestone DESC, memory_tier, importance DESC, timestamp DESC, rowid DESC LIMIT :limit",
        values,
    )
    marks = [dict(zip(names, row, strict=True)) for row in rows]
    for mark in marks:
        mark["is_milestone"] = bool(mark["is_milestone"])
    return marks


def _supersessions(connection: sqlite3.Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """From the memory that holds no longer to the one that ended it."""
    rows = connection.execute(
        "SELECT old.id, old.timestamp, old.memory_tier, old.document_short, new.id, new.timestamp, "
        "new.memory_tier, new.document_short FROM memories old "
        "JOIN memories new ON new.npc = old.npc AND new.id = old.superseded_by "
        "WHERE old.npc = :npc AND old.superseded_by <> '' AND old.timestamp <= :end "
        "AND new.timestamp >= :begin ORDER BY new.timestamp DESC, old.rowid DESC LIMIT :limit",
        values,
    )
    return [
        {"kind": SUPERSEDED, "count": 1, "from": _end_of(row[:4]), "to": _end_of(row[4:])} for row in rows
    ]


def _consolidations(connection: sqlite3.Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """From the oldest of the memories that were merged to their summary."""
    rows = connection.execute(
        "SELECT count(*), old.id, min(old.timestamp), old.memory_tier, old.document_short, new.id, "
        "new.timestamp, new.memory_tier, new.document_short FROM archived_memories old "
        "JOIN memories new ON new.npc = old.npc AND new.id = old.archived_by "
        "WHERE old.npc = :npc AND old.archived_reason = :consolidated "
        "GROUP BY old.archived_by HAVING min(old.timestamp) <= :end AND new.timestamp >= :begin "
        "ORDER BY new.timestamp DESC, new.rowid DESC LIMIT :limit",
        values,
    )
    return [
        {"kind": CONSOLIDATED, "count": row[0], "from": _end_of(row[1:5]), "to": _end_of(row[5:])}
        for row in rows
    ]


def _end_of(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("id", "timestamp", "memory_tier", "text"), row, strict=True))

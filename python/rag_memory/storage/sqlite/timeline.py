"""The timeline of an NPC; see Storage.timeline()."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.archived import CONSOLIDATED
from rag_memory.storage.sqlite.archive import holds_no_longer
from rag_memory.storage.timeline import MARK_FIELDS, SUPERSEDED, Span


def timeline(connection: sqlite3.Connection, npc: int | None, span: Span) -> dict[str, Any]:
    """{begin, end, first, last, counts, archived, marks, links}; see Tools.get_timeline()."""
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
    rows = connection.execute(
        f"SELECT {', '.join(MARK_FIELDS)}, document_short FROM memories WHERE {_INSIDE} "
        "ORDER BY is_milestone DESC, memory_tier, importance DESC, timestamp DESC, rowid DESC LIMIT :limit",
        values,
    )
    marks = [dict(zip((*MARK_FIELDS, "text"), row, strict=True)) for row in rows]
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
    """From the oldest of the memories that were merged to their summary; of equally old ones, from the one
    archived first.
    """
    rows = connection.execute(
        "SELECT old.count, old.id, old.timestamp, old.memory_tier, old.document_short, new.id, "
        "new.timestamp, new.memory_tier, new.document_short FROM "
        "(SELECT *, count(*) OVER (PARTITION BY archived_by) AS count, "
        "row_number() OVER (PARTITION BY archived_by ORDER BY timestamp, archive) AS place "
        "FROM archived_memories WHERE npc = :npc AND archived_reason = :consolidated) old "
        "JOIN memories new ON new.npc = old.npc AND new.id = old.archived_by "
        "WHERE old.place = 1 AND old.timestamp <= :end AND new.timestamp >= :begin "
        "ORDER BY new.timestamp DESC, new.rowid DESC LIMIT :limit",
        values,
    )
    return [
        {"kind": CONSOLIDATED, "count": row[0], "from": _end_of(row[1:5]), "to": _end_of(row[5:])}
        for row in rows
    ]


def _end_of(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("id", "timestamp", "memory_tier", "text"), row, strict=True))

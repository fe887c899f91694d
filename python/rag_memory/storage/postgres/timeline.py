"""The timeline of an NPC; see Storage.timeline()."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.archived import CONSOLIDATED
from rag_memory.storage.postgres.archive import holds_no_longer
from rag_memory.storage.postgres.connected import Connected
from rag_memory.storage.timeline import MARK_FIELDS, SUPERSEDED, Span

_OF_NPC = "save = %(save)s AND npc = %(npc)s"
_INSIDE = f"{_OF_NPC} AND timestamp BETWEEN %(begin)s AND %(end)s"
# The last moment belongs to the last stretch.
_BUCKET = "least(%(last)s, trunc((timestamp - %(begin)s) / %(width)s)::bigint)"
_ENDS = (
    "old.id, old.timestamp, old.memory_tier, old.document_short, "
    "new.id, new.timestamp, new.memory_tier, new.document_short"
)
_SUPERSESSIONS = (
    f"SELECT 1, {_ENDS} FROM memories AS old JOIN memories AS new "
    "ON new.save = old.save AND new.npc = old.npc AND new.id = old.superseded_by "
    "WHERE old.save = %(save)s AND new.save = %(save)s AND old.npc = %(npc)s AND old.superseded_by <> '' "
    "AND old.timestamp <= %(end)s AND new.timestamp >= %(begin)s "
    "ORDER BY new.timestamp DESC, old.memory DESC LIMIT %(limit)s"
)
# From the oldest of the memories that were merged; of equally old ones, from the one archived first.
_CONSOLIDATIONS = (
    f"SELECT old.merged, {_ENDS} FROM "
    "(SELECT *, count(*) OVER (PARTITION BY archived_by) AS merged, "
    "row_number() OVER (PARTITION BY archived_by ORDER BY timestamp, archive) AS place "
    f"FROM archived_memories WHERE {_OF_NPC} AND archived_reason = %(consolidated)s) AS old "
    "JOIN memories AS new ON new.save = old.save AND new.npc = old.npc AND new.id = old.archived_by "
    "WHERE new.save = %(save)s AND old.place = 1 "
    "AND old.timestamp <= %(end)s AND new.timestamp >= %(begin)s "
    "ORDER BY new.timestamp DESC, new.memory DESC LIMIT %(limit)s"
)


class Timeline(Connected):
    """See Storage.timeline()."""

    def timeline(self, npc: int | None, span: Span) -> dict[str, Any]:
        row = self._row(
            "SELECT min(timestamp), max(timestamp) FROM "
            f"(SELECT timestamp FROM memories WHERE {_OF_NPC} UNION ALL "
            f"SELECT timestamp FROM archived_memories WHERE {_OF_NPC} "
            f"AND {holds_no_longer('archived_memories')}) AS lived",
            npc=npc,
        )
        first, last = (each or 0.0 for each in row or (0.0, 0.0))
        begin = first if span.begin is None else span.begin
        end = max(begin, last if span.end is None else span.end)
        values = {
            "npc": npc,
            "begin": begin,
            "end": end,
            "width": (end - begin) / span.buckets or 1.0,
            "last": span.buckets - 1,
            "limit": span.marks,
            "consolidated": CONSOLIDATED,
        }
        return {
            "begin": begin,
            "end": end,
            "first": first,
            "last": last,
            "counts": self._counts(values, span.buckets),
            "archived": self._archived_counts(values, span.buckets),
            "marks": self._marks(values),
            "links": [
                *(_link(SUPERSEDED, row) for row in self._rows(_SUPERSESSIONS, **values)),
                *(_link(CONSOLIDATED, row) for row in self._rows(_CONSOLIDATIONS, **values)),
            ],
        }

    def _counts(self, values: dict[str, Any], buckets: int) -> list[list[int]]:
        counts = [[0] * buckets for _ in range(TIER_REGULAR + 1)]
        rows = self._rows(
            f"SELECT memory_tier, {_BUCKET}, count(*) FROM memories WHERE {_INSIDE} GROUP BY 1, 2", **values
        )
        for tier, bucket, count in rows:
            counts[tier][bucket] = count
        return counts

    def _archived_counts(self, values: dict[str, Any], buckets: int) -> list[int]:
        counts = [0] * buckets
        rows = self._rows(
            f"SELECT {_BUCKET}, count(*) FROM archived_memories "
            f"WHERE {_INSIDE} AND {holds_no_longer('archived_memories')} GROUP BY 1",
            **values,
        )
        for bucket, count in rows:
            counts[bucket] = count
        return counts

    def _marks(self, values: dict[str, Any]) -> list[dict[str, Any]]:
        rows = self._rows(
            f"SELECT {', '.join(MARK_FIELDS)}, document_short FROM memories WHERE {_INSIDE} "
            "ORDER BY is_milestone DESC, memory_tier, importance DESC, timestamp DESC, memory DESC "
            "LIMIT %(limit)s",
            **values,
        )
        marks = [dict(zip((*MARK_FIELDS, "text"), row, strict=True)) for row in rows]
        for mark in marks:
            mark["is_milestone"] = bool(mark["is_milestone"])
        return marks


def _link(kind: str, row: Sequence[Any]) -> dict[str, Any]:
    """From the memory that holds no longer to the one that ended it."""
    return {"kind": kind, "count": row[0], "from": _end_of(row[1:5]), "to": _end_of(row[5:])}


def _end_of(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(("id", "timestamp", "memory_tier", "text"), row, strict=True))

"""Counts, lists and pictures of the memories there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.archived import CONSOLIDATED, ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.storage.sql.archive_columns import ARCHIVED, archived_of, holds_no_longer
from rag_memory.storage.sql.database import Database
from rag_memory.storage.timeline import MARK_FIELDS, SUPERSEDED, TimelineRange

_STATISTICS = {
    "total": "count(*)",
    "average_importance": "coalesce(CAST(sum(importance) AS double precision) / count(*), 0.0)",
    "oldest": "coalesce(min(timestamp), 0.0)",
    "newest": "coalesce(max(timestamp), 0.0)",
    "milestones": "CAST(coalesce(sum(is_milestone), 0) AS bigint)",
    "superseded": "count(*) FILTER (WHERE superseded_by <> '')",
}
_OVERVIEW = {
    "npc_id": "npc_id",
    "total": "count(memories.memory)",
    "pinned": "count(*) FILTER (WHERE memory_tier = 0)",
    "important": "count(*) FILTER (WHERE memory_tier = 1)",
    "regular": "count(*) FILTER (WHERE memory_tier = 2)",
    "superseded": "count(*) FILTER (WHERE superseded_by <> '')",
    "archived": (
        "(SELECT count(*) FROM $archived_memories AS shelved WHERE shelved.npc = npcs.npc "
        f"AND {holds_no_longer('shelved')})"
    ),
    "oldest": "coalesce(min(timestamp), 0.0)",
    "newest": "coalesce(max(timestamp), 0.0)",
}
"""Expressions by the names under which their values are returned."""
_NPC_OVERVIEW = (
    f"SELECT {', '.join(_OVERVIEW.values())} FROM $npcs LEFT JOIN $memories ON memories.npc = npcs.npc "
    "GROUP BY npcs.npc, npc_id ORDER BY lower(npc_id), npc_id"
)
_IS_SHOWN = holds_no_longer("archived_memories")
_ENDS_OF_LIFE = (
    "SELECT min(timestamp), max(timestamp) FROM (SELECT timestamp FROM $memories WHERE npc = :npc UNION ALL "
    f"SELECT timestamp FROM $archived_memories WHERE npc = :npc AND {_IS_SHOWN}) AS lived"
)
# The last moment belongs to the last stretch.
_BUCKET = "$least(:last, $whole((timestamp - :begin) / :width))"
_INSIDE = "npc = :npc AND timestamp BETWEEN :begin AND :end"
_TIER_COUNTS = f"SELECT memory_tier, {_BUCKET}, count(*) FROM $memories WHERE {_INSIDE} GROUP BY 1, 2"
_ARCHIVED_COUNTS = (
    f"SELECT {_BUCKET}, count(*) FROM $archived_memories WHERE {_INSIDE} AND {_IS_SHOWN} GROUP BY 1"
)
_MARKS = (
    f"SELECT {', '.join(MARK_FIELDS)}, document_short FROM $memories WHERE {_INSIDE} "
    "ORDER BY is_milestone DESC, memory_tier, importance DESC, timestamp DESC, memory DESC LIMIT :limit"
)
_ENDS = (
    "old.id, old.timestamp, old.memory_tier, old.document_short, "
    "new.id, new.timestamp, new.memory_tier, new.document_short"
)
_SUPERSESSIONS = (
    f"SELECT 1, {_ENDS} FROM $memories AS old JOIN $memories AS new "
    "ON new.npc = old.npc AND new.id = old.superseded_by WHERE old.npc = :npc AND old.superseded_by <> '' "
    "AND old.timestamp <= :end AND new.timestamp >= :begin "
    "ORDER BY new.timestamp DESC, old.memory DESC LIMIT :limit"
)
# From the oldest of the memories that were merged; of equally old ones, from the one archived first.
_CONSOLIDATIONS = (
    f"SELECT old.merged, {_ENDS} FROM (SELECT *, count(*) OVER (PARTITION BY archived_by) AS merged, "
    "row_number() OVER (PARTITION BY archived_by ORDER BY timestamp, archive) AS place "
    "FROM $archived_memories WHERE npc = :npc AND archived_reason = :consolidated) AS old "
    "JOIN $memories AS new ON new.npc = old.npc AND new.id = old.archived_by "
    "WHERE old.place = 1 AND old.timestamp <= :end AND new.timestamp >= :begin "
    "ORDER BY new.timestamp DESC, new.memory DESC LIMIT :limit"
)


class Browsing:
    """Counts, lists and pictures of the memories of a save."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def count(self, npc: int | None = None) -> int:
        """The number of memories of one NPC, or of all."""
        of_npc = "" if npc is None else " WHERE npc = :npc"
        return self._database.number(f"SELECT count(*) FROM $memories{of_npc}", npc=npc)

    def statistics(self, npc: int) -> dict[str, Any]:
        """Counts and means over the NPC's memories, by the names that get_memory_stats() gives them: total,
        average_importance, oldest, newest, milestones and superseded.
        """
        statement = f"SELECT {', '.join(_STATISTICS.values())} FROM $memories WHERE npc = :npc"
        return dict(zip(_STATISTICS, self._database.row(statement, npc=npc) or (), strict=True))

    def counts_by(self, npc: int, field: str) -> dict[Any, int]:
        """The number of the NPC's memories by each value of a Record's field, in the order of the values."""
        assert field in Record._fields
        statement = (
            f"SELECT {field}, count(*) FROM $memories WHERE npc = :npc GROUP BY {field} ORDER BY {field}"
        )
        return {value: int(count) for value, count in self._database.rows(statement, npc=npc)}

    def archived(self, npc: int) -> list[ArchivedRecord]:
        """What the NPC has archived that holds no longer, in the order in which it was archived."""
        statement = (
            f"SELECT {ARCHIVED} FROM $archived_memories WHERE npc = :npc AND {_IS_SHOWN} ORDER BY archive"
        )
        return [archived_of(row) for row in self._database.rows(statement, npc=npc)]

    def archived_with(self, numbers: Sequence[int]) -> list[ArchivedRecord]:
        """What the archive holds under these numbers, in the order asked for."""
        statement = f"SELECT {ARCHIVED} FROM $archived_memories WHERE archive $in(numbers)"
        rows = self._database.rows(statement, numbers=list(numbers))
        by_number = {row[0]: archived_of(row) for row in rows}
        return [by_number[number] for number in numbers]

    def archived_numbers(self, npc: int, id: str) -> list[int]:
        """The numbers under which the archive holds versions of a memory, newest first."""
        statement = (
            "SELECT archive FROM $archived_memories WHERE npc = :npc AND id = :id ORDER BY archive DESC"
        )
        return [int(row[0]) for row in self._database.rows(statement, npc=npc, id=id)]

    def npc_overview(self) -> list[dict[str, Any]]:
        """{npc_id, total, pinned, important, regular, superseded, archived, oldest, newest} of every NPC, by
        id without regard to case.
        """
        return [dict(zip(_OVERVIEW, row, strict=True)) for row in self._database.rows(_NPC_OVERVIEW)]

    def timeline(self, npc: int | None, span: TimelineRange) -> dict[str, Any]:
        """{begin, end, first, last, counts, archived, marks, links}; see Tools.get_timeline()."""
        first, last = (time or 0.0 for time in self._database.row(_ENDS_OF_LIFE, npc=npc) or (0.0, 0.0))
        begin = first if span.begin is None else span.begin
        end = max(begin, last if span.end is None else span.end)
        values = {"npc": npc, "begin": begin, "end": end}
        widths = {"width": (end - begin) / span.buckets or 1.0, "last": span.buckets - 1}
        marks = [
            dict(zip((*MARK_FIELDS, "text"), row, strict=True))
            for row in self._database.rows(_MARKS, limit=span.marks, **values)
        ]
        for mark in marks:
            mark["is_milestone"] = bool(mark["is_milestone"])
        superseded = self._database.rows(_SUPERSESSIONS, limit=span.marks, **values)
        merged = self._database.rows(_CONSOLIDATIONS, limit=span.marks, consolidated=CONSOLIDATED, **values)
        return {
            "begin": begin,
            "end": end,
            "first": first,
            "last": last,
            "counts": self._tier_counts({**values, **widths}, span.buckets),
            "archived": self._archived_counts({**values, **widths}, span.buckets),
            "marks": marks,
            "links": [
                *(_link(SUPERSEDED, row) for row in superseded),
                *(_link(CONSOLIDATED, row) for row in merged),
            ],
        }

    def _tier_counts(self, values: dict[str, Any], buckets: int) -> list[list[int]]:
        counts = [[0] * buckets for _ in range(TIER_REGULAR + 1)]
        for tier, bucket, count in self._database.rows(_TIER_COUNTS, **values):
            counts[tier][bucket] = count
        return counts

    def _archived_counts(self, values: dict[str, Any], buckets: int) -> list[int]:
        counts = [0] * buckets
        for bucket, count in self._database.rows(_ARCHIVED_COUNTS, **values):
            counts[bucket] = count
        return counts


def _link(kind: str, row: Sequence[Any]) -> dict[str, Any]:
    """A link from the memory that holds no longer to the one that ended it."""
    return {"kind": kind, "count": row[0], "from": _end_of(row[1:5]), "to": _end_of(row[5:])}


def _end_of(row: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(("id", "timestamp", "memory_tier", "text"), row, strict=True))

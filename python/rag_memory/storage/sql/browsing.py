"""Counts, lists and pictures of the memories there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rag_memory.config.memory_config import TIER_REGULAR
from rag_memory.memory.archived import CONSOLIDATED
from rag_memory.memory.document import CAMPAIGN
from rag_memory.memory.owners import is_npc
from rag_memory.memory.record import Record
from rag_memory.storage.sql.archive import holds_no_longer
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.documents import Documents
from rag_memory.storage.timeline import MARK_FIELDS, SUPERSEDED, TimelineRange

COMPARED = tuple(
    name for name in Record._fields if name not in ("key", "stored_at", "last_accessed", "exchange_id")
)
"""The fields that are compared: where a memory lies, when it was written and read is no difference."""

ComparedRow = tuple[Any, ...]
"""An npc_id and the COMPARED fields of one of its memories."""

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
_OF_NPCS = ", ".join(
    f"(SELECT {value} FROM $memories AS own WHERE own.npc = npcs.npc)"
    for value in ("count(*)", "min(own.timestamp)", "max(own.timestamp)")
)
_CONTENTS = f"SELECT npc_id, {_OF_NPCS} FROM $npcs"
_COMPARED_PAGE = (
    f"SELECT {', '.join(COMPARED)} FROM $memories WHERE npc = :npc AND id > :last ORDER BY id LIMIT :count"
)
_ROWS_AT_ONCE = 1000
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

    def npc_overview(self) -> list[dict[str, Any]]:
        """{npc_id, total, pinned, important, regular, superseded, archived, oldest, newest} of every NPC, by
        id without regard to case.
        """
        return [dict(zip(_OVERVIEW, row, strict=True)) for row in self._database.rows(_NPC_OVERVIEW)]

    def compared(self) -> Iterator[ComparedRow]:
        """Every memory, in the order of the NPCs' ids and of its own, as it is compared with another state
        of the save.
        """
        for npc_id, npc in self._database.rows("SELECT npc_id, npc FROM $npcs ORDER BY npc_id"):
            last = ""
            while rows := self._database.rows(_COMPARED_PAGE, npc=npc, last=last, count=_ROWS_AT_ONCE):
                yield from ((npc_id, *row) for row in rows)
                last = rows[-1][COMPARED.index("id")]

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


def stored_contents(database: Database, schema_version: int) -> dict[str, Any]:
    """The contents of a save in numbers; see storage.protocol.Storage.contents()."""
    documents = Documents(database)
    campaign = documents.get(CAMPAIGN, CAMPAIGN)
    rows = [row for row in database.rows(_CONTENTS) if is_npc(row[0])]
    times = [time for _, count, *ends in rows if count for time in ends]
    return {
        "schema_version": schema_version,
        "npcs": len(rows),
        "memories": sum(count for _, count, _, _ in rows),
        "oldest": min(times, default=0.0),
        "newest": max(times, default=0.0),
        "documents": documents.counts(),
        "campaign": {} if campaign is None else campaign.content,
    }

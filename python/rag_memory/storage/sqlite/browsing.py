"""Counts, lists and pictures of the memories there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_memory.memory.archived import Archived, ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import SEARCHED, Listing
from rag_memory.storage.sqlite.archive import ARCHIVED_COLUMNS, holds_no_longer
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.storage.sqlite.filter_sql import condition_sql, sql_of
from rag_memory.storage.sqlite.overview import npc_overview
from rag_memory.storage.sqlite.timeline import timeline
from rag_memory.storage.timeline import Span
from rag_memory.text.index_terms import WORD, entry
from rag_memory.text.terms import terms
from rag_memory.validation import to_json
from rag_memory.vectors import Keys


class Browsing(Connected):
    """See storage.protocol.Browsing."""

    def count(self, npc: int | None = None) -> int:
        """The number of memories of one NPC, or of all."""
        sql = "SELECT count(*) FROM memories"
        row = self._row(sql, ()) if npc is None else self._row(f"{sql} WHERE npc = ?", (npc,))
        return 0 if row is None else int(row[0])

    def statistics(self, npc: int) -> dict[str, Any]:
        """Counts and means over the NPC's memories, by the names that get_memory_stats() gives them."""
        row = self._row(
            "SELECT count(*), coalesce(avg(importance), 0.0), coalesce(min(timestamp), 0.0), "
            "coalesce(max(timestamp), 0.0), coalesce(sum(is_milestone), 0), "
            "coalesce(sum(superseded_by <> ''), 0) FROM memories WHERE npc = ?",
            (npc,),
        )
        assert row is not None
        names = ("total", "average_importance", "oldest", "newest", "milestones", "superseded")
        return dict(zip(names, row, strict=True))

    def counts_by(self, npc: int, field: str) -> dict[Any, int]:
        """How many memories the NPC has of each value of a Record's field."""
        assert field in Record._fields
        rows = self._rows(
            f"SELECT {field}, count(*) FROM memories WHERE npc = ? GROUP BY {field} ORDER BY {field}",
            (npc,),
        )
        return {row[0]: int(row[1]) for row in rows}

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        """The NPC's memories that meet a condition on any field but npc_id; ascending."""
        sql, values = condition_sql(condition)
        return self._keys(
            f"SELECT rowid FROM memories WHERE npc = ? AND ({sql}) ORDER BY rowid", [npc, *values]
        )

    def listed(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        """The keys of a list's memories, or their numbers in the archive, in the order of the list."""
        return self._keys(*_select(npc, npc_id, listing))

    def archived_with(self, numbers: Sequence[int]) -> list[ArchivedRecord]:
        """What the archive holds under these numbers, in the order asked for."""
        rows = self._rows(
            f"SELECT archive, archived_at, archived_reason, archived_by, {ARCHIVED_COLUMNS} "
            "FROM archived_memories WHERE archive IN (SELECT value FROM json_each(?))",
            (to_json(list(numbers)),),
        )
        by_number = {
            row[0]: ArchivedRecord(row[0], Archived._make(row[1:4]), Record._make(row[4:])) for row in rows
        }
        return [by_number[number] for number in numbers]

    def archived_numbers(self, npc: int, id: str) -> list[int]:
        """Under which numbers the archive holds versions of a memory, newest first."""
        sql = "SELECT archive FROM archived_memories WHERE npc = ? AND id = ? ORDER BY archive DESC"
        return [int(row[0]) for row in self._rows(sql, (npc, id))]

    def timeline(self, npc: int | None, span: Span) -> dict[str, Any]:
        """The NPC's life to be drawn; see Tools.get_timeline()."""
        with self._reading() as connection:
            return timeline(connection, npc, span)

    def npc_overview(self) -> list[dict[str, Any]]:
        """What the save holds of each NPC, in numbers."""
        with self._reading() as connection:
            return npc_overview(connection)

    def _keys(self, sql: str, values: Sequence[Any]) -> Keys:
        rows = self._rows(sql, values)
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def _select(npc: int, npc_id: str, listing: Listing) -> tuple[str, list[Any]]:
    """The statement that lists rowids, or the archive's numbers; every value is bound."""
    conditions, values = sql_of(listing.conditions, npc_id)
    clauses = ["npc = ?", *conditions]
    bound: list[Any] = [npc, *values]
    if listing.is_archive:
        clauses.append(holds_no_longer("memories"))
    if listing.words and listing.is_archive:
        # The archive has no full-text index: it is small, and seldom searched.
        for word in listing.words:
            clauses.append("(" + " OR ".join(f"{name} LIKE ? ESCAPE '\\'" for name in SEARCHED) + ")")
            bound += [_pattern(word)] * len(SEARCHED)
    elif listing.words:
        clauses.append("rowid IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)")
        bound.append(_match(npc, listing.words))
    number = "archive" if listing.is_archive else "rowid"
    # The conditions name the columns as those of `memories`.
    table = "archived_memories AS memories" if listing.is_archive else "memories"
    column = "document_full" if listing.sort == "text" else listing.sort
    way = "DESC" if listing.is_descending else "ASC"
    sql = (
        f"SELECT {number} FROM {table} WHERE {' AND '.join(clauses)} ORDER BY {column} {way}, {number} {way}"
    )
    return sql, bound


def _match(npc: int, words: tuple[str, ...]) -> str:
    """Every word has to occur, in another form too; each may be the beginning of a longer one."""
    return " AND ".join(f'"{entry(npc, WORD, term)}"*' for word in words for term in terms(word))


def _pattern(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"

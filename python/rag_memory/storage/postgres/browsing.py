"""Counts, lists and pictures of the memories there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rag_memory.memory.archived import ArchivedRecord
from rag_memory.memory.record import Record
from rag_memory.storage.comparison import COMPARED, ComparedRow
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import SEARCHED, Listing
from rag_memory.storage.postgres.archive import ARCHIVED, archived_of, holds_no_longer
from rag_memory.storage.postgres.filter_sql import Conditions
from rag_memory.storage.postgres.timeline import Timeline
from rag_memory.text.index_terms import WORD
from rag_memory.text.terms import terms
from rag_memory.vectors import Keys

_ROWS_AT_ONCE = 1000
_OF_NPC = "save = %(save)s AND npc = %(npc)s"
_LOWER = str.maketrans({code: code + 32 for code in range(ord("A"), ord("Z") + 1)})
_OVERVIEW = (
    "npc_id",
    "total",
    "pinned",
    "important",
    "regular",
    "superseded",
    "archived",
    "oldest",
    "newest",
)


class Browsing(Timeline):
    """See storage.protocol.Browsing."""

    def count(self, npc: int | None = None) -> int:
        of_npc = "" if npc is None else " AND npc = %(npc)s"
        return self._number(f"SELECT count(*) FROM memories WHERE save = %(save)s{of_npc}", npc=npc)

    def statistics(self, npc: int) -> dict[str, Any]:
        row = self._row(
            "SELECT count(*), coalesce(sum(importance)::double precision / count(*), 0), "
            "coalesce(min(timestamp), 0), coalesce(max(timestamp), 0), "
            "coalesce(sum(is_milestone), 0)::bigint, count(*) FILTER (WHERE superseded_by <> '') "
            f"FROM (SELECT * FROM memories WHERE {_OF_NPC}) AS hers HAVING count(*) > 0",
            npc=npc,
        )
        names = ("total", "average_importance", "oldest", "newest", "milestones", "superseded")
        return dict(zip(names, row or (0, 0.0, 0.0, 0.0, 0, 0), strict=True))

    def counts_by(self, npc: int, field: str) -> dict[Any, int]:
        assert field in Record._fields
        rows = self._rows(
            f"SELECT {field}, count(*) FROM memories WHERE {_OF_NPC} GROUP BY {field} ORDER BY {field}",
            npc=npc,
        )
        return {value: int(count) for value, count in rows}

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        found = Conditions()
        found.add(condition)
        return self._keys(
            f"SELECT memory FROM memories WHERE {_OF_NPC} AND {found.clauses[0]} ORDER BY memory",
            npc=npc,
            **found.values,
        )

    def listed(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        found = Conditions()
        found.add_all(listing.conditions, npc_id)
        if listing.is_archive:
            found.clauses.append(holds_no_longer("memories"))
            for word in listing.words:
                # Lower case of ASCII only, as the columns' collation has it.
                place = found.bind(word.translate(_LOWER))
                found.clauses.append(
                    f"({' OR '.join(f'strpos(lower({name}), {place}) > 0' for name in SEARCHED)})"
                )
        else:
            for term in (WORD + term for word in listing.words for term in terms(word)):
                place = found.bind(term)
                found.clauses.append(
                    f"EXISTS (SELECT 1 FROM unnest(terms) AS term WHERE starts_with(term, {place}))"
                )
        number = "archive" if listing.is_archive else "memory"
        # The conditions name the columns as those of `memories`.
        table = "archived_memories AS memories" if listing.is_archive else "memories"
        column = "document_full" if listing.sort == "text" else listing.sort
        way = "DESC" if listing.is_descending else "ASC"
        return self._keys(
            f"SELECT {number} FROM {table} WHERE {' AND '.join((_OF_NPC, *found.clauses))} "
            f"ORDER BY {column} {way}, {number} {way}",
            npc=npc,
            **found.values,
        )

    def archived_with(self, numbers: Sequence[int]) -> list[ArchivedRecord]:
        rows = self._rows(
            f"SELECT {ARCHIVED} FROM archived_memories "
            "WHERE save = %(save)s AND archive = ANY(%(numbers)s::bigint[])",
            numbers=list(numbers),
        )
        by_number = {row[0]: archived_of(row) for row in rows}
        return [by_number[number] for number in numbers]

    def archived_numbers(self, npc: int, id: str) -> list[int]:
        rows = self._rows(
            f"SELECT archive FROM archived_memories WHERE {_OF_NPC} AND id = %(id)s ORDER BY archive DESC",
            npc=npc,
            id=id,
        )
        return [int(row[0]) for row in rows]

    def npc_overview(self) -> list[dict[str, Any]]:
        rows = self._rows(
            "SELECT npc_id, count(m.memory), count(*) FILTER (WHERE memory_tier = 0), "
            "count(*) FILTER (WHERE memory_tier = 1), count(*) FILTER (WHERE memory_tier = 2), "
            "count(*) FILTER (WHERE superseded_by <> ''), "
            "(SELECT count(*) FROM archived_memories a WHERE a.save = %(save)s AND a.npc = n.npc "
            f"AND {holds_no_longer('a')}), "
            "coalesce(min(timestamp), 0), coalesce(max(timestamp), 0) "
            "FROM npcs n LEFT JOIN (SELECT * FROM memories WHERE save = %(save)s) AS m ON m.npc = n.npc "
            "WHERE n.save = %(save)s GROUP BY n.npc, n.npc_id ORDER BY lower(npc_id), npc_id"
        )
        return [dict(zip(_OVERVIEW, row, strict=True)) for row in rows]

    def compared_rows(self) -> Iterator[ComparedRow]:
        fields = ", ".join(COMPARED)
        npcs = self._rows("SELECT npc_id, npc FROM npcs WHERE save = %(save)s ORDER BY npc_id")
        for npc_id, npc in npcs:
            last = ""
            while rows := self._rows(
                f"SELECT {fields} FROM memories WHERE {_OF_NPC} AND id > %(last)s "
                "ORDER BY id LIMIT %(count)s",
                npc=npc,
                last=last,
                count=_ROWS_AT_ONCE,
            ):
                yield from ((npc_id, *row) for row in rows)
                last = rows[-1][COMPARED.index("id")]

    def _keys(self, sql: str, **values: Any) -> Keys:
        rows = self._rows(sql, **values)
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

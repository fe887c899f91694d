"""Lists of memories by conditions and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rag_memory.storage.comparison import COMPARED, ComparedRow
from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import SEARCHED, Listing
from rag_memory.storage.sql.archive_columns import holds_no_longer
from rag_memory.text.terms import WORD, terms
from rag_memory.vectors import Keys
from rag_memory_server.postgres.connected import Connected
from rag_memory_server.postgres.filter_sql import Conditions
from rag_memory_server.postgres.translation import translated

_ROWS_AT_ONCE = 1000
_OF_NPC = "save = %(save)s AND npc = %(npc)s"
_LOWER = str.maketrans({code: code + 32 for code in range(ord("A"), ord("Z") + 1)})


class Lists(Connected):
    """See storage.protocol.Lists."""

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
            found.clauses.append(translated(holds_no_longer("memories")))
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

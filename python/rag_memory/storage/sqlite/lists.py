"""Lists of memories by conditions and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rag_memory.storage.filter import Condition
from rag_memory.storage.listing import SEARCHED, Listing
from rag_memory.storage.sql.archive_columns import holds_no_longer
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.storage.sqlite.filter_sql import condition_sql, sql_of
from rag_memory.storage.sqlite.statements import translated
from rag_memory.text.terms import WORD, entry, terms
from rag_memory.vectors import Keys


class Lists(Connected):
    """See storage.protocol.Lists."""

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        """The NPC's memories that meet a condition on any field but npc_id; ascending."""
        sql, values = condition_sql(condition)
        return self._keys(
            f"SELECT rowid FROM memories WHERE npc = ? AND ({sql}) ORDER BY rowid", [npc, *values]
        )

    def listed(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        """The keys of a list's memories, or their numbers in the archive, in the order of the list."""
        return self._keys(*_select(npc, npc_id, listing))

    def _keys(self, sql: str, values: Sequence[Any]) -> Keys:
        rows = self._rows(sql, values)
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def _select(npc: int, npc_id: str, listing: Listing) -> tuple[str, list[Any]]:
    """The statement that lists rowids, or the archive's numbers; every value is bound."""
    conditions, values = sql_of(listing.conditions, npc_id)
    clauses = ["npc = ?", *conditions]
    bound: list[Any] = [npc, *values]
    if listing.is_archive:
        clauses.append(translated(holds_no_longer("memories"))[0])
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

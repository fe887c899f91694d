"""Looking up terms: each memory's are an array beside it, read by NPC."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from rag_memory.memory.record import Record
from rag_memory.step import Step
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.vectors import Keys
from rag_memory_server.postgres.connected import Connected
from rag_memory_server.postgres.record_writing import values_of

_DERIVED_AT_ONCE = 100


class TermIndex(Connected):
    """See storage.protocol.Terms."""

    def rebuild_terms_steps(self) -> Generator[Step, None, None]:
        for table, key in (("memories", "memory"), ("archived_memories", "archive")):
            total = self._number(f"SELECT count(*) FROM {table} WHERE save = %(save)s")
            done = last = 0
            while page := self._derive(table, key, last):
                done, last = done + len(page), page[-1]
                yield Step(min(done, total), total, "indexing words")

    def keys_with_term(self, npc: int, kind: str, term: str) -> Keys:
        rows = self._rows(
            "SELECT memory FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND %(term)s = ANY(terms) ORDER BY memory",
            npc=npc,
            term=kind + term,
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def terms_of_kind(self, npc: int, kind: str) -> list[str]:
        rows = self._rows(
            "SELECT DISTINCT term FROM memories, unnest(terms) AS term "
            "WHERE save = %(save)s AND npc = %(npc)s AND starts_with(term, %(kind)s) ORDER BY term",
            npc=npc,
            kind=kind,
        )
        return [term.removeprefix(kind) for (term,) in rows]

    def index_terms(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        rows = self._rows(
            "SELECT terms FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND memory = ANY(%(keys)s::bigint[]) ORDER BY memory",
            npc=npc,
            keys=list(keys),
        )
        return [row[0] for row in rows]

    def _derive(self, table: str, key: str, after: int) -> list[int]:
        """Make the columns that follow from the text anew, of the next rows after a number; their numbers."""
        with self.transaction():
            rows = self._rows(
                f"SELECT {key}, {COLUMNS} FROM {table} WHERE save = %(save)s "
                f"AND {key} > %(after)s ORDER BY {key} LIMIT %(count)s",
                after=after,
                count=_DERIVED_AT_ONCE,
            )
            derived = [(row[0], values_of(Record._make(row[1:]))) for row in rows]
            self._write_many(
                f"UPDATE {table} SET terms = %(terms)s, digest = %(digest)s "
                f"WHERE save = %(save)s AND {key} = %(number)s",
                [{"number": number, **values} for number, values in derived],
            )
        return [number for number, _ in derived]

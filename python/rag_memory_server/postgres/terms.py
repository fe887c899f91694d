"""Looking up terms: each memory's are an array beside it, read by NPC."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np

from rag_memory.memory.record import Record
from rag_memory.step import Step
from rag_memory.storage.sql.records import COLUMNS
from rag_memory.vectors import Keys
from rag_memory_server.postgres.open_save import OpenSave

_DERIVED_AT_ONCE = 100


class Terms:
    """See storage.protocol.Terms."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save

    def rebuild_steps(self) -> Generator[Step, None, None]:
        for table, key in (("memories", "memory"), ("archived_memories", "archive")):
            total = self._save.number(f"SELECT count(*) FROM {table} WHERE save = %(save)s")
            done = last = 0
            while page := self._derive(table, key, last):
                done, last = done + len(page), page[-1]
                yield Step(min(done, total), total, "indexing words")

    def keys_with(self, npc: int, kind: str, term: str) -> Keys:
        rows = self._save.rows(
            "SELECT memory FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND %(term)s = ANY(terms) ORDER BY memory",
            npc=npc,
            term=kind + term,
        )
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

    def of_kind(self, npc: int, kind: str) -> list[str]:
        rows = self._save.rows(
            "SELECT DISTINCT term FROM memories, unnest(terms) AS term "
            "WHERE save = %(save)s AND npc = %(npc)s AND starts_with(term, %(kind)s) ORDER BY term",
            npc=npc,
            kind=kind,
        )
        return [term.removeprefix(kind) for (term,) in rows]

    def of(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        rows = self._save.rows(
            "SELECT terms FROM memories WHERE save = %(save)s AND npc = %(npc)s "
            "AND memory = ANY(%(keys)s::bigint[]) ORDER BY memory",
            npc=npc,
            keys=list(keys),
        )
        return [row[0] for row in rows]

    def _derive(self, table: str, key: str, after: int) -> list[int]:
        """Make the columns that follow from the text anew, of the next rows after a number; their numbers."""
        with self._save.transaction():
            rows = self._save.rows(
                f"SELECT {key}, {COLUMNS} FROM {table} WHERE save = %(save)s "
                f"AND {key} > %(after)s ORDER BY {key} LIMIT %(count)s",
                after=after,
                count=_DERIVED_AT_ONCE,
            )
            statement = (
                f"UPDATE {table} SET terms = %(terms)s, digest = %(digest)s "
                f"WHERE save = %(save)s AND {key} = %(number)s"
            )
            for number, *record in rows:
                self._save.write(statement, number=number, **self._save.derived(0, Record._make(record)))
        return [int(row[0]) for row in rows]

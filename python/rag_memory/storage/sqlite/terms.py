"""Looking up terms in the keyword index, which is SQLite's FTS5."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence

import numpy as np

from rag_memory.step import Step
from rag_memory.storage.sqlite.derived import derive
from rag_memory.storage.sqlite.open_save import OpenSave
from rag_memory.text.terms import entered_terms, entry
from rag_memory.vectors import Keys

_DERIVED_AT_ONCE = 100
_LAST = chr(sys.maxunicode)
"""Behind every character that a term can have."""


class Terms:
    """See storage.protocol.Terms."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._database = save.statements

    def rebuild_steps(self) -> Generator[Step, None, None]:
        """Make the keyword index anew, and the columns that follow from the texts, in slices."""
        with self._save.transaction():
            # First of all: what is written next changes entries that have to be there.
            self._database.write("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
        for table in ("memories", "archived_memories"):
            last = self._database.number(f"SELECT max(rowid) FROM {table}")
            for first in range(1, last + 1, _DERIVED_AT_ONCE):
                with self._save.transaction():
                    derive(self._save.connection, table, (first, first + _DERIVED_AT_ONCE - 1))
                yield Step(min(first + _DERIVED_AT_ONCE, last), last, "indexing words")

    def keys_with(self, npc: int, kind: str, term: str) -> Keys:
        """The NPC's memories that have a term; ascending."""
        # As one text: a quarter of the time of a row for each of thousands.
        ((text,),) = self._database.rows(
            "SELECT group_concat(rowid) FROM memories_fts WHERE memories_fts MATCH :match",
            match=f'"{entry(npc, kind, term)}"',
        )
        return np.sort(np.fromstring(text or "", dtype=np.int64, sep=","))

    def of_kind(self, npc: int, kind: str) -> list[str]:
        """Every term of a kind that the NPC's memories have."""
        self._database.rows(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.keyword_terms USING fts5vocab (main, memories_fts, row)"
        )
        first = entry(npc, kind, "")
        rows = self._database.rows(
            "SELECT term FROM temp.keyword_terms WHERE term >= :first AND term <= :last",
            first=first,
            last=first + _LAST,
        )
        return [term.removeprefix(first) for (term,) in rows]

    def of(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        """Kinds and terms of these memories of the NPC, in ascending order of key."""
        rows = self._database.rows(
            "SELECT keywords FROM memories WHERE memory $in(keys) ORDER BY memory", keys=list(keys)
        )
        return [entered_terms(npc, row[0]) for row in rows]

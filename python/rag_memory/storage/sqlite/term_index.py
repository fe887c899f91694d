"""Looking up terms in the keyword index, which is SQLite's FTS5."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence

import numpy as np

from rag_memory.step import Step
from rag_memory.storage.sqlite.connected import Connected
from rag_memory.storage.sqlite.derived import derive
from rag_memory.text.terms import entered_terms, entry
from rag_memory.validation import to_json
from rag_memory.vectors import Keys

_DERIVED_AT_ONCE = 100
_LAST = chr(sys.maxunicode)
"""Behind every character that a term can have."""


class TermIndex(Connected):
    """See storage.protocol.Terms."""

    def rebuild_terms_steps(self) -> Generator[Step, None, None]:
        """Make the keyword index anew, and the columns that follow from the texts, in slices."""
        with self.transaction():
            # First of all: what is written next changes entries that have to be there.
            self._write("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')", ())
        for table in ("memories", "archived_memories"):
            ((last,),) = self._rows(f"SELECT coalesce(max(rowid), 0) FROM {table}", ())
            for first in range(1, last + 1, _DERIVED_AT_ONCE):
                with self.transaction():
                    derive(self._connection, table, (first, first + _DERIVED_AT_ONCE - 1))
                yield Step(min(first + _DERIVED_AT_ONCE, last), last, "indexing words")

    def keys_with_term(self, npc: int, kind: str, term: str) -> Keys:
        """The rowids of the NPC's memories that the keyword index has under a term; ascending."""
        # As one text: a quarter of the time of a row for each of thousands.
        ((text,),) = self._rows(
            "SELECT group_concat(rowid) FROM memories_fts WHERE memories_fts MATCH ?",
            (f'"{entry(npc, kind, term)}"',),
        )
        return np.sort(np.fromstring(text or "", dtype=np.int64, sep=","))

    def terms_of_kind(self, npc: int, kind: str) -> list[str]:
        """Every term of a kind that the keyword index has of the NPC's memories."""
        self._rows(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.keyword_terms USING fts5vocab (main, memories_fts, row)",
            (),
        )
        first = entry(npc, kind, "")
        rows = self._rows(
            "SELECT term FROM temp.keyword_terms WHERE term >= ? AND term <= ?", (first, first + _LAST)
        )
        return [term.removeprefix(first) for (term,) in rows]

    def index_terms(self, npc: int, keys: Sequence[int]) -> list[list[str]]:
        """What the keyword index has of these memories of the NPC: kinds and terms, in ascending order of
        rowid.
        """
        rows = self._rows(
            "SELECT keywords FROM memories WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY rowid",
            (to_json(list(keys)),),
        )
        return [entered_terms(npc, row[0]) for row in rows]

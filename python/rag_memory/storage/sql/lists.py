"""Lists of memories by conditions and words."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from rag_memory.storage.filter import Condition, meets
from rag_memory.storage.listing import Listing
from rag_memory.storage.sql.archive import holds_no_longer
from rag_memory.storage.sql.database import Database
from rag_memory.vectors import Keys


class Values:
    """The values of a statement. Every value is bound."""

    def __init__(self, **named: Any) -> None:
        self.by_name = named

    def bind(self, value: Any) -> str:
        """The place of a value in the statement."""
        name = f"value_{len(self.by_name)}"
        self.by_name[name] = value
        return f":{name}"


class Clauses(Protocol):
    """The clauses on the table `memories` in which databases differ."""

    def condition(self, condition: Condition, values: Values) -> str:
        """A condition on any field but npc_id."""

    def words(self, npc: int, words: tuple[str, ...], values: Values) -> list[str]:
        """The clauses of memories that have all words, each in any of its forms or as the beginning of a
        longer one.
        """

    def archived_word(self, word: str, values: Values) -> str:
        """The clause of archived memories that have the letters of a word anywhere."""


class Lists:
    """Lists of memories, and of what the archive holds of them."""

    def __init__(self, database: Database, clauses: Clauses) -> None:
        self._database = database
        self._clauses = clauses

    def keys_where(self, npc: int, condition: Condition) -> Keys:
        """The NPC's memories that meet a condition on any field but npc_id; ascending."""
        values = Values(npc=npc)
        clause = self._clauses.condition(condition, values)
        statement = f"SELECT memory FROM $memories WHERE npc = :npc AND ({clause}) ORDER BY memory"
        return self._keys(statement, values)

    def find(self, npc: int, npc_id: str, listing: Listing) -> Keys:
        """The keys of a list's memories, or their numbers in the archive, in the order of the list."""
        values = Values(npc=npc)
        clauses = ["npc = :npc"]
        for condition in listing.conditions:
            if condition.field == "npc_id":
                clauses.append("TRUE" if meets(condition, npc_id) else "FALSE")
            else:
                clauses.append(f"({self._clauses.condition(condition, values)})")
        if listing.is_archive:
            clauses.append(holds_no_longer("memories"))
            clauses += [self._clauses.archived_word(word, values) for word in listing.words]
        elif listing.words:
            clauses += self._clauses.words(npc, listing.words, values)
        number = "archive" if listing.is_archive else "memory"
        # The conditions name the columns as those of `memories`.
        table = "$archived_memories AS memories" if listing.is_archive else "$memories"
        column = "document_full" if listing.sort == "text" else listing.sort
        way = "DESC" if listing.is_descending else "ASC"
        return self._keys(
            f"SELECT {number} FROM {table} WHERE {' AND '.join(clauses)} "
            f"ORDER BY {column} {way}, {number} {way}",
            values,
        )

    def _keys(self, statement: str, values: Values) -> Keys:
        rows = self._database.rows(statement, **values.by_name)
        return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))

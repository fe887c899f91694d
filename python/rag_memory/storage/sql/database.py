"""The interface that shared statements run on, and the places where the dialects of SQL differ.

A shared statement has named values, like `:npc`, and these marks:

    FROM $memories                      a table; on a server, its rows of the open save
    WHERE $own AND ...                  the condition that a row to write belongs to the open save
    key $in(keys), id $in_texts(ids)    membership in a list of numbers, or of texts
    $least(a, b)                        the smaller of two numbers
    $whole(x)                           a number without its fraction
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

Row = tuple[Any, ...]


class Database(Protocol):
    """One open save of a database. Every method raises a StoreError when the database fails."""

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """All rows that a statement finds."""

    def row(self, statement: str, **values: Any) -> Row | None:
        """The first row that a statement finds."""

    def number(self, statement: str, **values: Any) -> int:
        """The number that a statement finds; 0 for nothing."""

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        """The rows of a statement, read one after the other. Nothing may be written meanwhile."""

    def write(self, statement: str, **values: Any) -> None:
        """Run a statement that changes rows. Inside a transaction. `npc`: the NPC who they belong to."""

    def count_written(self, statement: str, **values: Any) -> int:
        """write(), and return the number of rows that were changed."""

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        """Add a row with a new key, and return the key. Inside a transaction."""

    def change_world(self) -> None:
        """Note that the transaction changes what other processes read of the world."""

    def suspect(self) -> None:
        """Note that stored values do not fit together, for whoever opens the save next."""

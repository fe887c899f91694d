"""The interface that shared statements run on, and the places where the dialects of SQL differ.

A shared statement has named values, like `:npc`, and these marks:

    FROM $memories                      a table; on a server, its rows of the open save
    WHERE $own AND ...                  the condition that a row to write belongs to the open save
    key $in(keys), id $in_texts(ids)    membership in a list of numbers, or of texts
    $least(a, b)                        the smaller of two numbers
    $whole(x)                           a number without its fraction
    INSERT INTO t ($row, a) SELECT $new, ...   a new row: the order of its write, or the save it belongs to
    $next(archive)                      the next key of a kind
    ($owner memory, model)              the same for vectors, whose rows have no order
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rag_memory.memory.record import Record
from rag_memory.vectors import FloatVector

Row = tuple[Any, ...]


class Database(Protocol):
    """One open save of a database. Every method raises a StoreError when the database fails."""

    exchange_id: str
    """The exchange that the open transaction belongs to, "" for none; new rows get it."""

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """All rows that a statement finds."""

    def row(self, statement: str, **values: Any) -> Row | None:
        """The first row that a statement finds."""

    def number(self, statement: str, **values: Any) -> int:
        """The number that a statement finds; 0 for nothing."""

    def rows_with(self, statement: str, keys: Sequence[int]) -> list[Row]:
        """All rows that a statement finds whose only value is a list of `keys`, of any length. They are in
        no order.
        """

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        """The rows of a statement, read one after the other. Nothing may be written meanwhile."""

    def write(self, statement: str, **values: Any) -> None:
        """Run a statement that changes rows. Inside a transaction. `npc`: the NPC that they belong to."""

    def count_written(self, statement: str, **values: Any) -> int:
        """write(), and return the number of rows that were changed."""

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        """Add a row and return its key: the one in `values`, else a new one. 0 when another process has
        added this row. Inside a transaction.
        """

    def new_key(self, key: str) -> int:
        """A key of a kind, such as `memory`, that no row has, had or will have. Inside a transaction."""

    def is_free(self, table: str, key: str, number: int) -> bool:
        """Return True if no row of the table has, or may be given, this key. Inside a transaction."""

    @property
    def derived_columns(self) -> tuple[str, ...]:
        """The columns of a memory that follow from its text."""

    def derived(self, npc: int, record: Record) -> dict[str, Any]:
        """The values of derived_columns. Nothing finds a memory that was archived without its text."""

    def stored_vector(self, vector: FloatVector | None) -> Any:
        """A vector as a value of a statement."""

    def read_vector(self, value: Any) -> FloatVector | None:
        """A vector as a statement has found it; None for none."""

    def touch(self, npc: int) -> None:
        """Note that the NPC's vectors have changed: a new revision. Inside a transaction."""

    def change_world(self) -> None:
        """Note that the transaction changes what other processes read of the world."""

    def suspect(self) -> None:
        """Note that stored values do not fit together, for whoever opens the save next."""

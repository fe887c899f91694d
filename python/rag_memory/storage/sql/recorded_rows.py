"""Rows as they were before and after the transactions of exchanges.

While a transaction is recorded, triggers copy each row before its first change (sqlite/exchange_schema.py).
The end of the transaction copies the same rows as they are then. Both copies lie among the earlier rows,
under a negative label instead of a mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

KEYS = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}
PLACES = {**KEYS, "vectors": "memory", "accesses": "memory"}
"""Where rows are copied from, and their keys. `accesses` are the last accesses of memories."""

Values = Mapping[str, Any]
"""The columns of a row, by name."""


class RecordedRows(Protocol):
    """Rows as they were before and after the recorded transactions of a database."""

    def begin(self) -> None:
        """Record what the open transaction changes from now on."""

    def end(self) -> None:
        """Copy the changed rows as they are now, and record nothing more."""

    def copies(self, place: str, label: int) -> dict[int, Values]:
        """The copies under a label, by key."""

    def later_copies(self, place: str, key: int, label: int) -> list[tuple[int, Values]]:
        """The labels and copies of a row from later recorded transactions, in their order."""

    def put_copy(self, place: str, key: int, label: int, values: Values) -> None:
        """Replace a copy."""

    def relabel(self, place: str, key: int, label: int, new_label: int) -> None:
        """Move the copy of a row under another label."""

    def delete_copies(self, labels: Sequence[int]) -> None:
        """Delete all copies under these labels."""

    def keys_copied_of(self, table: str, exchange_id: str, orders: Sequence[int]) -> list[int]:
        """The keys of rows that recorded transactions have copied, and that have the id of an exchange or
        were added by one of its transactions.
        """

    def delete_copies_of(self, place: str, key: int, but: Sequence[int]) -> None:
        """Delete the copies of a row under negative labels, except under these."""

    def current(self, place: str, key: int) -> Values | None:
        """A row as it is; None when there is none."""

    def put(self, place: str, key: int, values: Values) -> None:
        """Add a row, or replace the one with its key."""

    def copy_at_last_mark(self, place: str, key: int) -> Values | None:
        """A row as it was at the save's last mark, if it was changed since."""

    def delete_copy_at_last_mark(self, place: str, key: int) -> None:
        """Delete what copy_at_last_mark() returns."""


def before(write_order: int) -> int:
    """The label of rows as they were before a recorded transaction."""
    return -2 * write_order


def after(write_order: int) -> int:
    """The label of rows as they were after it."""
    return -2 * write_order - 1

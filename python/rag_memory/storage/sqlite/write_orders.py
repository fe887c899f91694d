"""The order number of each write: it grows with every transaction of a save, and is never given twice."""

from __future__ import annotations

import sqlite3

_RESERVED_AT_ONCE = 1000
"""So many numbers are reserved in the file with one write. A killed process skips those it has not used."""


class WriteOrders:
    """The order numbers of one open database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.current = 0
        """The number of the open transaction, or of the last one."""
        self._reserved = 0
        self.reload()

    def begin(self) -> None:
        """Give the transaction that has begun its number."""
        self.current += 1
        if self.current > self._reserved:
            self._reserved = self.current + _RESERVED_AT_ONCE
            self._connection.execute("UPDATE write_orders SET reserved = ?", (self._reserved,))

    def undo(self) -> None:
        """Reserve numbers anew, because the transaction that reserved these may have been undone."""
        self._reserved = 0

    def reload(self) -> None:
        """Continue after the numbers of the file, which may be another one now."""
        (self._reserved,) = self._connection.execute("SELECT reserved FROM write_orders").fetchone()
        self.current = self._reserved

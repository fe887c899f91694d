"""The order number of each write: it grows with every transaction of a save, and is never given twice."""

from __future__ import annotations

import sqlite3

from rag_memory.storage.sqlite.sqlite_failure import damage

_RESERVED_AT_ONCE = 1000
"""So many numbers are reserved in the file with one write. A killed process skips those it has not used."""

_MOST_ORDERS = 1 << 62
"""No save has so many writes; the rest is room to count on."""
_HIGHEST_ORDERS = {
    "marks": "mark",
    "npcs": "write_order",
    "memories": "write_order",
    "archived_memories": "write_order",
    "interactions": "write_order",
    "documents": "write_order",
}


def check_orders(connection: sqlite3.Connection, is_large: bool = False) -> None:
    """Raise the DatabaseError of a save whose order numbers contradict each other. One from before marks has
    none. Of a large save, not all rows are read.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'write_orders'").fetchone():
        return
    rows = connection.execute("SELECT reserved, marked FROM write_orders LIMIT 2").fetchall()
    if len(rows) != 1 or not all(isinstance(number, int) for number in rows[0]):
        raise damage("its table write_orders is not one row with two numbers")
    reserved, marked = rows[0]
    if not 0 <= reserved < _MOST_ORDERS or not -1 <= marked <= reserved:
        raise damage("its table write_orders holds numbers that no write had")
    for table, column in list(_HIGHEST_ORDERS.items())[: 1 if is_large else None]:
        (highest,) = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
        if highest is not None and not (isinstance(highest, int) and highest <= reserved):
            raise damage(f"its table {table} holds a {column} that was never given")


class WriteOrders:
    """The order numbers of one open database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.current = 0
        """The number of the open transaction, or of the last one."""
        self._reserved = 0
        self.reload()

    def use(self, connection: sqlite3.Connection) -> None:
        """Count on with another connection to the same database."""
        self._connection = connection

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

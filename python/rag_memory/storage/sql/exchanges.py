"""The exchanges of a save that can be undone: each may consist of several transactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rag_memory.errors import InvalidArgumentError
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.recorded_rows import RecordedRows, after, before
from rag_memory.storage.sql.records import Records
from rag_memory.storage.sql.undoing import Undoing, Undone

MOST_UNDOABLE = 20
"""So many of the last exchanges of an NPC can be undone."""

_ADD = (
    "INSERT INTO exchange_writes ($row, exchange_id, npc_id, timestamp) "
    "SELECT $new, :exchange_id, :npc_id, :timestamp"
)
_ORDERS = (
    "SELECT write_order FROM $exchange_writes "
    "WHERE exchange_id = :exchange_id AND npc_id <> '' "
    "ORDER BY write_order DESC"
)
_LAST = (
    "SELECT exchange_id, min(timestamp), min(write_order) FROM $exchange_writes WHERE npc_id = :npc_id "
    "GROUP BY exchange_id ORDER BY min(write_order) DESC"
)
_AFTER = (
    "SELECT write_order FROM $exchange_writes "
    "WHERE npc_id <> '' AND (write_order > :number OR timestamp > :timestamp)"
)
_OF_NPC = "SELECT write_order FROM $exchange_writes WHERE npc_id = :npc_id"
# An undo of an exchange that others came after is one without an NPC: the last of them.
_HAS_LATER = "SELECT 1 FROM $exchange_writes WHERE npc_id <> '' AND write_order > :last"
_FORGET_UNDO = "DELETE FROM exchange_writes WHERE $own AND npc_id = ''"
_IS_UNDONE_AFTER = "SELECT 1 FROM $exchange_writes WHERE npc_id = '' AND write_order > :number"
_ALL = "SELECT write_order FROM $exchange_writes"
_END = "DELETE FROM exchange_writes WHERE $own AND write_order $in(orders)"
_MEMORY_IDS = (
    "SELECT id FROM $memories WHERE exchange_id = :exchange_id AND exchange_id <> '' AND npc = :npc "
    "ORDER BY memory"
)


class ExchangeWrite(NamedTuple):
    """An exchange that can be undone: its id, the game time of its first write, its first write's number."""

    exchange_id: str
    timestamp: float
    write_order: int


class Exchanges:
    """The exchanges of a save that can be undone."""

    def __init__(self, database: Database, records: Records, rows: RecordedRows) -> None:
        self._database = database
        self._records = records
        self._rows = rows

    @property
    def current(self) -> str:
        """The id of the exchange that the open transaction belongs to; "" for none."""
        return self._database.exchange_id

    def begin(self, exchange_id: str, npc_id: str, timestamp: float, is_late: bool = False) -> None:
        """Record the transaction that has just begun as a part of an exchange. Before it has added rows. One
        that comes late, when the exchange cannot be undone any more, is not recorded.
        """
        assert not self.current, "an exchange is written inside another"
        if not is_late or self.orders(exchange_id):
            self._database.write(_ADD, exchange_id=exchange_id, npc_id=npc_id, timestamp=timestamp)
            self._rows.begin()
        self._database.exchange_id = exchange_id

    def end(self, npc_id: str) -> None:
        """End the recorded part of the transaction. Exchanges before the last MOST_UNDOABLE of the NPC can no
        longer be undone.
        """
        self._rows.end()
        for exchange in self.last(npc_id)[MOST_UNDOABLE:]:
            self._forget(self.orders(exchange.exchange_id))
        self.leave()

    def leave(self) -> None:
        """Stop giving rows the id of an exchange: its transaction ends or has failed."""
        self._database.exchange_id = ""

    def last(self, npc_id: str) -> list[ExchangeWrite]:
        """The exchanges of an NPC that can be undone, the last one first."""
        return [ExchangeWrite._make(row) for row in self._database.rows(_LAST, npc_id=npc_id)]

    def memory_ids(self, exchange_id: str, npc: int) -> list[str]:
        """The ids of an NPC's memories that come from an exchange, in the order in which they were stored."""
        rows = self._database.rows(_MEMORY_IDS, exchange_id=exchange_id, npc=npc)
        return [str(id) for (id,) in rows]

    def orders(self, exchange_id: str) -> list[int]:
        """The order numbers of the transactions that an exchange wrote, the last one first."""
        return [int(order) for (order,) in self._database.rows(_ORDERS, exchange_id=exchange_id)]

    def forget_after(self, write_order: int, timestamp: float) -> None:
        """Forget the exchanges that wrote after an order number or a game time, because the save has gone
        back. Inside a transaction.
        """
        values = {"number": write_order, "timestamp": timestamp}
        self._forget([int(order) for (order,) in self._database.rows(_AFTER, **values)])

    def forget_before(self, mark: int) -> None:
        """Forget all exchanges if one before others was undone after a mark that the save goes back to: the
        undo has changed what is recorded of the others, and that does not go back. Inside a transaction.
        """
        if self._database.row(_IS_UNDONE_AFTER, number=mark):
            self._forget([int(order) for (order,) in self._database.rows(_ALL)])

    def forget_of(self, npc_id: str) -> None:
        """Forget the exchanges of an NPC: none can be undone any more. Inside a transaction."""
        self._forget([int(order) for (order,) in self._database.rows(_OF_NPC, npc_id=npc_id)])

    def forget_all(self) -> None:
        """Forget all exchanges: none can be undone any more. Inside a transaction."""
        self._forget([int(order) for (order,) in self._database.rows(_ALL)])

    def forget_copies(self, keys: Mapping[str, Iterable[int]]) -> None:
        """Bring these rows back by no undo. Inside a transaction.

        Args:
            keys: of rows, by table.
        """
        for table, forgotten in keys.items():
            for key in forgotten:
                self._rows.delete_copies_of(table, key, ())

    def undo(self, exchange_id: str) -> Undone:
        """Take back what an exchange has written. What others have changed since stays as they left it; in
        counts, the part of the exchange is subtracted. Inside a transaction.

        Raises:
            InvalidArgumentError: there is no such exchange, or it is too old.
        """
        orders = self.orders(exchange_id)
        if not orders:
            raise InvalidArgumentError(
                f"undo_exchange(): the exchange {exchange_id!r} cannot be undone",
                f"only the last {MOST_UNDOABLE} exchanges of an NPC can be, each of them once",
                "Pass an id that get_exchanges() returns",
            )
        self._records.forget_cached()
        undone = Undoing(self._database, self._records, self._rows, exchange_id, orders).run(self._forget)
        if self._database.row(_HAS_LATER, last=min(orders)):
            self._database.write(_FORGET_UNDO)
            self._database.write(_ADD, exchange_id="", npc_id="", timestamp=0.0)
        return undone

    def _forget(self, orders: Sequence[int]) -> None:
        if orders:
            self._rows.delete_copies([label(order) for order in orders for label in (before, after)])
            self._database.write(_END, orders=list(orders))

"""Undoing exchanges: which transactions an exchange wrote, and the rows as they were before and after each.

While a transaction is recorded, the first change of a row copies the row as it was, and so do triggers for
marks; see sqlite/exchange_schema.py. The end of the transaction copies the same rows as they are then. Both
copies lie among the earlier rows, under a negative label instead of a mark. Rows that an exchange adds have
its id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rag_memory.errors import InvalidArgumentError
from rag_memory.storage.sql.database import Database
from rag_memory.storage.sql.records import Records

MOST_UNDOABLE = 20
"""So many of the last exchanges of an NPC can be undone."""

KEYS = {
    "memories": "memory",
    "archived_memories": "archive",
    "interactions": "interaction",
    "documents": "document",
}
PLACES = {**KEYS, "vectors": "memory", "accesses": "memory"}
"""Where rows are copied from, and their keys. `accesses` are the last accesses of memories."""

_MEMORIES_OF = {"vectors": "memories", "accesses": "memories"}
_ADDED_UP = ("repeat_count", "occurrences")
"""Columns whose changes add up: one can be taken back although others came after it."""
_BY_ITSELF = ("last_accessed",)
"""Columns of memories that change apart from them."""
_DERIVED = ("keywords", "terms", "digest")
"""Columns of memories that follow from others."""

_ADD = (
    "INSERT INTO exchange_writes ($row, exchange_id, npc_id, timestamp) "
    "SELECT $new, :exchange_id, :npc_id, :timestamp"
)
_ORDERS = (
    "SELECT write_order FROM $exchange_writes WHERE exchange_id = :exchange_id ORDER BY write_order DESC"
)
_LAST = (
    "SELECT exchange_id, min(timestamp), max(write_order) FROM $exchange_writes WHERE npc_id = :npc_id "
    "GROUP BY exchange_id ORDER BY max(write_order) DESC"
)
_AFTER = "SELECT write_order FROM $exchange_writes WHERE write_order > :number OR timestamp > :timestamp"
_OF_NPC = "SELECT write_order FROM $exchange_writes WHERE npc_id = :npc_id"
_END = "DELETE FROM exchange_writes WHERE $own AND write_order $in(orders)"
_ADDED = {
    table: f"SELECT {key} FROM ${table} WHERE exchange_id = :exchange_id AND exchange_id <> ''"
    for table, key in KEYS.items()
}
_ADDED_TO_ARCHIVE = "SELECT archive FROM $archived_memories WHERE write_order $in(orders)"
_DELETE = {table: f"DELETE FROM {table} WHERE $own AND {key} $in(keys)" for table, key in KEYS.items()}
_HAS_ID = "SELECT memory FROM $memories WHERE npc = :npc AND id = :id"
# A later mark needs its NPCs.
_NEW_NPCS = (
    "SELECT npc FROM $npcs WHERE write_order $in(orders) "
    "AND NOT EXISTS (SELECT 1 FROM $marks AS later WHERE later.mark >= npcs.write_order)"
)
_HAS_ROWS = (
    "SELECT 1 FROM $memories WHERE npc = :npc UNION ALL SELECT 1 FROM $archived_memories WHERE npc = :npc "
    "UNION ALL SELECT 1 FROM $interactions WHERE npc = :npc"
)
_DELETE_NPC = "DELETE FROM npcs WHERE $own AND npc = :npc"

Values = Mapping[str, Any]
"""The columns of a row, by name."""


class ExchangeWrite(NamedTuple):
    """An exchange that can be undone: its id, the game time of its first write, its last write's number."""

    exchange_id: str
    timestamp: float
    write_order: int


class Undone(NamedTuple):
    """What undoing an exchange has changed."""

    removed: dict[str, dict[int, Values]]
    """The rows that it had added, by table and key."""
    restored: dict[str, dict[int, Values]]
    """The rows that it had changed or deleted, as they are again, by table and key."""
    npcs: frozenset[int]
    """The NPCs concerned."""


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

    def begin(self, exchange_id: str, npc_id: str, timestamp: float) -> None:
        """Record the transaction that has just begun as a part of an exchange. Before it has added rows."""
        assert not self.current, "an exchange is written inside another"
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

    def orders(self, exchange_id: str) -> list[int]:
        """The order numbers of the transactions that an exchange wrote, the last one first."""
        return [int(order) for (order,) in self._database.rows(_ORDERS, exchange_id=exchange_id)]

    def forget_after(self, write_order: int, timestamp: float) -> None:
        """Forget the exchanges that wrote after an order number or a game time, because the save has gone
        back. Inside a transaction.
        """
        values = {"number": write_order, "timestamp": timestamp}
        self._forget([int(order) for (order,) in self._database.rows(_AFTER, **values)])

    def forget_of(self, npc_id: str) -> None:
        """Forget the exchanges of an NPC: none can be undone any more. Inside a transaction."""
        self._forget([int(order) for (order,) in self._database.rows(_OF_NPC, npc_id=npc_id)])

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
        return _Undoing(self._database, self._records, self._rows, exchange_id, orders).run(self._forget)

    def _forget(self, orders: Sequence[int]) -> None:
        if orders:
            self._rows.delete_copies([label(order) for order in orders for label in (before, after)])
            self._database.write(_END, orders=list(orders))


class _Undoing:
    """One exchange that is being undone."""

    def __init__(
        self,
        database: Database,
        records: Records,
        rows: RecordedRows,
        exchange_id: str,
        orders: Sequence[int],
    ) -> None:
        self._database = database
        self._records = records
        self._rows = rows
        self._exchange_id = exchange_id
        self._orders = orders
        """Of its transactions, the last one first."""
        self._removed: dict[str, dict[int, Values]] = {table: {} for table in KEYS}
        self._restored: dict[str, dict[int, Values]] = {place: {} for place in PLACES}

    def run(self, forget: Callable[[Sequence[int]], None]) -> Undone:
        existing = {table: self._existing(table) for table in KEYS}
        self._remove(existing)
        for order in self._orders:
            for table in KEYS:
                for key, values in self._rows.copies(table, before(order)).items():
                    if key in existing[table]:
                        self._restore(table, key, values, order)
            self._restore_vectors(order)
            self._restore_accesses(order)
        forget(self._orders)
        for place in PLACES:
            # What is kept of vectors and accesses may come from a change of the memory alone.
            for key in {*self._restored[place], *self._restored.get(_MEMORIES_OF.get(place, place), ())}:
                self._tidy(place, key)
        for key in self._removed["memories"]:
            if self._rows.copy_at_last_mark("memories", key) is None:
                # Nor was it there at the mark.
                for place in _MEMORIES_OF:
                    self._rows.delete_copy_at_last_mark(place, key)
        npcs = frozenset(self._npcs())
        for npc in npcs:
            self._database.touch(npc)
        self._delete_new_npcs()
        return Undone(self._removed, self._restored, npcs)

    def _existing(self, table: str) -> set[int]:
        """The keys of rows that the exchange has changed, and not added."""
        return {
            key
            for order in self._orders
            for key, values in self._rows.copies(table, before(order)).items()
            if values["exchange_id"] != self._exchange_id and values["write_order"] not in self._orders
        }

    def _remove(self, existing: Mapping[str, set[int]]) -> None:
        """Delete the rows that the exchange added, and what others hold of them to bring back."""
        own = [label(order) for order in self._orders for label in (before, after)]
        for table in KEYS:
            rows = self._database.rows(_ADDED[table], exchange_id=self._exchange_id)
            if table == "archived_memories":
                rows += self._database.rows(_ADDED_TO_ARCHIVE, orders=list(self._orders))
            keys = {int(key) for (key,) in rows} - existing[table]
            for key in keys:
                self._removed[table][key] = self._rows.current(table, key) or {}
            if keys:
                self._database.write(_DELETE[table], keys=sorted(keys))
            for key in {*self._rows.keys_copied_of(table, self._exchange_id, self._orders)} - existing[table]:
                self._rows.delete_copies_of(table, key, own)

    def _restore(self, table: str, key: int, was: Values, order: int) -> None:
        """Give a row what it held before a transaction, as far as nobody has changed it since."""
        became = self._rows.copies(table, after(order)).get(key)
        current = self._rows.current(table, key)
        if became is None:
            if current is None and self._is_free(table, was):
                self._put(table, key, was)
            return
        changed = {name for name in was if was[name] != became[name]} - {*_BY_ITSELF}
        merged: Values = {}
        is_same = True
        for label, values in self._states(table, key, order, current):
            merged = _taken_back(values, was, became, changed)
            # Whoever has set something else later has done so for good.
            changed = {name for name in changed if name in _ADDED_UP or values[name] == became[name]}
            if label and merged != values:
                self._rows.put_copy(table, key, label, merged)
            is_same = merged == values
        if current is not None and not is_same:
            self._put(table, key, merged)

    def _states(
        self, table: str, key: int, order: int, current: Values | None
    ) -> Iterator[tuple[int, Values]]:
        """The states of a row since a transaction, with the labels of their copies; the current one has 0."""
        yield from self._rows.later_copies(table, key, after(order))
        if current is not None:
            yield 0, current

    def _is_free(self, table: str, row: Values) -> bool:
        """Return True if no other memory has the id of this one now."""
        return table != "memories" or not self._database.row(_HAS_ID, npc=row["npc"], id=row["id"])

    def _put(self, table: str, key: int, row: Values) -> None:
        self._rows.put(table, key, row)
        self._restored[table][key] = row

    def _restore_vectors(self, order: int) -> None:
        """Give back the vectors of memories whose text is again what it was."""
        for key, vector in self._rows.copies("vectors", before(order)).items():
            memory = self._restored["memories"].get(key)
            copy = self._rows.copies("memories", before(order)).get(key)
            if memory and copy and memory["document_full"] == copy["document_full"]:
                self._rows.put("vectors", key, vector)
                self._restored["vectors"][key] = vector

    def _restore_accesses(self, order: int) -> None:
        """Give back the last accesses of memories that were not accessed since."""
        copies = self._rows.copies("accesses", after(order))
        for key, was in self._rows.copies("accesses", before(order)).items():
            current, became = self._rows.current("accesses", key), copies.get(key)
            for label, values in self._rows.later_copies("accesses", key, after(order)):
                if values == became:
                    self._rows.put_copy("accesses", key, label, was)
            if current is not None and became in (None, current):
                self._records.access({key: was["last_accessed"]})
                self._restored["accesses"][key] = was

    def _tidy(self, place: str, key: int) -> None:
        """Delete the copy for the last mark of a row that is again what it was then."""
        copy, current = self._rows.copy_at_last_mark(place, key), self._rows.current(place, key)
        if copy is None or current is None:
            return
        ignored = {*_DERIVED, *(_BY_ITSELF if place in ("memories", "archived_memories") else ())}
        if all(copy[name] == current[name] for name in copy if name not in ignored):
            self._rows.delete_copy_at_last_mark(place, key)

    def _npcs(self) -> Iterator[int]:
        """The NPCs of the rows concerned."""
        for rows in (self._removed, self._restored):
            for table in ("memories", "archived_memories", "interactions"):
                yield from (int(row["npc"]) for row in rows[table].values() if row)
        for key in self._restored["accesses"]:
            memory = self._rows.current("memories", key)
            if memory is not None:
                yield int(memory["npc"])

    def _delete_new_npcs(self) -> None:
        """Delete the NPCs that had nothing before the exchange and have nothing again."""
        for (npc,) in self._database.rows(_NEW_NPCS, orders=list(self._orders)):
            if not self._database.row(_HAS_ROWS, npc=npc):
                self._database.write(_DELETE_NPC, npc=npc)


def _taken_back(values: Values, was: Values, became: Values, changed: Iterable[str]) -> Values:
    """A later state of a row without what a transaction has changed of it."""
    merged = dict(values)
    for name in changed:
        if values[name] == became[name]:
            merged[name] = was[name]
        elif name in _ADDED_UP:
            merged[name] = values[name] - became[name] + was[name]
    return merged

"""Rows as they were before and after the recorded transactions of a save's file."""

from __future__ import annotations

from collections.abc import Sequence

from rag_memory.storage.sql.recorded_rows import PLACES, Values, after, before
from rag_memory.storage.sqlite.open_save import OpenSave

_SOURCES = {"accesses": "memories"}
"""The tables of places that are called otherwise."""
_LAST_MARK = "(SELECT marked FROM write_orders)"


class RecordedRows:
    """See storage.sql.recorded_rows.RecordedRows."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save
        self._columns: dict[str, list[str]] = {}

    def begin(self) -> None:
        """Record what the open transaction changes from now on."""
        self._write("UPDATE write_orders SET recorded = ?", self._save.orders.current)

    def end(self) -> None:
        """Copy the changed rows as they are now, and record nothing more."""
        order = self._save.orders.current
        self._write("UPDATE write_orders SET recorded = 0")
        for place, key in PLACES.items():
            columns = ", ".join(self._names(place))
            self._write(
                f"INSERT INTO earlier_{place} (mark, {columns}) SELECT ?, {columns} "
                f"FROM {_SOURCES.get(place, place)} "
                f"WHERE {key} IN (SELECT {key} FROM earlier_{place} WHERE mark = ?)",
                after(order),
                before(order),
            )

    def copies(self, place: str, label: int) -> dict[int, Values]:
        """The copies under a label, by key."""
        rows = self._rows(f"earlier_{place}", place, "mark = ?", label)
        return {row[PLACES[place]]: row for row in rows}

    def later_copies(self, place: str, key: int, label: int) -> list[tuple[int, Values]]:
        """The labels and copies of a row from later recorded transactions, in their order."""
        condition = f"{PLACES[place]} = ? AND mark < ? ORDER BY mark DESC"
        rows = self._rows(f"earlier_{place}", place, condition, key, label, also="mark")
        return [(row["mark"], {name: row[name] for name in row if name != "mark"}) for row in rows]

    def put_copy(self, place: str, key: int, label: int, values: Values) -> None:
        """Replace a copy."""
        changes = ", ".join(f"{name} = ?" for name in values)
        self._write(
            f"UPDATE earlier_{place} SET {changes} WHERE {PLACES[place]} = ? AND mark = ?",
            *values.values(),
            key,
            label,
        )

    def relabel(self, place: str, key: int, label: int, new_label: int) -> None:
        """Move the copy of a row under another label."""
        sql = f"UPDATE earlier_{place} SET mark = ? WHERE {PLACES[place]} = ? AND mark = ?"
        self._write(sql, new_label, key, label)

    def delete_copies(self, labels: Sequence[int]) -> None:
        """Delete all copies under these labels."""
        for place in PLACES:
            for label in labels:
                self._write(f"DELETE FROM earlier_{place} WHERE mark = ?", label)

    def keys_copied_of(self, table: str, exchange_id: str, orders: Sequence[int]) -> list[int]:
        """The keys of rows that recorded transactions have copied, of an exchange."""
        places = ", ".join("?" for _ in orders)
        sql = (
            f"SELECT DISTINCT {PLACES[table]} FROM earlier_{table} WHERE mark < -1 "
            f"AND (exchange_id = ? OR write_order IN ({places}))"
        )
        with self._save.errors("read"):
            return [int(key) for (key,) in self._save.connection.execute(sql, (exchange_id, *orders))]

    def delete_copies_of(self, place: str, key: int, but: Sequence[int]) -> None:
        """Delete the copies of a row under negative labels, except under these."""
        places = ", ".join("?" for _ in but)
        condition = f"{PLACES[place]} = ? AND mark < -1 AND mark NOT IN ({places})"
        self._write(f"DELETE FROM earlier_{place} WHERE {condition}", key, *but)
        if place == "memories":
            self._write(f"DELETE FROM earlier_vectors WHERE {condition}", key, *but)
            self._write(f"DELETE FROM earlier_accesses WHERE {condition}", key, *but)

    def current(self, place: str, key: int) -> Values | None:
        """A row as it is; None when there is none."""
        rows = self._rows(_SOURCES.get(place, place), place, f"{PLACES[place]} = ?", key)
        return rows[0] if rows else None

    def put(self, place: str, key: int, values: Values) -> None:
        """Add a row, or replace the one with its key."""
        if place in _SOURCES:
            self._write(
                "UPDATE memories SET last_accessed = ? WHERE memory = ?", values["last_accessed"], key
            )
            return
        # An upsert would also decide about the conflicts of the statements in triggers.
        changed = {name: value for name, value in values.items() if name != PLACES[place]}
        changes = ", ".join(f"{name} = ?" for name in changed)
        if self._write(f"UPDATE {place} SET {changes} WHERE {PLACES[place]} = ?", *changed.values(), key):
            return
        places = ", ".join("?" for _ in values)
        self._write(f"INSERT INTO {place} ({', '.join(values)}) VALUES ({places})", *values.values())

    def copy_at_last_mark(self, place: str, key: int) -> Values | None:
        """A row as it was at the save's last mark, if it was changed since."""
        condition = f"{PLACES[place]} = ? AND mark = {_LAST_MARK}"
        rows = self._rows(f"earlier_{place}", place, condition, key)
        return rows[0] if rows else None

    def delete_copy_at_last_mark(self, place: str, key: int) -> None:
        """Delete what copy_at_last_mark() returns."""
        self._write(f"DELETE FROM earlier_{place} WHERE {PLACES[place]} = ? AND mark = {_LAST_MARK}", key)

    def _names(self, place: str) -> list[str]:
        """The columns that are copied of a place."""
        if place not in self._columns:
            with self._save.errors("read"):
                rows = self._save.connection.execute(f"PRAGMA table_info(earlier_{place})").fetchall()
            self._columns[place] = [str(row[1]) for row in rows if row[1] != "mark"]
        return self._columns[place]

    def _rows(self, table: str, place: str, condition: str, *values: object, also: str = "") -> list[Values]:
        names = [*self._names(place), *([also] if also else [])]
        sql = f"SELECT {', '.join(names)} FROM {table} WHERE {condition}"
        with self._save.errors("read"):
            rows = self._save.connection.execute(sql, values).fetchall()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def _write(self, sql: str, *values: object) -> int:
        with self._save.errors("write"):
            return self._save.connection.execute(sql, values).rowcount

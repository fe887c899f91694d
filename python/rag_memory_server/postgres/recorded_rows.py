"""Rows as they were before and after the recorded transactions of a save on a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from psycopg.types.json import Jsonb

from rag_memory.storage.sql.recorded_rows import PLACES, Values
from rag_memory_server.postgres.copying import COLUMNS_OF
from rag_memory_server.postgres.open_save import OpenSave

_ROWS = {
    **{place: f"to_jsonb({place})" for place in PLACES},
    "accesses": "to_jsonb(memories.last_accessed)",
}
"""What is copied of a row, by its place."""
_TABLES = {**{place: place for place in PLACES}, "accesses": "memories"}
_RECORD = "SELECT set_config(%(setting)s, currval('write_numbers')::text, true) WHERE %(save)s > 0"
_STOP = "SELECT set_config(%(setting)s, '', true) WHERE %(save)s > 0"
_SETTING = "rag_memory.recorded"
"""A setting of the open transaction: its number while it is recorded; see schema.py."""
_OF_PLACE = "FROM earlier_rows WHERE save = %(save)s AND place = %(place)s"
_OF_ROW = f"{_OF_PLACE} AND number = %(number)s"
_LAST_MARK = "(SELECT marked FROM saves WHERE save = %(save)s)"


class RecordedRows:
    """See storage.sql.recorded_rows.RecordedRows."""

    def __init__(self, save: OpenSave) -> None:
        self._save = save

    def begin(self) -> None:
        self._save.write(_RECORD, setting=_SETTING)

    def end(self) -> None:
        self._save.write(_STOP, setting=_SETTING)
        for place, key in PLACES.items():
            table = _TABLES[place]
            self._save.write(
                "INSERT INTO earlier_rows (save, place, number, mark, content) "
                f"SELECT %(save)s, %(place)s, {table}.{key}, -2 * currval('write_numbers') - 1, "
                f"{_ROWS[place]} FROM {table} WHERE {table}.save = %(save)s AND {table}.{key} IN "
                f"(SELECT number {_OF_PLACE} AND mark = -2 * currval('write_numbers'))",
                place=place,
            )

    def copies(self, place: str, label: int) -> dict[int, Values]:
        rows = self._save.rows(
            f"SELECT number, content {_OF_PLACE} AND mark = %(label)s", place=place, label=label
        )
        return {int(number): _values(place, number, content) for number, content in rows}

    def later_copies(self, place: str, key: int, label: int) -> list[tuple[int, Values]]:
        statement = f"SELECT mark, content {_OF_ROW} AND mark < %(label)s ORDER BY mark DESC"
        rows = self._save.rows(statement, place=place, number=key, label=label)
        return [(int(mark), _values(place, key, content)) for mark, content in rows]

    def put_copy(self, place: str, key: int, label: int, values: Values) -> None:
        self._save.write(
            "UPDATE earlier_rows SET content = %(content)s WHERE save = %(save)s AND place = %(place)s "
            "AND number = %(number)s AND mark = %(label)s",
            place=place,
            number=key,
            label=label,
            content=_content(place, values),
        )

    def relabel(self, place: str, key: int, label: int, new_label: int) -> None:
        self._save.write(
            "UPDATE earlier_rows SET mark = %(new_label)s WHERE save = %(save)s AND place = %(place)s "
            "AND number = %(number)s AND mark = %(label)s",
            place=place,
            number=key,
            label=label,
            new_label=new_label,
        )

    def delete_copies(self, labels: Sequence[int]) -> None:
        self._save.write(
            "DELETE FROM earlier_rows WHERE save = %(save)s AND mark = ANY(%(labels)s::bigint[])",
            labels=list(labels),
        )

    def keys_copied_of(self, table: str, exchange_id: str, orders: Sequence[int]) -> list[int]:
        statement = (
            f"SELECT DISTINCT number {_OF_PLACE} AND mark < -1 AND (content ->> %(name)s = %(exchange_id)s "
            "OR (content ->> %(order)s)::bigint = ANY(%(orders)s::bigint[]))"
        )
        values = {"exchange_id": exchange_id, "orders": list(orders)}
        rows = self._save.rows(statement, place=table, name="exchange_id", order="write_order", **values)
        return [int(number) for (number,) in rows]

    def delete_copies_of(self, place: str, key: int, but: Sequence[int]) -> None:
        places = [place, "vectors", "accesses"] if place == "memories" else [place]
        self._save.write(
            "DELETE FROM earlier_rows WHERE save = %(save)s AND place = ANY(%(places)s::text[]) "
            "AND number = %(number)s AND mark < -1 AND NOT mark = ANY(%(but)s::bigint[])",
            places=places,
            number=key,
            but=list(but),
        )

    def current(self, place: str, key: int) -> Values | None:
        table = _TABLES[place]
        row = self._save.row(
            f"SELECT {_ROWS[place]} FROM {table} WHERE save = %(save)s AND {PLACES[place]} = %(number)s",
            number=key,
        )
        return None if row is None else _values(place, key, row[0])

    def put(self, place: str, key: int, values: Values) -> None:
        names = COLUMNS_OF[place].split(", ")
        own = PLACES[place]
        self._save.write(
            f"INSERT INTO {place} (save, {', '.join(names)}) SELECT %(save)s, "
            f"{', '.join(f'put.{name}' for name in names)} "
            f"FROM jsonb_populate_record(NULL::{place}, %(content)s) AS put ON CONFLICT (save, {own}) "
            f"DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in names if name != own)}",
            content=_content(place, values),
        )

    def copy_at_last_mark(self, place: str, key: int) -> Values | None:
        row = self._save.row(f"SELECT content {_OF_ROW} AND mark = {_LAST_MARK}", place=place, number=key)
        return None if row is None else _values(place, key, row[0])

    def delete_copy_at_last_mark(self, place: str, key: int) -> None:
        self._save.write(f"DELETE {_OF_ROW} AND mark = {_LAST_MARK}", place=place, number=key)


def _values(place: str, key: int, content: Any) -> Values:
    return {"memory": int(key), "last_accessed": content} if place == "accesses" else content


def _content(place: str, values: Mapping[str, Any]) -> Jsonb:
    return Jsonb(values["last_accessed"] if place == "accesses" else dict(values))

"""Shared statements on an open SQLite database; a storage.sql.database.Database."""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rag_memory.errors import StoreError
from rag_memory.storage.sql.database import Row
from rag_memory.storage.sqlite.write_orders import WriteOrders
from rag_memory.validation import to_json

_IN_LIST = re.compile(r"\$in(?:_texts)?\((\w+)\)")
_WHOLE = re.compile(r"\$whole\(((?:[^()]|\([^()]*\))*)\)")
_TABLE = re.compile(r"\$(\w+)")


class Statements:
    """A connection that shared statements run on; with an order of writes, if anything is written."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        orders: WriteOrders | None = None,
        failed: Callable[[str, sqlite3.Error], StoreError] | None = None,
        suspect: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Args:
            failed: makes the error to raise of what could not be done and SQLite's own; None raises that.
            suspect: called when stored values do not fit together.
        """
        self._connection = connection
        self._orders = orders
        self._failed = failed
        self.suspect = suspect

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """See Database."""
        text, has_lists = translated(statement)
        try:
            return self._connection.execute(text, _bound(values) if has_lists else values).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def row(self, statement: str, **values: Any) -> Row | None:
        """See Database."""
        text, has_lists = translated(statement)
        try:
            row: Row | None = self._connection.execute(
                text, _bound(values) if has_lists else values
            ).fetchone()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return row

    def number(self, statement: str, **values: Any) -> int:
        """See Database."""
        row = self.row(statement, **values)
        return 0 if row is None else int(row[0] or 0)

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        """See Database."""
        text, has_lists = translated(statement)
        try:
            yield from self._connection.execute(text, _bound(values) if has_lists else values)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def write(self, statement: str, **values: Any) -> None:
        """See Database."""
        self.count_written(statement, **values)

    def count_written(self, statement: str, **values: Any) -> int:
        """See Database."""
        text, has_lists = translated(statement)
        return self._connection.execute(text, _bound(values) if has_lists else values).rowcount

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        """See Database."""
        assert self._orders is not None
        statement = _insert(table, tuple(values))
        return int(
            self._connection.execute(statement, (self._orders.current, *values.values())).lastrowid or 0
        )

    def change_world(self) -> None:
        """See Database; no other process reads an open file."""

    def _failure(self, error: sqlite3.Error) -> Exception:
        return error if self._failed is None else self._failed("read", error)


@functools.cache
def translated(statement: str) -> tuple[str, bool]:
    """A shared statement as SQLite has it, and whether it has lists among its values."""
    text = _IN_LIST.sub(r"IN (SELECT value FROM json_each(:\1))", statement)
    text = _WHOLE.sub(r"CAST(\1 AS INTEGER)", text)
    text = text.replace("$own", "TRUE").replace("$least(", "min(")
    return _TABLE.sub(r"\1", text), "json_each" in text


def _bound(values: dict[str, Any]) -> dict[str, Any]:
    return {name: to_json(value) if isinstance(value, list) else value for name, value in values.items()}


@functools.cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    places = ", ".join("?" for _ in columns)
    return f"INSERT INTO {table} (write_order, {', '.join(columns)}) VALUES (?, {places})"

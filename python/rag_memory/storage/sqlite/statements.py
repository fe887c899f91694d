"""Shared statements on an open SQLite database; a storage.sql.database.Database."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rag_memory.errors import StoreError
from rag_memory.lazy_pattern import lazy_pattern
from rag_memory.memory.record import Record
from rag_memory.storage.sql.database import Row
from rag_memory.storage.sql.rollback import new_revision
from rag_memory.storage.sql.statements import SET_REVISION
from rag_memory.storage.sqlite.write_orders import WriteOrders
from rag_memory.validation import to_json
from rag_memory.vectors import FloatVector

_KEYS = "$in(keys)"
_IN_LIST = lazy_pattern(r"\$in(?:_texts)?\((\w+)\)")
_WHOLE = lazy_pattern(r"\$whole\(((?:[^()]|\([^()]*\))*)\)")
_NEXT = lazy_pattern(r"\$next\(\w+\)")
_TABLE = lazy_pattern(r"\$(\w+)")
_WORDS = {
    "$owner ": "",
    "$own": "TRUE",
    "$save ": "",
    "$least(": "min(",
    "$row": "write_order",
    "$new": ":write_order",
}
_WITHOUT_ORDER = ("embedding_models",)
"""Tables whose rows do not know when they were written."""
# IN lists come in a few lengths only, so that their statements stay prepared.
_IN_LENGTHS = (1, 4, 8, 16, 24, 32, 48, 64, 128, 256)


class _Translated(NamedTuple):
    text: str
    has_lists: bool
    has_order: bool


class Statements:
    """A connection that shared statements run on; with an order of writes, if anything is written."""

    derived_columns = ("keywords", "digest")

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
        self.exchange_id = ""
        self._connection = connection
        self._orders = orders
        self._failed = failed
        self.suspect = suspect

    def rows(self, statement: str, **values: Any) -> list[Row]:
        """See Database."""
        try:
            return self._run(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def row(self, statement: str, **values: Any) -> Row | None:
        """See Database."""
        try:
            row: Row | None = self._run(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return row

    def number(self, statement: str, **values: Any) -> int:
        """See Database."""
        row = self.row(statement, **values)
        return 0 if row is None else int(row[0] or 0)

    def rows_with(self, statement: str, keys: Sequence[int]) -> list[Row]:
        """See Database."""
        rows: list[Row] = []
        try:
            for start in range(0, len(keys), _IN_LENGTHS[-1]):
                part = list(keys[start : start + _IN_LENGTHS[-1]])
                length = next(length for length in _IN_LENGTHS if length >= len(part))
                part += [-1] * (length - len(part))
                rows += self._connection.execute(_with_places(statement, length), part).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return rows

    def iterate(self, statement: str, **values: Any) -> Iterator[Row]:
        """See Database."""
        try:
            yield from self._run(statement, values)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def write(self, statement: str, **values: Any) -> None:
        """See Database."""
        self._run(statement, values)

    def count_written(self, statement: str, **values: Any) -> int:
        """See Database."""
        return self._run(statement, values).rowcount

    def add(self, table: str, key: str, values: Mapping[str, Any]) -> int:
        """See Database."""
        orders: tuple[int, ...] = ()
        if table not in _WITHOUT_ORDER:
            assert self._orders is not None
            orders = (self._orders.current,)
        statement = _insert(table, tuple(values))
        return int(self._connection.execute(statement, (*orders, *values.values())).lastrowid or 0)

    def new_key(self, key: str) -> int:
        """See Database."""
        assert key == "memory", "others are given by SQLite"
        newest = self.row("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
        if newest is None:
            self.write("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', 1)")
            return 1
        number = int(newest[0]) + 1
        self.write("UPDATE sqlite_sequence SET seq = :number WHERE name = 'memories'", number=number)
        return number

    def is_free(self, table: str, key: str, number: int) -> bool:
        """See Database."""
        return self.row(f"SELECT 1 FROM {table} WHERE {key} = :number", number=number) is None

    def derived(self, npc: int, record: Record) -> dict[str, Any]:
        """See Database."""
        keywords, digest = record.derived(npc)
        return {"keywords": keywords, "digest": digest}

    def stored_vector(self, vector: FloatVector | None) -> bytes:
        """See Database."""
        return b"" if vector is None else vector.astype("<f4", copy=False).tobytes()

    def read_vector(self, value: bytes) -> FloatVector | None:
        """See Database."""
        length = len(value) // 4
        return np.frombuffer(value, dtype="<f4", count=length).astype(np.float32) if length else None

    def touch(self, npc: int) -> None:
        """See Database."""
        self.write(SET_REVISION, npc=npc, revision=new_revision())

    def change_world(self) -> None:
        """See Database; no other process reads an open file."""

    def _run(self, statement: str, values: dict[str, Any]) -> sqlite3.Cursor:
        translation = _translated(statement)
        if translation.has_lists:
            values = {
                name: to_json(value) if isinstance(value, list) else value for name, value in values.items()
            }
        if translation.has_order:
            assert self._orders is not None
            values["write_order"] = self._orders.current
        return self._connection.execute(translation.text, values)

    def _failure(self, error: sqlite3.Error) -> Exception:
        return error if self._failed is None else self._failed("read", error)


@functools.lru_cache(1000)
def _translated(statement: str) -> _Translated:
    """A shared statement as SQLite has it."""
    text = _IN_LIST.sub(r"IN (SELECT value FROM json_each(:\1))", statement)
    text = _WHOLE.sub(r"CAST(\1 AS INTEGER)", text)
    text = _NEXT.sub("NULL", text)
    for mark, word in _WORDS.items():
        text = text.replace(mark, word)
    return _Translated(_TABLE.sub(r"\1", text), "json_each" in text, ":write_order" in text)


@functools.lru_cache(1000)
def _with_places(statement: str, length: int) -> str:
    """A shared statement whose only value is a list of keys, with a place for each of them."""
    places = ", ".join("?" for _ in range(length))
    return _translated(statement.replace(_KEYS, f"IN ({places})")).text


@functools.cache
def _insert(table: str, columns: tuple[str, ...]) -> str:
    if table not in _WITHOUT_ORDER:
        columns = ("write_order", *columns)
    places = ", ".join("?" for _ in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"

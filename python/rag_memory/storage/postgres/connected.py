"""What every part of the store has: the session, the save that every statement names, and errors told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import psycopg

from rag_memory.errors import StoreError
from rag_memory.memory.record import Record
from rag_memory.storage.postgres.postgres_failure import cause, remedy
from rag_memory.storage.postgres.session import Session

FIELDS = tuple("memory" if name == "key" else name for name in Record._fields)
"""The columns of a memory, in the order of a Record."""
COLUMNS = ", ".join(FIELDS)

_NEXT = {
    name: f"UPDATE saves SET last_{name} = last_{name} + 1 WHERE save = %(save)s RETURNING last_{name}"
    for name in ("npc", "model", "archive", "interaction", "document", "memory")
}
_USED = {
    name: f"UPDATE saves SET last_{name} = greatest(last_{name}, %(number)s) WHERE save = %(save)s"
    for name in ("archive", "memory")
}


class Connected:
    """An open save, for the parts of the store."""

    def __init__(self, session: Session, save: int) -> None:
        self._session = session
        self._save = save
        self._written = 0

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self._session)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All writes inside become one commit, or none of them when an exception leaves it. One inside
        another is a part of that.
        """
        with self._errors("write"):
            if self._session.is_in_transaction:
                yield
                return
            with self._session.transaction():
                yield

    def _rows(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        with self._errors("read"):
            return self._session.execute(sql, {"save": self._save, **values}).fetchall()

    def _row(self, sql: str, **values: Any) -> tuple[Any, ...] | None:
        with self._errors("read"):
            return self._session.execute(sql, {"save": self._save, **values}).fetchone()

    def _number(self, sql: str, **values: Any) -> int:
        """The one number that a statement finds; 0 for nothing."""
        row = self._row(sql, **values)
        return 0 if row is None else int(row[0] or 0)

    def _record(self, sql: str, **values: Any) -> Record | None:
        row = self._row(sql, **values)
        return None if row is None else Record._make(row)

    def _records(self, sql: str, **values: Any) -> list[Record]:
        return [Record._make(row) for row in self._rows(sql, **values)]

    def _write(self, sql: str, **values: Any) -> int:
        """Run a statement that changes rows; how many. Inside a transaction: it is not run again."""
        assert self._session.is_in_transaction
        with self._errors("write"):
            count = self._session.execute(sql, {"save": self._save, **values}).rowcount
        self._written += count
        return count

    def _write_many(self, sql: str, values: list[dict[str, Any]]) -> None:
        with self._errors("write"):
            self._session.execute_many(sql, [{"save": self._save, **each} for each in values])
        self._written += len(values)

    def _next(self, counter: str) -> int:
        """A number that nothing of its kind has, had or will have. Inside a transaction."""
        return self._number(_NEXT[counter])

    def _use(self, counter: str, number: int) -> None:
        """Note that a number is given. Inside a transaction."""
        self._row(f"{_USED[counter]} RETURNING save", number=number)

    @contextlib.contextmanager
    def _errors(self, doing: str) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise StoreError(
                f"The save {self.name} could not {doing}", cause(error), remedy(error)
            ) from error
